import Foundation
import ObjectGraph
import TestSupport
import Testing

@Suite struct `bench model` {
    private let folder = TemporaryFolder()
    private let file: URL

    init() throws {
        file = try folder.writeModel(
            """
            <entity name="Work" isAbstract="YES">
                <attribute name="title" attributeType="String" minValueString="1"/>
            </entity>
            <entity name="Book" representedClassName="Library.Book" parentEntity="Work" \
            elementID="Tome">
                <attribute name="pages" optional="YES" attributeType="Integer 32" \
            defaultValueString="7"/>
                <relationship name="authors" optional="YES" toMany="YES" ordered="YES" \
            deletionRule="Cascade" destinationEntity="Author" inverseName="book" \
            inverseEntity="Author"/>
                <uniquenessConstraints><uniquenessConstraint><constraint value="pages"/>\
            </uniquenessConstraint></uniquenessConstraints>
            </entity>
            <entity name="Author">
                <relationship name="book" maxCount="1" deletionRule="Deny" \
            destinationEntity="Book" inverseName="authors" inverseEntity="Book"/>
            </entity>
            """)
    }

    @Test func `a model is printed as aligned tables`() throws {
        let bench = try BenchProcess(["model", file.path])
        #expect(bench.exitCode == 0)
        #expect(
            bench.output == """
                3 entities

                entity  parent  class         attributes  relationships
                Author                        0           1
                Book    Work    Library.Book  1           1
                Work                          1           0

                Author
                  book  to one Book  mandatory, inverse authors, deny on delete

                Book: Work, was Tome
                  pages     integer32       default 7
                  authors   to many Author  ordered, inverse book, cascade on delete
                  (unique)  pages

                Work, abstract
                  title  string  mandatory, length >= 1

                """)
    }

    @Test func `only a command that uses defaults warns of one, and says what to do`() throws {
        let (store, file) = (folder.path("App.sqlite"), folder.url("App.xcdatamodel"))
        try MessagesStore.make(at: folder.url("App.sqlite"), messageCount: 1)
        try MessagesStore.writeModel(to: file)
        let contents = file.appending(path: "contents")
        let text = try String(contentsOf: contents, encoding: .utf8)
            .replacing(#"name="number""#, with: #"name="number" defaultValueString="many""#)
        try Data(text.utf8).write(to: contents)

        let model = try BenchProcess(["model", file.path])
        let schema = try BenchProcess(["schema", store, "--model", file.path])

        #expect(
            model.errors.contains(
                "Message.number: the default 'many' cannot be read as the attribute's type"))
        #expect(model.errors.contains("set the value in awakeFromInsert()"), "\(model.errors)")
        #expect(schema.exitCode == 0, "\(schema.errors)")
        #expect(schema.errors.isEmpty, "\(schema.errors)")
    }

    @Test func `a migration is printed before it is made`() throws {
        let folders = [TemporaryFolder(), TemporaryFolder()]
        defer { withExtendedLifetime(folders) {} }
        func earlier(_ attribute: String, in folder: TemporaryFolder) throws -> URL {
            try folder.writeModel(
                """
                <entity name="Work" isAbstract="YES">
                    <attribute name="title" attributeType="String" minValueString="1"/>
                </entity>
                <entity name="Tome" parentEntity="Work">\(attribute)</entity>
                """)
        }
        let tome = try earlier(
            #"<attribute name="weight" optional="YES" attributeType="Double"/>"#, in: folders[0])
        let bench = try BenchProcess(["model", file.path, "--since", tome.path])
        #expect(bench.exitCode == 0)
        #expect(
            bench.output == """
                The time grows with the rows of ZWORK.

                table    what    work
                ZWORK    Book    rebuilt, every row is copied; 2 indexes are made again
                ZAUTHOR  Author  new

                Author: new

                Book, was Tome
                  pages    new
                  authors  new
                  weight   removed, with its values

                As before: Work

                """)
        let other = try earlier(
            #"<attribute name="pages" optional="YES" attributeType="String"/>"#, in: folders[1])
        let refused = try BenchProcess(["model", file.path, "--since", other.path])
        #expect(refused.exitCode == 64)
        #expect(
            refused.errors.contains(
                "\n  'Book.pages' was of type string and is of type integer32"))
    }

    @Test func `a migration of a store is printed with its rows`() throws {
        let store = folder.url("Library.sqlite")
        try makeLibraryStore(at: store)
        let before = try Data(contentsOf: store)
        let later = folder.url("Later.xcdatamodel")
        try FileManager.default.createDirectory(at: later, withIntermediateDirectories: true)
        let contents = try makeLibraryModel().xcdatamodelContents()
        let added = contents.replacing(
            #"name="birthYear""#,
            with:
                #"name="deathYear" optional="YES" attributeType="Integer 32"/><attribute name="birthYear""#
        )
        try Data(added.utf8).write(to: later.appending(path: "contents"))
        let bench = try BenchProcess(["model", later.path, "--since", store.path])

        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(bench.output.contains(/ZAUTHOR +Author +altered, no row is touched +1 +\d/))
        #expect(bench.output.contains("tables stay as before."))
        #expect(try Data(contentsOf: store) == before)
        #expect(!FileManager.default.fileExists(atPath: store.path + "-shm"))

        let missing = try BenchProcess(["model", later.path, "--store", store.path])
        #expect(missing.exitCode == 64)
    }

    @Test func `the model of a store is printed with its rows`() throws {
        let store = folder.url("Library.sqlite")
        try makeLibraryStore(at: store)
        let before = try Data(contentsOf: store)
        let bench = try BenchProcess(["model", store.path])

        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(bench.output.hasPrefix("6 entities, 3 rows, "), "\(bench.output)")
        #expect(bench.output.contains(/Book +Publication .* 2\n/))
        #expect(bench.output.contains(/Publication .* abstract\n/))
        #expect(try Data(contentsOf: store) == before)
    }

    @Test func `XML and Swift source make an equal model`() throws {
        let xml = try BenchProcess(["model", file.path, "--as", "xcdatamodel"])
        #expect(
            xml.output == (try ManagedObjectModel(contentsOf: file).xcdatamodelContents()) + "\n")

        let source = try BenchProcess(["model", file.path, "--as", "swift"])
        try Data(source.output.utf8).write(to: folder.url("Model.swift"))
        #expect(source.output.contains("static func library() throws -> ManagedObjectModel"))
        let compiler = try BenchProcess(
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors",
                "-parse-as-library", "-I",
                BenchProcess.executable.deletingLastPathComponent().path + "/Modules",
                "-Xcc", "-fmodule-map-file=Sources/CSQLite/module.modulemap",
                "-Xcc", "-fmodule-map-file=Sources/CZlib/module.modulemap",
                folder.path("Model.swift"),
            ], executable: URL(filePath: "/usr/bin/env"))
        #expect(compiler.exitCode == 0, "\(compiler.errors)")
    }

    @Test func `what is no model ends with 64`() throws {
        let missing = try BenchProcess(["model", folder.path("none.xcdatamodel")])
        #expect(missing.exitCode == 64 && missing.errors.contains("There is no such file"))

        try Data("text".utf8).write(to: folder.url("text"))
        #expect(try BenchProcess(["model", folder.path("text")]).exitCode == 64)

        try Data("SQLite format 3\0".utf8).write(to: folder.url("cut.sqlite"))
        #expect(try BenchProcess(["model", folder.path("cut.sqlite")]).exitCode == 64)
    }
}

