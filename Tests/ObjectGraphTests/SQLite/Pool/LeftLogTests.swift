import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// What stays beside the file of a store that is opened for reading only.
@Suite struct `Reading a store leaves nothing (§11.4)` {
    let folder = TemporaryFolder()
    var url: URL { folder.url("library.sqlite") }

    init() throws { try close(open(isReadOnly: false, inserting: "Lem")) }

    private func open(
        at url: URL? = nil, isReadOnly: Bool = true, inserting name: String? = nil
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        var description = PersistentStoreDescription.sqlite(at: url ?? self.url)
        description.isReadOnly = isReadOnly
        try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            if let name {
                TestSupport.Author(context: context).name = name
                try context.save()
            }
            #expect(try !TestSupport.Author.all(in: context).isEmpty)
        }
        return coordinator
    }

    private func close(_ coordinator: PersistentStoreCoordinator) throws {
        try coordinator.removePersistentStore(coordinator.persistentStores[0])
    }

    private func files() throws -> [String: Data] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).reduce(into: [:]) {
            $0[$1] = try Data(contentsOf: folder.url($1))
        }
    }

    @Test func `after a store was closed (§11.4.1)`() throws {
        let before = (try files(), FileState(path: url.path))
        #expect(before.0.keys.sorted() == ["library.sqlite"])
        try close(open())
        #expect(try files() == before.0)
        #expect(FileState(path: url.path) == before.1)
    }

    @Test func `after a store was let go (§11.4.1)`() throws {
        let before = try files()
        _ = try open()
        #expect(try files() == before)
    }

    @Test func `through a symbolic link (§11.4.1)`() throws {
        let before = try files()
        let links = TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            at: links.url("link.sqlite"), withDestinationURL: url)
        try close(open(at: links.url("link.sqlite")))
        #expect(try files() == before)
    }

    @Test(arguments: [[0, 1], [1, 0]])
    func `after the last of several readers (§11.4.1)`(_ order: [Int]) throws {
        let before = try files()
        let readers = [try open(), try open()]
        for index in order { try close(readers[index]) }
        #expect(try files() == before)
    }

    @Test(arguments: [false, true])
    func `beside a writer, what it has written stays (§11.4.1)`(readerClosesFirst: Bool) throws {
        let reader = try open()
        let writer = try open(isReadOnly: false, inserting: "Borges")
        for coordinator in readerClosesFirst ? [reader, writer] : [writer, reader] {
            try close(coordinator)
        }
        let context = ManagedObjectContext(.privateQueue, coordinator: try open())
        let names = try context.performAndWait {
            try TestSupport.Author.all(in: context).map(\.name).sorted()
        }
        #expect(names == ["Borges", "Lem"])
    }

    @Test func `beside a WAL that another program has left (§11.4.1)`() throws {
        // The copy of an open store has its WAL and no index.
        let writer = try open(isReadOnly: false, inserting: "Borges")
        let copies = TemporaryFolder()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: url.path + suffix, toPath: copies.path("copy.sqlite\(suffix)"))
        }
        try close(writer)
        func files() throws -> [String: Data] {
            try FileManager.default.contentsOfDirectory(atPath: copies.url.path)
                .reduce(into: [:]) { $0[$1] = try Data(contentsOf: copies.url($1)) }
        }
        let before = try files()
        #expect(before["copy.sqlite-wal"]?.isEmpty == false)
        try close(open(at: copies.url("copy.sqlite")))
        #expect(try files() == before)
    }

    @Test func `an empty WAL that was there stays (§11.4.1)`() throws {
        try Data().write(to: folder.url("library.sqlite-wal"))
        let before = try files()
        try close(open())
        #expect(try files() == before)
    }
}
