import Foundation
import Reports
import RunRecords
import TestSupport
import Testing

@Suite struct `Workloads on few rows` {
    let folder = TemporaryFolder()

    /// Runs one workload, on 300 flights by default. All its answers must be right.
    func run(
        _ kind: String, _ subjects: String, _ parameters: String, flights: Int = 300
    ) throws -> [CellResult] {
        let makesItsRows = [
            "engine", "records", "history", "generations", "blobs", "indexes", "derived",
            "full-text", "validation", "inverse", "delete", "list", "feed", "look-up", "walk",
            "pending", "merge", "duplicates", "deadlocks", "notices", "dangling",
            "inserted", "terms", "elementary", "habit",
        ]
        let dataset = makesItsRows.contains(kind) ? "" : "dataset: { flights: \(flights) }"
        let text = """
            schema: 1
            name: small
            kind: \(kind)
            subjects: [\(subjects)]
            repetitions: 1
            \(dataset)
            parameters: { \(parameters) }
            """
        try Data(text.utf8).write(to: folder.url("workload.yml"))
        let results = RunDirectory(url: folder.url("run"))
        let bench = try BenchProcess([
            "run", folder.path("workload.yml"), "--allow-debug", "--no-counts", "--output",
            results.url.path,
        ])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        let cells = try #require(results.load().workloads.first).cells
        #expect(cells.allSatisfy { $0.failure == nil && $0.samples.count == 1 })
        return cells
    }

    @Test func `every stack and peer imports the same rows`() throws {
        let cells = try run("import", "all-stacks, peers", "saveSize: 5000")
        let facts: [[String: Fact]] = cells.map { cell in
            guard case .verified(let facts) = cell.verification else { return [:] }
            return facts
        }
        #expect(Set(facts).count == 1)
        #expect(facts[0]["ZFLIGHT rows"] == .integer(300))
    }

    @Test func `a batch insert is one transaction, a loop one for each save`() throws {
        for cell in try run(
            "batch-insert", "shared", "mode: [request, loop], rows: 300, saveSize: 100")
        {
            let isRequest = cell.parameters["mode"] == "request"
            #expect(cell.values(of: "saves") == [isRequest ? 0 : 3])
            // Before each save, a transaction of its own reserves primary keys.
            #expect(cell.values(of: "transactions") == [isRequest ? 1 : 6])
        }
    }

    @Test func `a list shows what a loop has inserted, in every stack that merges`() throws {
        // The workload compares the list's count with the file's.
        _ = try run(
            "batch-insert", "all-stacks", "mode: loop, rows: 300, saveSize: 100, list: true")
    }

    @Test(arguments: [
        ("import", "all-stacks", "store: memory, context: [worker, batch]"),
        (
            "batch-insert", "all-stacks, peers",
            "mode: [request, loop], rows: 300, store: [file, memory]"
        ),
        ("batch-update", "all-stacks", "mode: [request, loop], store: memory"),
    ])
    func `a store in memory is verified as a file is`(
        kind: String, subjects: String, parameters: String
    ) throws {
        _ = try run(kind, subjects, parameters)
    }

