import Foundation
import Testing

/// What keeps files, functions and types small, and folders apart (CONTRIBUTING.md).
@Suite struct `Tidiness of the sources` {
    private static let roots = ["Sources", "Benchmarks", "Plugins"]

    @Test(arguments: roots + ["Tests"]) func `a file has at most 500 lines`(_ root: String) throws {
        for file in try SourceFile.all(in: root) {
            let count = file.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
            #expect(count <= 500, "\(file.path) has \(count) lines; divide it")
        }
    }

    @Test(arguments: roots) func `a function has at most 70 lines`(_ root: String) throws {
        for file in try SourceFile.all(in: root) {
            for scope in file.scopes where scope.isFunction && scope.lineCount > 70 {
                Issue.record(
                    "\(file.path): \(scope.name) has \(scope.lineCount) lines; divide it")
            }
        }
    }

    /// The types with more stored properties, and how many. They may only lose some: a table's row
    /// has a property for each column, a description one for each choice.
    private static let largeTypes = [
        "AttributeDescription": 14, "BatchUpserter": 13, "Comparison": 14, "ComparisonReport": 15,
        "Entity": 22, "EntityBinding": 17, "EntityClass": 14, "EntityDescription": 14,
        "FetchRequest": 18, "FetchedResultsController": 15, "FlightRecord": 25, "FlightRow": 19,
        "FollowedList": 19, "ManagedObjectContext": 26,
        "PersistentStoreDescription": 23, "Property": 17, "Row": 15, "RowUpserter": 14, "Run": 17,
        "Runner": 13, "State": 14, "StoreFile": 16, "WeatherRow": 15, "WorkerJob": 16,
        "Workload": 20, "WorkloadResult": 14,
    ]

    @Test(arguments: roots) func `a type has at most 12 stored properties`(_ root: String) throws {
        for file in try SourceFile.all(in: root) {
            for scope in file.scopes where scope.storedProperties > 12 {
                let allowed = Self.largeTypes[scope.name] ?? 12
                #expect(
                    scope.storedProperties <= allowed,
                    "\(file.path): \(scope.name) has \(scope.storedProperties); divide it")
            }
        }
    }

    /// How many pairs of folders of a module name each other's types. It may only become less.
    @Test(arguments: [
        ("Sources/Datasets", 0), ("Sources/Measuring", 0), ("Sources/MigrationKit", 2),
        ("Sources/ModelSource", 0), ("Sources/ObjectGraph", 15), ("Sources/PostgreSQLStore", 4),
        ("Sources/Reports", 0), ("Sources/RunRecords", 0), ("Sources/Stacks", 0),
        ("Sources/modelgen", 0), ("Benchmarks/StackBench", 0),
    ])
    func `folders that name each other's types become fewer`(
        _ module: String, _ count: Int
    ) throws {
        let pairs = try SourceFile.pairs(in: module)
        #expect(
            pairs.count == count,
            """
            \(module): \(pairs.count) pairs. With more, move a type to the folder that both may \
            name; with fewer, lower the number here.
            \(pairs.joined(separator: "\n"))
            """)
    }

    @Test(arguments: [
        "Benchmarks/StackBench", "Sources/Measuring", "Sources/RunRecords", "Sources/Reports",
    ])
    func `the folders of the instrument are layers`(_ module: String) throws {
        var names = try SourceFile.names(in: module)
        while let lowest = names.first(where: { $0.value.isEmpty })?.key {
            names[lowest] = nil
            for folder in names.keys { names[folder]?.remove(lowest) }
        }
        #expect(names.isEmpty, "\(module): these folders name each other in a circle: \(names)")
    }
}

extension SourceFile {
    /// A type, an extension or a function, with braces of its own.
    struct Scope {
        let name: String
        let isFunction: Bool
        let lineCount: Int
        let storedProperties: Int
    }

    /// The scopes of the file, inner ones before outer ones.
    var scopes: [Scope] {
        struct Open {
            var name = ""
            var isFunction = false
            var isType = false
            var firstLine = 0
            var storedProperties = 0
        }
        var open: [Open] = []
        var next: Open?
        var found: [Scope] = []
        for (index, line) in code.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            if let match = line.firstMatch(of: Self.declaration) {
                let keyword = match.output.1
                next = Open(
                    name: String(match.output.2 ?? match.output.1),
                    isFunction: ["func", "init", "subscript"].contains(keyword),
                    isType: ["struct", "class", "actor"].contains(keyword), firstLine: index)
            }
            if open.last?.isType == true, line.contains(Self.storedProperty),
                !line.contains(/^[^=]*\{(?!.*didSet)/)
            {
                open[open.count - 1].storedProperties += 1
            }
            for character in line {
                if character == "{" {
                    open.append(next ?? Open(firstLine: index))
                    next = nil
                } else if character == "}", let last = open.popLast(), !last.name.isEmpty {
                    found.append(
                        Scope(
                            name: last.name, isFunction: last.isFunction,
                            lineCount: index - last.firstLine + 1,
                            storedProperties: last.storedProperties))
                }
            }
        }
        return found
    }

    nonisolated(unsafe) private static let declaration =
        /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:[a-z]+(?:\(set\))?\s+)*?(func|init|subscript|struct|class|actor|enum|extension)\b[?]?\s*([\w.]+)?/
    nonisolated(unsafe) private static let storedProperty =
        /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:package|private|fileprivate|public|final|lazy|weak|unowned|nonisolated)(?:\(\w+\))?\s+)*(?:let|var)\s/

    /// The folders of a module, each with those whose types its files name.
    static func names(in module: String) throws -> [String: Set<String>] {
        let files = try all(in: module)
        func folder(_ file: SourceFile) -> String {
            let path = file.path.dropFirst(module.count + 1).split(separator: "/").dropLast()
            return path.isEmpty ? "." : path.joined(separator: "/")
        }
        var owners: [String: String] = [:]
        for file in files { for type in file.declaredTypes { owners[type] = folder(file) } }
        var names: [String: Set<String>] = [:]
        for file in files {
            let own = folder(file)
            names[own, default: []].formUnion(file.words.compactMap { owners[$0] })
            names[own]?.remove(own)
        }
        return names
    }

    /// The pairs of folders of a module whose files name each other's types.
    static func pairs(in module: String) throws -> [String] {
        let names = try names(in: module)
        return names.flatMap { folder, others in
            others.filter { folder < $0 && names[$0]?.contains(folder) == true }
                .map { "\(folder) and \($0)" }
        }.sorted()
    }
}
