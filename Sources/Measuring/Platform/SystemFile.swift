import Foundation

/// The small files in which Linux describes itself, such as those of `/proc`.
public enum SystemFile {
    /// The content without surrounding white space; `nil` without a file.
    public static func text(of path: String) -> String? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
