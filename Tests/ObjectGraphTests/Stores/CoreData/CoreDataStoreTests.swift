import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite("Stores of Core Data (§8.7)")
struct CoreDataStoreTests {
    typealias Oddity = CoreDataStore.Oddity

    private static let writable = Oddity.allCases.filter { $0 != .history }

    @Test(arguments: Oddity.allCases)
    func `every value, relationship and order is that of the file (§8.7.1, §8.7.2)`(
        oddity: Oddity
    ) throws {
        let store = try CoreDataStore(oddity)
        if oddity == .externalFiles { try store.makeExternalFile(Data([7, 8])) }
        let context = try store.context()
        try context.performAndWait {
            var expected = try store.content()
            if oddity == .externalFiles { expected["Photo 9.thumbnail"] = "[7, 8]" }
            let found = try context.content()
            #expect(found == expected)
            // Nobody has compared nothing with nothing.
            #expect(found.count > 60)
            #expect(found["asset 1.name"] == (oddity == .log ? "logged" : "one"))
            #expect(found["Photo 3.note"] == "of a photo")
        }
    }

    @Test(arguments: writable)
    func `a store that was written has what was saved and is sound (§8.7.3)`(
        oddity: Oddity
    ) throws {
        let store = try CoreDataStore(oddity)
        if oddity == .externalFiles { try store.makeExternalFile(Data([7, 8])) }
        let schema = try store.dump("SELECT type, name, tbl_name, sql FROM sqlite_schema")
        let context = try store.context()
        let saved = try context.performAndWait {
            try change(context)
            try context.save()
            context.refreshAllObjects()
            return try context.content()
        }
        try context.coordinator.removePersistentStore(context.coordinator.persistentStores[0])
        var plain = try store.content()
        if oddity == .externalFiles { plain["Photo 9.thumbnail"] = "[7, 8]" }
        #expect(saved == plain)
        let again = try store.context()
        let reopened = try again.performAndWait { try again.content() }
        #expect(reopened == saved)
        #expect(saved["Movie 10.note"] == "new movie" && saved["Person 5.favourite"] == "Movie 10")
        #expect(saved["Album 1.assets"] == "1 10 2 9 ")
        #expect(try store.dump("PRAGMA integrity_check") == [["ok"]])
        #expect(try store.dump("SELECT type, name, tbl_name, sql FROM sqlite_schema") == schema)
    }

    /// A change of each kind.
    private func change(_ context: ManagedObjectContext) throws {
        func object(_ entity: String, _ name: String, _ value: Any) throws -> ManagedObject {
            try #require(
                context.all(entity).first { "\(try! $0.value(forKey: name)!)" == "\(value)" })
        }
        let album = try object("Album", "title", "Nørd")
        let photo = try object("Photo", "note", "of a photo")
        let eve = try object("Person", "name", "Eve")
        let bob = try object("Person", "name", "Bob")
        let red = try object("Keyword", "word", "red")
        try album.setValue("Nerd", forKey: "title")
        try photo.setValue("changed", forKey: "note")
        try photo.setValue(Data([1, 2, 3]), forKey: "thumbnail")
        try photo.setValue(-0.5, forKey: "latitude")
        let movie = try context.insert("Movie", ["note": "new movie", "name": "ten", "owner": bob])
        let assets = try #require(try album.value(forKey: "assets") as? [ManagedObject])
        try album.setValue([assets[2], movie, assets[1], assets[0]], forKey: "assets")
        try movie.setValue([red], forKey: "keywords")
        try eve.setValue(movie, forKey: "favourite")
        try bob.setValue([eve], forKey: "friendOf")
        let list = try object("AlbumList", "name", "all")
        let albums = try #require(try list.value(forKey: "albums") as? [ManagedObject])
        try list.setValue(Array(albums.reversed()), forKey: "albums")
        context.delete(try object("Keyword", "word", "blue"))
        context.delete(photo)
        let other = try context.insert("Photo", ["note": "new photo", "thumbnail": Data([9])])
        try other.setValue(2.5, forKey: "longitude")
        try other.setValue(3.5, forKey: "latitude")
    }
}

extension CoreDataStore {
    func context(
        _ model: ManagedObjectModel? = nil,
        _ change: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(model: try model ?? self.model())
        var description = PersistentStoreDescription.sqlite(at: url)
        change(&description)
        try coordinator.addPersistentStore(description)
        return ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    /// The result of a query, each value as text.
    func dump(_ query: String) throws -> [[String]] {
        let connection = try connection()
        let statement = try connection.statement(query)
        var rows: [[String]] = []
        while try statement.step() {
            rows.append((0..<Int32(statement.columnCount)).map { statement.value(at: $0).string })
        }
        return rows
    }

    func execute(_ statements: String) throws {
        let connection = try connection(.readWrite)
        try connection.execute(sql(statements))
        try connection.close()
    }

    func metadata() throws -> [String: Any] {
        let connection = try connection()
        let select = try connection.statement("SELECT Z_PLIST FROM Z_METADATA")
        guard try select.step() else { return [:] }
        let list = try PropertyListSerialization.propertyList(
            from: Data(select.value(at: 0).blob), format: nil)
        return list as? [String: Any] ?? [:]
    }
}