@Suite struct `bench schema` {
    private let folder = TemporaryFolder()
    private let store: URL
    private let model: URL

    init() throws {
        store = folder.url("Library.sqlite")
        try makeLibraryStore(at: store)
        model = folder.url("Library.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try write(try makeLibraryModel().xcdatamodelContents())
    }

    private func write(_ contents: String) throws {
        try Data(contents.utf8).write(to: model.appending(path: "contents"))
    }

    /// Changes the model file.
    private func replace(_ old: String, _ new: String) throws {
        let text = try String(contentsOf: model.appending(path: "contents"), encoding: .utf8)
        #expect(text.contains(old), "\(text)")
        try write(text.replacing(old, with: new))
    }

    private func schema(_ options: String...) throws -> BenchProcess {
        try BenchProcess(["schema", store.path, "--model", model.path] + options)
    }

    @Test func `a store has the model that it was made with`() throws {
        let bench = try schema()
        #expect(bench.exitCode == 0, "\(bench.output)\(bench.errors)")
        #expect(bench.output == "The store has the model: nothing differs.\n")

        let own = try BenchProcess(["schema", store.path])
        #expect(own.exitCode == 0)
        #expect(own.output == "The tables hold the store's model.\n")
    }

    @Test func `a rule and a default need no migration`() throws {
        try replace(
            #"name="birthYear" optional="YES" attributeType="Integer 32""#,
            #"name="birthYear" optional="YES" attributeType="Integer 32" minValueString="1000""#)
        let bench = try schema()
        #expect(bench.exitCode == 16)
        #expect(bench.output.hasPrefix("1 difference. The store opens with the model"))
        #expect(bench.output.contains(/Author\.birthYear +rule +– +SELF >= 1000/))
    }

    @Test func `what is missing, added, renamed or of another type is listed`() throws {
        try replace(
            #"name="pageCount" optional="YES" attributeType="Integer 32""#,
            #"name="pages" optional="YES" attributeType="Integer 64" elementID="pageCount""#)
        try replace(
            #"<attribute name="birthYear" optional="YES" attributeType="Integer 32"/>"#,
            #"<attribute name="born" attributeType="Date"/>"#)
        try replace("</model>", #"<entity name="Shelf"/></model>"#)
        let bench = try schema()

        #expect(bench.exitCode == 16)
        #expect(bench.output.contains("The store needs a migration to open with the model: "))
        #expect(bench.output.contains(/Author\.birthYear +property +birthYear +–/))
        #expect(bench.output.contains(/Author\.born +property +– +born/))
        #expect(bench.output.contains(/Book\.pages +property +pageCount +pages/))
        #expect(bench.output.contains(/Book\.pages +type +integer32 +integer64/))
        #expect(bench.output.contains(/Shelf +entity +– +Shelf/))
        #expect(try schema("--markdown").output.contains(/\| Shelf +\| entity +\| – +\| Shelf +\|/))
    }

    @Test func `tables without a column do not hold the model`() throws {
        try folder.execute(
            "ALTER TABLE ZAUTHOR DROP COLUMN ZBIRTHYEAR", on: store.lastPathComponent)
        let bench = try BenchProcess(["schema", store.path])
        #expect(bench.exitCode == 16)
        #expect(bench.errors.contains("ZBIRTHYEAR"), "\(bench.errors)")
    }

    @Test func `the first argument is a store`() throws {
        let bench = try BenchProcess(["schema", model.path])
        #expect(bench.exitCode == 64 && bench.errors.contains("is not a store"))
    }
}

extension TemporaryFolder {
    /// Writes `Library.xcdatamodel` with the given entities.
    func writeModel(_ entities: String) throws -> URL {
        let folder = url("Library.xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("<?xml version=\"1.0\"?>\n<model>\n\(entities)\n</model>".utf8)
            .write(to: folder.appending(path: "contents"))
        return folder
    }
}

/// Makes a store with an author and two books.
func makeLibraryStore(at url: URL) throws {
    let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
    let store = try coordinator.addPersistentStore(.sqlite(at: url))
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    try context.performAndWait {
        let author = Author(context: context)
        author.name = "Ursula K. Le Guin"
        for title in ["The Dispossessed", "Lavinia"] {
            let book = Book(context: context)
            book.title = title
            book.author = author
        }
        try context.save()
    }
    try coordinator.removePersistentStore(store)
}
