import Foundation
import ObjectGraph
import Reports
import RunRecords
import TestSupport
import Testing

/// What stores of apps have beside plain values.
@Suite struct `A store of the user's own with unusual values` {
    private let folder = TemporaryFolder()
    private var store: URL { folder.url("App.sqlite") }

    /// Makes notes with photographs in files and tags in archives.
    private func makeNotes(tracksHistory: Bool = false, isPhotoOptional: Bool = true) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Note",
                attributes: [
                    AttributeDescription("number", .integer64),
                    AttributeDescription(
                        "photo", .binaryData, isOptional: isPhotoOptional,
                        allowsExternalStorage: true),
                    AttributeDescription("tags", .transformable),
                ],
                relationships: [
                    .toOne("next", "Note", inverse: "previous"),
                    .toOne("previous", "Note", inverse: "next"),
                ])
        ])
        let coordinator = PersistentStoreCoordinator(model: model)
        var description = PersistentStoreDescription.sqlite(at: store)
        description.tracksHistory = tracksHistory
        let opened = try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            var last: ManagedObject?
            for number in 0..<20 {
                let note = try context.insertObject(entityName: "Note")
                try note.setValue(number, forKey: "number")
                try note.setValue(Data(repeating: 7, count: 200_000), forKey: "photo")
                try note.setValue(["a", "b"], forKey: "tags")
                try note.setValue(last, forKey: "previous")
                last = note
            }
            try context.save()
        }
        try coordinator.removePersistentStore(opened)
    }

    /// Measures the store by the model in it. Every cell has to be verified.
    private func measure() throws -> (run: Run, output: String) {
        let results = RunDirectory(url: folder.url("results"))
        let bench = try BenchProcess([
            "run", "--store", store.path, "--allow-debug", "--quick", "--no-counts", "--output",
            results.url.path,
        ])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        let run = try results.load()
        for workload in run.workloads {
            for cell in workload.cells {
                guard case .verified = cell.verification else {
                    Issue.record("\(workload.name) \(cell.identifier): \(cell.failure ?? "")")
                    continue
                }
            }
        }
        return (run, bench.output)
    }

    @Test func `a few rows without anything to count are timed, with a word on what that shows`()
        throws
    {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(name: "User", attributes: [AttributeDescription("name", .string)])
        ])
        let coordinator = PersistentStoreCoordinator(model: model)
        let opened = try coordinator.addPersistentStore(.sqlite(at: store))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            for number in 0..<12 {
                try context.insertObject(entityName: "User").setValue("\(number)", forKey: "name")
            }
            try context.save()
        }
        try coordinator.removePersistentStore(opened)
        let bench = try BenchProcess([
            "plan", "--store", store.path, "--budget", "1m", "--results", folder.path("none"),
        ])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        let text = bench.output.replacing(/\s+/, with: " ")
        #expect(text.contains("12 rows of 1 entity in"), "\(text)")
        #expect(
            text.contains(
                "There is nothing to count, so times are compared, but work on fewer than 1,000 rows "
                    + "takes no time that anyone would notice."), "\(text)")
    }

    @Test func `a store with a history is opened with it`() throws {
        try makeNotes(tracksHistory: true)
        let run = try measure().run
        #expect(run.workloads.map(\.name).contains("import"))
        #expect(run.workloads.map(\.name).contains("update"))
    }

    @Test func `archives that nothing here can read are copied as they are`() throws {
        try makeNotes()
        try folder.execute("UPDATE ZNOTE SET ZTAGS = x'0102'", on: "App.sqlite")
        let run = try measure().run
        #expect(run.workloads.map(\.name).contains("insert"))
    }

    @Test func `an attribute whose files are missing is left out, and the rest is measured`() throws
    {
        try makeNotes()
        try FileManager.default.removeItem(at: folder.url(".App_SUPPORT"))
        let (run, output) = try measure()
        #expect(run.workloads.map(\.name).contains("import"))
        #expect(
            output.contains("Note → photo is left out: 20 of its values are in files"), "\(output)")
    }

    @Test(arguments: ["", "CREATE INDEX", "CREATE UNIQUE INDEX"])
    func `finding and sorting are measured with any index, also one that the model lacks`(
        sql: String
    ) throws {
        try makeNotes()
        if !sql.isEmpty { try folder.execute("\(sql) own ON ZNOTE (ZNUMBER)", on: "App.sqlite") }
        let (run, output) = try measure()
        for name in ["find", "sort"] {
            let cells = run.workloads.first { $0.name == name }?.cells ?? []
            #expect(
                cells.contains { $0.parameters["by"] == "Note.number" } == !sql.isEmpty, "\(name)")
        }
        #expect(
            output.contains("No index of the store begins with an attribute") == sql.isEmpty,
            "\(output)")
    }

    @Test func `a mandatory attribute whose files are missing takes importing out`() throws {
        try makeNotes(isPhotoOptional: false)
        try FileManager.default.removeItem(at: folder.url(".App_SUPPORT"))
        let (run, output) = try measure()
        #expect(run.workloads.map(\.name).contains("read-store"))
        #expect(!run.workloads.map(\.name).contains("import"))
        #expect(output.contains("Importing is not measured: Note.photo is mandatory"), "\(output)")
    }

    /// Makes books that need pages, and pages that need their book. The chain of chapters has no end:
    /// each needs the next one.
    private func makeBooks(_ count: Int) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Book", attributes: [AttributeDescription("number", .integer64)],
                relationships: [
                    .toMany("pages", "Page", inverse: "book", isOptional: false, minCount: 2)
                ]),
            EntityDescription(
                name: "Page", attributes: [AttributeDescription("number", .integer64)],
                relationships: [.toOne("book", "Book", inverse: "pages", isOptional: false)]),
            EntityDescription(
                name: "Chapter", attributes: [AttributeDescription("number", .integer64)],
                relationships: [
                    .toOne("next", "Chapter", inverse: "previous", isOptional: false),
                    .toOne("previous", "Chapter", inverse: "next"),
                ]),
        ])
        let coordinator = PersistentStoreCoordinator(model: model)
        let opened = try coordinator.addPersistentStore(.sqlite(at: store))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            var chapters: [ManagedObject] = []
            for number in 0..<count {
                let book = try context.insertObject(entityName: "Book")
                try book.setValue(number, forKey: "number")
                for place in 0..<3 {
                    let page = try context.insertObject(entityName: "Page")
                    try page.setValue(place, forKey: "number")
                    try page.setValue(book, forKey: "book")
                }
                let chapter = try context.insertObject(entityName: "Chapter")
                try chapters.last?.setValue(chapter, forKey: "next")
                chapters.append(chapter)
            }
            try chapters.last?.setValue(chapters[0], forKey: "next")
            try context.save()
        }
        try coordinator.removePersistentStore(opened)
    }

    @Test func `rows that cannot be saved alone are imported together`() throws {
        try makeBooks(400)
        let run = try measure().run
        let cells = run.workloads.first { $0.name == "import" }?.cells ?? []
        #expect(!cells.isEmpty)
        for cell in cells {
            guard case .verified(let facts) = cell.verification else { continue }
            // The links: pages to books, and chapters to the next one.
            #expect(facts["rows"] == .integer(5 * 400))
            #expect(facts["links"] == .integer(4 * 400))
        }
    }
}
