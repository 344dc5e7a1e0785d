import Measuring
import RunRecords

extension String {
    /// Breaks lines at spaces, so that none is wider than so many characters unless a word is.
    ///
    /// - Parameter width: `nil` to break none.
    /// - Parameter indent: the spaces before each line that continues another.
    public func wrapped(to width: Int?, indent: Int = 0) -> String {
        guard let width else { return self }
        return split(separator: "\n", omittingEmptySubsequences: false)
            .map { Self.wrap($0, width, String(repeating: " ", count: indent)) }
            .joined(separator: "\n")
    }

    private static func wrap(_ line: Substring, _ width: Int, _ indent: String) -> String {
        guard line.count > width else { return String(line) }
        var lines: [String] = []
        var current = ""
        for word in line.split(separator: " ", omittingEmptySubsequences: false) {
            if current.isEmpty {
                current = (lines.isEmpty ? "" : indent) + word
            } else if current.count + 1 + word.count <= width {
                current += " \(word)"
            } else {
                lines.append(current)
                current = indent + word
            }
        }
        return (lines + [current]).joined(separator: "\n")
    }
}
