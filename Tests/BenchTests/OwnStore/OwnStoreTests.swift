import Foundation
import ObjectGraph
import RunRecords
import TestSupport
import Testing

@Suite struct `A store of the user's own` {
    private let folder = TemporaryFolder()
    private var store: URL { folder.url("App.sqlite") }
    private var results: RunDirectory { RunDirectory(url: folder.url("results")) }

    /// Measures the store with the model beside it.
    private func start(_ options: String...) throws -> BenchProcess {
        let model = folder.url("App.xcdatamodel")
        if !FileManager.default.fileExists(atPath: model.path) {
            try MessagesStore.writeModel(to: model)
        }
        return try BenchProcess(
            [
                "run", "--store", store.path, "--model", model.path, "--allow-debug", "--output",
                results.url.path,
            ] + (options.contains("--budget") ? [] : ["--quick"]) + options)
    }

    /// The content of each file below the test's folder by its path, without the results.
    private func files() throws -> [String: Data] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
        return names.filter { !$0.hasPrefix("results") }.reduce(into: [:]) { files, name in
            files[name] = FileManager.default.contents(atPath: folder.path(name))
        }
    }

    private func texts(of directory: RunDirectory) throws -> [String: String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory.url.path)
        return names.reduce(into: [:]) { texts, name in
            let data = FileManager.default.contents(atPath: directory.url.path + "/" + name)
            texts[name] = data.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test
    func `every cell is verified, the first screen says what is biggest, no result has a value`()
        throws
    {
        try MessagesStore.make(at: store, messageCount: 150)
        let bench = try start()
        #expect(bench.exitCode == 0, "\(bench.errors)")
        let run = try results.load()
        #expect(
            run.dataset?.rowCounts == [
                "Message": 150, "Attachment": 27, "Person": 3, "Business": 3, "Conversation": 3,
            ])
        for cell in run.workloads.flatMap(\.cells) {
            guard case .verified = cell.verification else {
                Issue.record("\(cell.identifier): \(cell.verification) \(cell.failure ?? "")")
                continue
            }
        }
        // Opening is no work: one statement reads the rows, and one those at the other end.
        let walks = run.workloads.first { $0.name == "relationships" }?.cells ?? []
        for cell in walks where cell.parameters["prefetching"] == "yes" {
            #expect(cell.values(of: "statements") == [2], "\(cell.identifier)")
        }
        let forms = run.workloads.first { $0.name == "read-forms" }?.cells ?? []
        let dictionaries = forms.filter { $0.parameters["form"] == "dictionaries" }
        #expect(!dictionaries.isEmpty)
        for cell in dictionaries {
            #expect(cell.values(of: "statements") == [1], "\(cell.identifier)")
        }
        #expect(bench.output.contains("Message is the largest: 150 rows, 81 %"))
        #expect(bench.output.contains("Without rows, so not measured: Draft."))
        #expect(bench.output.contains("Message → attachments"))
        #expect(bench.output.contains("fewer statements"))
        #expect(bench.output.ranges(of: "Does prefetching pay?").count == 1)
        #expect(bench.output.contains("Which fetchBatchSize shows the first 20 of all Message"))
        let lists = run.workloads.first { $0.name == "list" }?.cells ?? []
        // The keys, and each batch of the 150 rows. A batch of 200 would have all of them.
        for (size, statements) in [("none", 1.0), ("20", 9), ("50", 4)] {
            let cell = lists.filter { $0.parameters["shown"] == "all" }
                .first { $0.parameters["fetchBatchSize"] == size }
            #expect(cell?.values(of: "statements") == [statements], "\(size)")
        }
        #expect(lists.count == 6)
        #expect(bench.output.contains("Which fetchBatchSize scrolls through all of them fastest?"))
        #expect(bench.output.contains("If users scroll through all of it, "), "\(bench.output)")
        // Those where prefetching saves the most statements, whatever their links.
        let walk = run.workloads.first { $0.name == "relationships" }
        #expect(
            walk?.questions?.first { $0.id == "time" }?.contests.map(\.label)
                == ["Message → attachments", "Attachment → message", "Contact → sentMessages"])

        var texts = try texts(of: results)
        #expect(texts["report.html"]?.contains("Conversation") == true)
        texts["terminal"] = bench.output + bench.errors
        for (name, text) in texts {
            #expect(!text.contains(MessagesStore.marker), "\(name)")
        }
    }

    @Test func `the store and what is beside it stay as they are, and the run sees its WAL`() throws
    {
        let live = TemporaryFolder()
        try MessagesStore.make(at: live.url("App.sqlite"), messageCount: 50)
        let coordinator = PersistentStoreCoordinator(model: try MessagesStore.model())
        try coordinator.addPersistentStore(.sqlite(at: live.url("App.sqlite")))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            try context.insertObject(entityName: "Draft").setValue("new", forKey: "text")
            try context.save()
        }
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.copyItem(
                atPath: live.path("App.sqlite") + suffix, toPath: store.path + suffix)
        }
        try MessagesStore.writeModel(to: folder.url("App.xcdatamodel"))
        try folder.write("large", to: ".App_SUPPORT/_EXTERNAL_DATA/A")
        let before = try files()
        let bench = try start("--no-counts")
        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(try results.load().dataset?.rowCounts["Draft"] == 1)
        #expect(try files() == before)
        #expect(!FileManager.default.fileExists(atPath: results.url.path + "/store"))
    }

    @Test func `a migrated store is checked under its old names, suffixes and numbers`() throws {
        try MessagesStore.make(at: store, messageCount: 60)
        try folder.execute(
            """
            UPDATE Z_PRIMARYKEY SET Z_NAME = 'Enclosure' WHERE Z_NAME = 'Attachment';
            ALTER TABLE ZATTACHMENT RENAME TO ZENCLOSURE;
            ALTER TABLE ZENCLOSURE RENAME COLUMN ZFILENAME TO ZPATH;
            ALTER TABLE ZMESSAGE RENAME COLUMN ZTEXT TO ZTEXT3;
            ALTER TABLE Z_2CONVERSATIONS RENAME TO Z_31CONVERSATIONS;
            ALTER TABLE Z_31CONVERSATIONS RENAME COLUMN Z_5CONVERSATIONS TO Z_41CONVERSATIONS;
            """, on: "App.sqlite")
        try MessagesStore.writeModel(to: folder.url("App.xcdatamodel"))
        let contents = folder.url("App.xcdatamodel/contents")
        let renamed = try String(contentsOf: contents, encoding: .utf8)
            .replacing(#"name="Attachment""#, with: #"name="Attachment" elementID="Enclosure""#)
            .replacing(#"name="fileName""#, with: #"name="fileName" elementID="path""#)
        try Data(renamed.utf8).write(to: contents)
        let bench = try start("--no-counts")
        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(try results.load().dataset?.rowCounts["Attachment"] == 9)
        #expect(!bench.output.contains("plain SQL could not check"), "\(bench.output)")
    }

    @Test func `redacted results hold no name of the model, and neither path`() throws {
        try MessagesStore.make(at: store, messageCount: 60)
        let bench = try start("--redact", "--no-counts")
        #expect(bench.exitCode == 0, "\(bench.errors)")
        var texts = try texts(of: results)
        #expect(texts["report.html"]?.contains("Entity6 → property") == true)
        texts["terminal"] = bench.output + bench.errors
        for (name, text) in texts {
            for secret in [
                "Conversation", "Attachment", "Person", "sentMessages", "attachments", "sentAt",
                "App.", MessagesStore.marker,
            ] {
                #expect(!text.contains(secret), "\(secret) in \(name)")
            }
        }
        let resumed = try BenchProcess(["run", "--resume", results.url.path, "--allow-debug"])
        #expect(resumed.exitCode == 64)
        #expect(resumed.errors.contains("is redacted"))
    }

    @Test func `an interrupted run goes on with a new copy`() throws {
        try MessagesStore.make(at: store, messageCount: 60)
        let bench = try start("--workload", "read-forms")
        #expect(bench.exitCode == 0, "\(bench.errors)")
        let resumed = try BenchProcess(["run", "--resume", results.url.path, "--allow-debug"])
        #expect(resumed.exitCode == 0, "\(resumed.errors)")
    }

    @Test func `the cheapest questions fit into a small budget, and what is counted always`() throws
    {
        try MessagesStore.make(at: store, messageCount: 60)
        for (budget, isPlanned) in [("10s", false), ("30m", true)] {
            // An unknown name lists the workloads that were planned.
            let bench = try start("--workload", "nothing", "--budget", budget)
            for name in ["relationships", "update"] {
                #expect(bench.errors.contains("\(name), store-"), "\(bench.errors)")
            }
            for name in ["import", "readers"] {
                #expect(bench.errors.contains("\(name), store-") == isPlanned, "\(bench.errors)")
            }
            #expect(bench.exitCode == 64)
            #expect(!FileManager.default.fileExists(atPath: results.url.path))
        }
    }

    @Test func `a question that is asked is planned, and others are not told to be left out`()
        throws
    {
        try MessagesStore.make(at: store, messageCount: 1_200)
        func plan(_ options: String...) throws -> BenchProcess {
            try BenchProcess(
                [
                    "plan", "--store", store.path, "--results", folder.path("none"), "--budget",
                    "10s",
                ] + options)
        }
        #expect(try plan().output.contains("Left out for lack of time: "))
        let asked = try plan("--question", "import.rows")
        #expect(asked.exitCode == 0, "\(asked.errors)")
        #expect(asked.output.contains("\nimport"), "\(asked.output)")
        #expect(!asked.output.contains("Left out for lack of time"), "\(asked.output)")
        let both = try plan("--question", "update.time", "--question", "import.rows")
        #expect(both.exitCode == 64)
        #expect(
            both.errors.contains("--question import.rows: the budget leaves it out"),
            "\(both.errors)")
        let unknown = try plan("--question", "import.row")
        #expect(unknown.errors.contains("did you mean \"import.rows\"?"), "\(unknown.errors)")
        #expect(unknown.errors.contains("update.time"))
    }

    @Test func `what does not fit into the budget is named in one sentence`() throws {
        try MessagesStore.make(at: store, messageCount: 1_200)
        let bench = try BenchProcess([
            "plan", "--store", store.path, "--budget", "10s", "--results", folder.path("none"),
        ])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        let text = bench.output.replacing(/\s+/, with: " ")
        #expect(text.ranges(of: "- Left out for lack of time: ").count == 1, "\(text)")
        for name in ["(import, about", "(readers, about 51 seconds for 16 rounds of 8 cells)"] {
            #expect(text.contains(name), "\(text)")
        }
    }

    @Test func `a store with few rows is counted, and timed only by name`() throws {
        try MessagesStore.make(at: store, messageCount: 60)
        func plan(_ options: String...) throws -> String {
            let bench = try BenchProcess(
                ["plan", "--store", store.path, "--results", folder.path("none")] + options)
            #expect(bench.exitCode == 0, "\(bench.errors)")
            return bench.output.replacing(/\s+/, with: " ")
        }
        let all = try plan()
        #expect(
            all.contains(
                "Not timed, because work on fewer than 1,000 rows takes no time that anyone would "
                    + "notice: import, readers, read-store, list, relationships, read-forms, update, "
                    + "delete, insert, find and sort."), "\(all)")
        #expect(all.contains("2 questions, 2 of them about counts."), "\(all)")
        // Saves of 100 and of 1,000 rows would be the same.
        let insert = try plan("--workload", "insert", "--rounds", "1")
        #expect(insert.contains("shared/pooled/saveSize=10 "), "\(insert)")
        #expect(insert.contains("shared/pooled/saveSize=100 "), "\(insert)")
        #expect(!insert.contains("saveSize=1000"), "\(insert)")
    }

    @Test func `a plan says what is in the store, and leaves nothing behind`() throws {
        try MessagesStore.make(at: store, messageCount: 1_200)
        let before = try files()
        let bench = try BenchProcess([
            "plan", "--store", store.path, "--results", folder.path("none"),
        ])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(bench.output.contains("Message is the largest: 1,200 rows"), "\(bench.output)")
        #expect(bench.output.contains("\nimport "))
        #expect(try files() == before)
    }

    // MARK: Bad input

    /// A refused run leaves neither results nor a copy.
    private func expectRefusal(_ bench: BenchProcess, _ reason: String) {
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains(reason), "\(bench.errors)")
        #expect(!FileManager.default.fileExists(atPath: results.url.path))
    }

    @Test func `a file that is missing, a folder, a text and a plain database are refused`() throws
    {
        expectRefusal(try start(), "there is no such file")
        try FileManager.default.createDirectory(at: store, withIntermediateDirectories: false)
        expectRefusal(try start(), "this is a folder")
        try FileManager.default.removeItem(at: store)
        try folder.write("no database", to: "App.sqlite")
        expectRefusal(try start(), "not a database")
        try Data().write(to: store)
        expectRefusal(try start(), "App.sqlite")
    }

    @Test func `a store that another process has open is refused`() throws {
        try MessagesStore.make(at: store, messageCount: 10)
        let coordinator = PersistentStoreCoordinator(model: try MessagesStore.model())
        try coordinator.addPersistentStore(.sqlite(at: store))
        expectRefusal(try start(), "another program has the store open")
        withExtendedLifetime(coordinator) {}
    }

    @Test func `a store without rows is refused`() throws {
        try MessagesStore.make(at: store, messageCount: 1)
        let coordinator = PersistentStoreCoordinator(model: try MessagesStore.model())
        let open = try coordinator.addPersistentStore(.sqlite(at: store))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            for entity in ["Message", "Conversation", "Person", "Business", "Attachment"] {
                for object in try context.fetch(
                    FetchRequest(entityName: entity), as: ManagedObject.self)
                {
                    context.delete(object)
                }
            }
            try context.save()
        }
        try coordinator.removePersistentStore(open)
        expectRefusal(try start(), "the store has no rows")
    }

    @Test func `models of abstract entities, other models and files that are none are refused`()
        throws
    {
        try MessagesStore.make(at: store, messageCount: 10)
        let contents = folder.url("App.xcdatamodel/contents")
        for (model, reason) in [
            ("<model><entity name='Thing' isAbstract='YES'/></model>", "all are abstract"),
            (
                "<model><entity name='Message'/></model>",
                "Leave out --model: the store holds its own"
            ),
            ("<model><entity", "contents"),
        ] {
            try FileManager.default.createDirectory(
                at: contents.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(model.utf8).write(to: contents)
            expectRefusal(try start(), reason)
        }
    }

    @Test func `options that do not go together are refused`() throws {
        let bench = try BenchProcess(["run", "--model", "App.xcdatamodel"])
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("need --store"))
        try MessagesStore.make(at: store, messageCount: 10)
        expectRefusal(try start("shootout.yml"), "--store takes no workload files")
    }
}