    @Test func `every stack shows its saves and has them in the file`() throws {
        for cell in try run("visibility", "all-stacks", "saves: 50") {
            let latencies = cell.samples[0].latencies
            #expect(latencies["shown"]?.count == 50)
            #expect(latencies["durable"]?.p50Nanoseconds != nil)
            let (shown, durable) = (
                cell.values(of: "shown.p50")[0], cell.values(of: "durable.p50")[0]
            )
            if cell.subject.hasPrefix("nested-propagating") { #expect(shown < durable) }
        }
    }

    @Test func `a list follows the saves of every stack`() throws {
        let cells = try run(
            "list", "all-stacks", "rows: 200, change: [update, insert], changes: 5, saves: 20")
        for cell in cells { #expect(cell.samples[0].latencies["shown"]?.count == 20) }
    }

    @Test(arguments: [
        (
            "nested, shared, shared-no-merge",
            "change: insert, shape: [changes, snapshots, differences]"
        ),
        ("shared", "watch: [list, lists, objects], shape: [changes, snapshots, differences]"),
        ("nested, shared", "watch: observers, fetchBatchSize: 0"),
    ])
    func `a list is watched by controllers in each shape, and by observers`(
        subjects: String, parameters: String
    ) throws {
        _ = try run("list", subjects, "rows: 100, changes: 5, saves: 3, watchers: 4, \(parameters)")
    }

    @Test func `every stack and peer replaces a feed and shows the new one`() throws {
        for cell in try run("feed", "all-stacks, peers", "items: 10, feeds: 20") {
            #expect(cell.samples[0].latencies["replaced"]?.count == 20)
        }
    }

    @Test func `a look-up by an indexed value is one statement`() throws {
        for cell in try run(
            "look-up", "all-stacks, peers", "rows: 50, transaction: [own, shared]")
        {
            let isStack = !["grdb", "sqlite-c"].contains(cell.subject)
            #expect(cell.values(of: "statements") == (isStack ? [50] : []), "\(cell.identifier)")
        }
    }

    @Test func `a walk reads the members of each owner, or with prefetching all at once`() throws {
        for cell in try run("walk", "all-stacks, peers", "racks: 30, prefetching: [false, true]") {
            let isStack = !["grdb", "sqlite-c"].contains(cell.subject)
            let statements = cell.parameters["prefetching"] == "true" ? 2.0 : 31
            #expect(
                cell.values(of: "statements") == (isStack ? [statements] : []),
                "\(cell.identifier)")
        }
    }

    @Test func `every stack opens at once or on first use, and answers the same`() throws {
        for cell in try run("opening", "all-stacks", "way: [eager, lazy], times: 20") {
            let latencies = cell.samples[0].latencies
            #expect(latencies["opened"]?.count == 20)
            #expect(latencies["answered"]?.count == 20)
        }
    }

    @Test func `both ways of updating change every flight that departed`() throws {
        _ = try run("batch-update", "all-stacks, peers", "mode: [request, loop], saveSize: 100")
    }

    /// The view of nested contexts is below a parent, which knows the count with the keys.
    @Test(arguments: [("nested", 1), ("isolated-batch", 2)])
    func `a scroll costs a statement for each batch, and one or two for the keys`(
        _ stack: String, _ keyStatements: Int
    ) throws {
        for cell in try run("paging", stack, "fetchBatchSize: [0, 20]") {
            let statements =
                cell.parameters["fetchBatchSize"] == "0" ? 1 : keyStatements + 300 / 20
            #expect(cell.values(of: "statements") == [Double(statements)])
        }
    }

    @Test func `unsaved objects answer as the store does`() throws {
        _ = try run(
            "predicates", "single, nested",
            "question: [number-first, equal-cd, like, matches-cd], place: [sql, memory]")
    }

    @Test func `touching costs a statement only where the values were not fetched`() throws {
        let modes = "[faults-only, default, objects, prefetch, dictionary, ids]"
        for cell in try run("faulting", "shared", "mode: \(modes), touch: 100") {
            let isBare = ["faults-only", "ids"].contains(cell.parameters["mode"])
            #expect(cell.values(of: "touchStatements") == [isBare ? 300 : 0], "\(cell.parameters)")
        }
    }

    @Test func `a tenth is touched in the order of the distance`() throws {
        _ = try run(
            "faulting", "nested", "mode: [objects, dictionary, sorted-in-memory], touch: 10")
    }

    /// With the count of a list that an index sorts.
    @Test func `a page in batches costs the same at any depth`() throws {
        for cell in try run("faulting", "single", "mode: batches, touch: page, depth: [0, 1, 2]") {
            #expect(cell.values(of: "statements") == [cell.parameters["depth"] == "0" ? 3 : 2])
        }
    }

    @Test(arguments: ["sql", "memory"])
    func `questions about accented strings have the same answers`(place: String) throws {
        let questions =
            "[number-first, equal, equal-cd, begins-with, contains-cd, like-cd, matches]"
        _ = try run(
            "predicates", place == "sql" ? "single, sqlite-c" : "single",
            "question: \(questions), alphabet: accented, place: \(place)")
    }

    @Test func `a folded index answers as a scan does`() throws {
        _ = try run(
            "predicates", "single", "question: [equal-cd, begins-with-cd], indexes: [plain, folded]"
        )
    }

    @Test func `a folded index holds accented strings too`() throws {
        _ = try run(
            "predicates", "single",
            "question: [equal-cd, begins-with-cd], alphabet: accented, indexes: folded")
    }

    @Test func `of a list with pictures a screen takes one batch`() throws {
        let cells = try run(
            "blobs", "object-graph",
            "rows: 50, kibibytes: 8, place: [inline, apart], fetchBatchSize: [0, 20]")
        for cell in cells {
            let isBatched = cell.parameters["fetchBatchSize"] == "20"
            #expect(cell.values(of: "statements") == [isBatched ? 2 : 1], "\(cell.parameters)")
        }
    }

    @Test func `pictures are inserted, listed and read wherever they are kept`() throws {
        let cells = try run(
            "blobs", "object-graph",
            "rows: 25, kibibytes: 9, place: [inline, apart, external, path], "
                + "way: [insert, list, read]")
        #expect(cells.count == 12)
        for cell in cells where cell.parameters["way"] == "read" {
            // A request for the person, and with an entity of its own one more for the picture.
            let isApart = cell.parameters["place"] == "apart"
            #expect(cell.values(of: "statements") == [isApart ? 50 : 25], "\(cell.parameters)")
        }
    }

    @Test func `large pictures with external storage are in files of their own`() throws {
        let cells = try run(
            "blobs", "object-graph",
            "rows: 5, kibibytes: 101, place: external, way: [insert, list, read]")
        #expect(cells.count == 3)
    }

    @Test func `items are found and written with any number of indexes`() throws {
        _ = try run(
            "indexes", "object-graph",
            "rows: 200, saveSize: 50, indexCount: [0, 1, 5], way: [find, insert, update]")
    }

    @Test func `notes of a folder are counted wherever the count comes from`() throws {
        let cells = try run(
            "derived", "object-graph",
            "rows: 300, notesPerFolder: 5, source: [objects, fetch, derived, indexed], "
                + "way: [list, filter, insert]")
        #expect(cells.count == 12)
        for cell in cells where cell.parameters["way"] != "insert" {
            // The notes are a second statement.
            let statements = cell.parameters["source"] == "objects" ? 2.0 : 1
            #expect(cell.values(of: "statements") == [statements], "\(cell.parameters)")
        }
    }

    @Test func `words are found with an index and without, and the index takes room`() throws {
        // Some people are named in two texts, once with a word between the names.
        let cells = try run(
            "full-text", "object-graph",
            "rows: 1100, wordsPerNote: 10, saveSize: 500, isIndexed: [true, false], "
                + "way: [word, words, phrase, prefix, insert]")
        #expect(cells.count == 10)
        let bytes = cells.flatMap { $0.values(of: "storeBytes") }
        #expect(bytes.count == 2 && bytes[0] > bytes[1])
    }

    @Test func `rules refuse bad items, and items are saved with them and without`() throws {
        _ = try run(
            "validation", "object-graph",
            "rows: 200, saveSize: 50, rules: [none, bounds, patterns], way: [insert, update]")
    }

    @Test func `only without an inverse a deletion leaves references behind`() throws {
        for cell in try run(
            "inverse", "object-graph",
            "rows: 95, notesPerFolder: 10, hasInverse: [true, false], "
                + "way: [insert, move, read, delete]")
        {
            let references: [Double] =
                switch (cell.parameters["way"], cell.parameters["hasInverse"]) {
                case ("delete", "true"): [0]
                // Folders 2, 4, 6 and 8 of ten notes, and folder 10 of five.
                case ("delete", "false"): [45]
                default: []
                }
            #expect(cell.values(of: "danglingReferences") == references, "\(cell.parameters)")
        }
    }

    @Test func `folders and their notes are deleted in every way`() throws {
        for cell in try run(
            "delete", "object-graph",
            "rows: 95, notesPerFolder: 10, way: [objects, owner, request, owner-request]")
        {
            #expect(cell.samples[0].metrics["time"] != nil)
        }
    }

    // A sanitizer's allocator does not count.
    #if !THREAD_SANITIZER && !ADDRESS_SANITIZER
    @Test func `what is live is the rows that were fetched, and no page cache`() throws {
        let cells = try run(
            "blobs", "object-graph", "rows: 100, kibibytes: 15, place: inline")
        let liveBytes = try #require(cells[0].values(of: "liveMemory").first)
        #expect(liveBytes >= 100 * 15 * 1024)
        #expect(liveBytes < 1.5 * 100 * 15 * 1024)
    }

    @Test func `what is live is the identifiers that were fetched, and no page cache`() throws {
        for cell in try run("faulting", "nested, single", "mode: ids", flights: 2_000) {
            let liveBytes = try #require(cell.values(of: "liveMemory").first)
            #expect(liveBytes >= 2_000 * 16, "\(cell.identifier)")
            #expect(liveBytes < 2_000 * 40, "\(cell.identifier)")
        }
    }
    #endif

    @Test func `whoever adds up, the totals are the same`() throws {
        for cell in try run("aggregates", "nested, single", "way: [objects, dictionaries, sql]") {
            #expect(cell.values(of: "statements") == [1])
        }
    }

    @Test func `records are found or made in every way`() throws {
        let cells = try run(
            "records", "object-graph",
            "rows: 200, saveSize: 50, way: [per-object, in-list, sort-and-walk, insert]")
        let statements = cells.map { $0.values(of: "statements")[0] }
        // A fetch for each record, and one for each save.
        #expect(statements[0] - statements[1] == 200 - 4)
        #expect(statements[2] == statements[1])
    }

    @Test func `a constraint joins records that were inserted twice`() throws {
        _ = try run("records", "object-graph", "rows: 200, way: upsert, isConstrained: true")
    }

    @Test func `a history has each change once and takes room for it`() throws {
        let ways = "[insert, update, delete, batch-insert, batch-update]"
        for cell in try run(
            "history", "object-graph", "rows: 200, history: [off, on], way: \(ways)")
        {
            let bytes = cell.values(of: "bytesPerChange")
            #expect(bytes.isEmpty == (cell.parameters["history"] == "off"), "\(cell.parameters)")
            #expect(bytes.allSatisfy { $0 > 0 }, "\(cell.parameters)")
        }
    }

    @Test func `a history is read with its changes and without them`() throws {
        _ = try run(
            "history", "object-graph",
            "rows: 200, saveSize: 30, way: [read-transactions, read-changes]")
    }

    @Test func `a pinned reader sees one state and keeps the log from starting again`() throws {
        let cells = try run(
            "generations", "object-graph", "rows: 2000, view: [unpinned, pinned]")
        let logBytes = cells.flatMap { $0.values(of: "walFileBytes") }
        #expect(logBytes[0] < logBytes[1])
    }

    @Test func `a fetch below unsaved objects finds what is in the store`() throws {
        _ = try run(
            "pending", "object-graph",
            "rows: 50, pending: [0, 200], includesPendingChanges: [true, false]")
    }

    @Test(arguments: [
        ("elementary", "rows: 50, operation: [insert, save, fetch]"),
        ("inserted", "rows: 50, inserted: 20, way: [inserted-objects, fetch]"),
        ("terms", "rows: 50, form: [text, compound]"),
    ])
    func `ways of one context read and write the same items`(
        kind: String, parameters: String
    ) throws {
        _ = try run(kind, "object-graph", parameters)
    }

    @Test func `a view takes up all changes in each way, whatever share it holds`() throws {
        for cell in try run(
            "merge", "object-graph",
            "rows: 200, way: [merge, read-first, child], registered: [0, 50, 100]")
        {
            #expect(cell.isSound, "\(cell.identifier)")
            guard cell.parameters["way"] == "merge" else { continue }
            let held = Double(cell.parameters["registered"]!)! * 2
            #expect(cell.values(of: "mergedObjects") == [held], "\(cell.identifier)")
        }
    }

    @Test func `only a constraint keeps two importers from making duplicates`() throws {
        let cells = try run(
            "duplicates", "object-graph", "rows: 50, isConstrained: [false, true]")
        #expect(cells.flatMap { $0.values(of: "duplicates") } == [50, 0])
    }

    @Test func `contexts wait for ever only if each waits inside its queue (§4.1.8)`() throws {
        for cell in try run(
            "deadlocks", "object-graph", "arrangement: [nested, siblings], way: [wait, await]")
        {
            #expect(cell.isSound, "\(cell.identifier)")
            let hung = ["save", "fault", "fetch", "merge", "enter", "inside"].filter {
                cell.values(of: "hung.\($0)") == [1]
            }
            #expect(cell.values(of: "hung") == [Double(hung.count)])
            // A sibling waits for a view only where a handler or the program makes it wait.
            let isNested = cell.parameters["arrangement"] == "nested"
            let waiting =
                isNested ? ["save", "fault", "fetch", "merge", "enter"] : ["merge", "enter"]
            #expect(hung == (cell.parameters["way"] == "wait" ? waiting : []), "\(cell.identifier)")
        }
    }

    @Test func `observers notice no merge of faults, and results controllers do`() throws {
        for cell in try run(
            "notices", "object-graph",
            "rows: 200, faults: [0, 50, 100], observer: [context, properties, controller]")
        {
            let faults = Double(cell.parameters["faults"]!)! * 2
            let followsFaults = cell.parameters["observer"] == "controller"
            #expect(cell.isSound, "\(cell.identifier)")
            #expect(cell.values(of: "missed") == [followsFaults ? 0 : faults], "\(cell.identifier)")
        }
    }

    @Test func `only a pinned view reads what others have deleted`() throws {
        for cell in try run(
            "dangling", "object-graph",
            "rows: 205, view: [unpinned, pinned], missing: [deleted, reported]")
        {
            let isPinned = cell.parameters["view"] == "pinned"
            #expect(cell.isSound, "\(cell.identifier)")
            #expect(cell.values(of: "dangling") == [isPinned ? 0 : 102], "\(cell.identifier)")
            #expect(cell.values(of: "stale") == [isPinned ? 102 : 0], "\(cell.identifier)")
        }
    }

    @Test func `a stack shows what another process saves, by history or a refetch`() throws {
        for cell in try run(
            "remote", "isolated-batch, isolated-batch-history, shared", "saves: 20, shown: 10")
        {
            let latencies = cell.samples[0].latencies
            let isNotified = cell.subject == "isolated-batch-history"
            #expect(latencies["shown"]?.count == 20)
            #expect(latencies["notified"]?.count == (isNotified ? 20 : nil))
        }
    }

    @Test func `the main queue beats while every stack imports`() throws {
        for cell in try run("responsiveness", "all-stacks", "readerIntervalMilliseconds: 5") {
            let latencies = try #require(cell.samples.first).latencies
            #expect(try #require(latencies["mainQueue"]).count > 0)
            #expect(try #require(latencies["reader"]).count > 0)
        }
    }

    @Test func `an import in two passes sets the same relationships`() throws {
        _ = try run("responsiveness", "all-stacks", "passes: 2, saveSize: 50")
    }
}
