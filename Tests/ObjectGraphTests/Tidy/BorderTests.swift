import Foundation
import Testing

/// The borders between folders and modules, checked by reading the sources
/// (Documentation/Architecture.md).
@Suite struct `Borders of folders and modules` {
    /// Each folder of the engine may only name types of its own rank and lower ones.
    static let ranks = [
        "Support": 0, "KeyedArchives": 1, "Model": 2, "Requests": 3, "Predicates": 3,
        "ModelFiles": 4, "ModelArchives": 4, "SQLite": 4, "Stores": 5,
        "Coordinator": 6, "Objects": 7, "Contexts": 7, "Errors": 7, "Migration": 7, "Coding": 8,
        "Controllers": 8,
    ]

    /// The types that a folder may name although their rank is higher, and why.
    static let exceptions: [String: [String]] = [
        // The coordinator lists the contexts that merge, and migrates a store before it opens it.
        "Coordinator": ["ManagedObjectContext", "StoreMigration"],
        // A description is all that a program says of a store.
        "Stores": ["MigrationOptions"],
    ]

    @Test func `a folder of the engine names no type of a higher rank`() throws {
        let files = try SourceFile.all(in: "Sources/ObjectGraph")
        var ranksOfTypes: [String: Int] = [:]
        for file in files {
            let rank = try #require(
                Self.ranks[file.folder], "\(file.path) lies in a folder without a rank")
            for type in file.declaredTypes { ranksOfTypes[type] = rank }
        }
        #expect(ranksOfTypes.count > 50)
        for file in files {
            let own = Self.ranks[file.folder, default: 0]
            for word in file.words where ranksOfTypes[word, default: 0] > own {
                if Self.exceptions[file.folder]?.contains(word) == true { continue }
                Issue.record("\(file.path) names \(word), a type of a higher rank")
            }
        }
    }

    /// The modules that a folder may not import, and why.
    @Test(arguments: [
        (
            "Sources/ObjectGraph",
            [
                "Foundation", "FoundationXML", "Synchronization", "Dispatch", "Logging", "CSQLite",
                "CZlib",
            ],
            "the engine depends on nothing else"
        ),
        (
            "Sources/Stacks", ["Foundation", "Synchronization", "Dispatch", "ObjectGraph"],
            "a stack is written against the engine's public API"
        ),
        (
            "Sources/Measuring", ["Foundation", "Synchronization", "Dispatch"],
            "the instrument knows no store"
        ),
        (
            "Sources/RunRecords", ["Foundation", "Measuring"],
            "records say nothing about how they are shown"
        ),
        (
            "Sources/Reports",
            ["Foundation", "Synchronization", "Measuring", "RunRecords"],
            "a report is made from records alone"
        ),
        ("Sources/Datasets", ["Foundation"], "the data are plain values"),
        (
            "Sources/PostgreSQLStore",
            ["Foundation", "Synchronization", "Dispatch", "ObjectGraph", "CPostgreSQL"],
            "a store is libpq and the engine"
        ),
        (
            "Sources/MigrationKit", ["Foundation", "ObjectGraph"],
            "a program's tests use it with any test framework"
        ),
        (
            "Sources/ModelSource", ["Foundation", "ObjectGraph"],
            "bench prints models without the templates of modelgen"
        ),
    ])
    func `a module imports only what it may`(
        _ folder: String, _ allowed: [String], _ reason: String
    )
        throws
    {
        for file in try SourceFile.all(in: folder) {
            for module in file.imports where !allowed.contains(module) {
                Issue.record("\(file.path) imports \(module): \(reason)")
            }
        }
    }

    @Test func `only the SQLite folder of the engine imports CSQLite`() throws {
        for file in try SourceFile.all(in: "Sources/ObjectGraph") where file.folder != "SQLite" {
            #expect(!file.imports.contains("CSQLite"), "\(file.path) imports CSQLite")
        }
    }

    @Test(arguments: [
        "Sources/Stacks", "Sources/MigrationKit", "Sources/ModelSource", "Sources/modelgen",
        "Benchmarks/bench", "Tests/StacksTests", "Tests/MigrationKitTests", "Tests/BenchTests",
        "Tests/ModelgenTests",
    ])
    func `users of a module see its public API only`(_ folder: String) throws {
        // A workload like the example belongs in bench itself, and the instrument's own tests need
        // its internals.
        let own = ["Tests/BenchTests/Extending/", "Tests/BenchTests/Instrument/"]
        for file in try SourceFile.all(in: folder)
        where !own.contains(where: file.path.hasPrefix) {
            #expect(!file.text.contains("@testable "), "\(file.path) imports with @testable")
        }
    }
}

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

    /// The code without comments and texts.
    var code: String {
        text.replacing(/"""[\s\S]*?"""/, with: "").replacing(/\/\/[^\n]*/, with: "")
            .replacing(/"(\\.|[^"\\\n])*"/, with: "")
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
