import Foundation

/// A Swift file of the package.
struct SourceFile {
    let path: String
    let text: String

    /// The folder directly below the module, such as `Contexts`.
    var folder: String { path.split(separator: "/").dropFirst(2).first.map(String.init) ?? "" }

    static func all(in folder: String) throws -> [SourceFile] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let base = root.appending(path: folder)
        guard let paths = FileManager.default.enumerator(atPath: base.path) else { return [] }
        return try paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted()
            .map { path in
                SourceFile(
                    path: "\(folder)/\(path)",
                    text: try String(contentsOf: base.appending(path: path), encoding: .utf8))
            }
    }

    /// The code without comments.
    var codeAndTexts: String { text.replacing(/(^|[^:])\/\/[^\n]*/, with: "") }

    /// The code without comments and texts, on the same lines.
    var code: String {
        text.replacing(/"""[\s\S]*?"""/) { text in String(text.output.filter(\.isNewline)) }
            .replacing(/\/\/[^\n]*/, with: "").replacing(/"(\\.|[^"\\\n])*"/, with: "")
    }

    var words: Set<String> {
        Set(code.matches(of: /\b[A-Z][A-Za-z0-9]+/).map { String($0.output) })
    }

    /// The types declared at the top level of the file.
    var declaredTypes: [String] {
        code.matches(
            of:
                /(?m)^(?:public |package |open |final |indirect |internal )*(?:class|struct|enum|protocol|actor) ([A-Z]\w+)/
        ).map { String($0.output.1) }
    }

    var imports: [String] {
        text.matches(of: /(?m)^(?:@testable )?import (\w+)/).map { String($0.output.1) }
    }
}
