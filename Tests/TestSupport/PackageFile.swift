import Foundation

/// A text file of the package: a document with code samples, or the source of such samples.
public struct PackageFile: Sendable {
    public let text: String

    /// - Parameter path: From the package's folder.
    public init(_ path: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The blocks of Swift in a Markdown document.
    public var samples: [String] {
        text.matches(of: /```swift\n(.*?)```\n/.dotMatchesNewlines()).map { String($0.output.1) }
    }

    /// Whether the file contains a sample, indented or not. Its imports are compared line by line.
    public func contains(sample: String) -> Bool {
        let lines = sample.split(separator: "\n", omittingEmptySubsequences: false)
        let imports = lines.prefix { $0.hasPrefix("import ") }
        let code = lines.dropFirst(imports.count).drop(while: \.isEmpty)
        return imports.allSatisfy { text.contains("\($0)\n") }
            && ["", "    ", "        ", "            "].contains { margin in
                let indented = code.map { $0.isEmpty ? "" : margin + $0 }
                return text.contains(indented.joined(separator: "\n"))
            }
    }
}
