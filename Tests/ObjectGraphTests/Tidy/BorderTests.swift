import Foundation
import Testing

/// The borders between folders and modules, checked by reading the sources
/// (Documentation/Architecture.md).
@Suite struct `Borders of folders and modules` {
    /// Each folder of the engine may only name types of its own rank and lower ones.
    static let ranks = [
        "Platform": 0, "Support": 0, "Tracing": 0, "KeyedArchives": 1, "Model": 2, "Requests": 3,
        "Predicates": 3,
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
            "Sources/Timeline", ["Foundation", "Synchronization", "ObjectGraph"],
            "whoever uses the engine may look at what it does"
        ),
        (
            "Sources/SpanTracing",
            ["Foundation", "Synchronization", "ObjectGraph", "Timeline", "Tracing"],
            "a server needs no more for its spans"
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

    /// What another system would have to replace is found in these folders.
    @Test(arguments: ["Sources", "Benchmarks"])
    func `only folders called Platform call the system`(_ root: String) throws {
        let calls = [
            "import Glibc", "import CJemalloc", "/proc/", "/sys/", "inotify_", "clock_gettime",
            "clock_nanosleep", "fsync(", "flock(", "fcntl(", "poll(&", "pthread_", "posix_spawn",
            "affinity(", "mallctl", "sigset_t", "getrusage",
        ]
        for file in try SourceFile.all(in: root)
        where !file.path.contains("/Platform/")
            && !file.path.hasSuffix("/ThreadSanitizerMutex.swift")
        {
            // The pictures of a peer are work that is measured.
            if file.path.hasSuffix("Peers/PictureFolder.swift") { continue }
            for call in calls where file.codeAndTexts.contains(call) {
                Issue.record("\(file.path) has \(call); move the call to a folder Platform")
            }
        }
    }

    @Test func `only the SQLite folder of the engine imports CSQLite`() throws {
        for file in try SourceFile.all(in: "Sources/ObjectGraph") where file.folder != "SQLite" {
            #expect(!file.imports.contains("CSQLite"), "\(file.path) imports CSQLite")
        }
    }

    @Test(arguments: [
        "Sources/Stacks", "Sources/Timeline", "Sources/SpanTracing", "Sources/MigrationKit",
        "Sources/ModelSource", "Sources/modelgen",
        "Benchmarks/StackBench", "Tests/StacksTests", "Tests/TimelineTests",
        "Tests/SpanTracingTests", "Tests/MigrationKitTests",
        "Tests/BenchTests",
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
