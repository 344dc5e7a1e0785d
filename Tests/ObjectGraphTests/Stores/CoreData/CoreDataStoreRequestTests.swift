import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Every kind of request, on a file that numbers and names as the engine would, and on one that
/// does not.
@Suite("Requests on stores of Core Data (§8.7)")
struct CoreDataStoreRequestTests {
    typealias Oddity = CoreDataStore.Oddity

    static let oddities: [Oddity] = [.none, .staleNames, .numberedNames, .suffixes]

    struct Question: Sendable, CustomTestStringConvertible {
        let entity: String
        let predicate: String
        let keys: [Int64]
        var testDescription: String { "\(entity): \(predicate)" }

        init(_ entity: String, _ predicate: String, _ keys: Int64...) {
            (self.entity, self.predicate, self.keys) = (entity, predicate, keys)
        }
    }

    @Test(
        arguments: oddities,
        [
            Question("asset", "TRUEPREDICATE", 1, 2, 3, 9),
            Question("Movie", "TRUEPREDICATE", 2),
            Question("Photo", "note BEGINSWITH 'of a'", 3, 9),
            Question("Photo", "entity.name = 'Photo'", 3, 9),
            Question("asset", "entity.name = 'Movie'", 2),
            Question("Person", "favourite.name = 'three'", 1),
            Question("Person", "favourite.entity.name = 'Movie'", 2),
            Question("asset", "ANY fans.name = 'Bob'", 2),
            Question("asset", "keywords.@count > 1", 3),
            Question("asset", "SUBQUERY(keywords, $k, $k.word = 'blue').@count = 1", 3, 9),
            Question("Person", "ANY friends.name = 'Eve'", 1, 2),
            Question("Person", "ANY friendOf.name = 'Eve'", 1),
            Question("Album", "ANY lists.name = 'few'", 1, 2),
            Question("AlbumList", "ANY albums.rating < 0", 1),
            Question("asset", "album.title = 'Nørd' AND owner = nil", 1),
        ])
    func `predicates find what the file has (§8.7.2)`(oddity: Oddity, question: Question) throws {
        let store = try CoreDataStore(oddity)
        let context = try store.context()
        try context.performAndWait {
            let request = FetchRequest(
                entityName: question.entity, predicate: try ObjectPredicate(question.predicate))
            let objects = try context.fetch(request, as: ManagedObject.self)
            #expect(objects.map(\.objectID.reference).sorted() == question.keys)
            #expect(try context.count(for: request) == question.keys.count)
            #expect(
                try context.fetchObjectIDs(request).map(\.reference).sorted() == question.keys)
        }
    }

    @Test(arguments: oddities)
    func `identifiers have the entity of the file (§8.7.2)`(oddity: Oddity) throws {
        let store = try CoreDataStore(oddity)
        let context = try store.context()
        try context.performAndWait {
            let identifiers = try context.fetchObjectIDs(FetchRequest(entityName: "asset"))
            #expect(
                Set(identifiers.map { "\($0.entityName) \($0.reference)" })
                    == ["asset 1", "Movie 2", "Photo 3", "Photo 9"])
            var request = FetchRequest(entityName: "Person", sortKeys: [.ascending("name")])
            request.propertiesToFetch = [
                FetchedProperty(
                    name: "favourite", expression: .keyPath("favourite"), resultType: .objectID),
                FetchedProperty(
                    name: "kind", expression: .keyPath("favourite.entity.name")),
            ]
            let rows = try context.fetchDictionaries(request)
            #expect(rows.map { $0["kind"] } == [.string("Photo"), .string("Movie"), nil])
            let entities = rows.map { row -> String? in
                if case .objectID(let id)? = row["favourite"] { id.entityName } else { nil }
            }
            #expect(entities == ["Photo", "Movie", nil])
            var prefetching = FetchRequest(entityName: "Person", sortKeys: [.ascending("name")])
            prefetching.relationshipKeyPathsForPrefetching = ["favourite", "assets", "friends"]
            let people = try context.fetch(prefetching, as: ManagedObject.self)
            let favourite = try #require(
                try people[0].value(forKey: "favourite") as? ManagedObject)
            #expect(favourite.objectID.entityName == "Photo")
            #expect(try favourite.value(forKey: "note") as? String == "of a photo")
        }
    }

    @Test(arguments: oddities)
    func `batch requests write what the file has (§8.7.3)`(oddity: Oddity) throws {
        let store = try CoreDataStore(oddity)
        let context = try store.context()
        try context.performAndWait {
            try context.execute(
                BatchInsertRequest(entityName: "Movie", objects: [["note": .string("batch")]]))
            let update = BatchUpdateRequest(
                entityName: "Photo", predicate: nil,
                propertiesToUpdate: ["note": .constant(.string("all"))])
            #expect(try context.execute(update).count == 2)
            let movies = FetchRequest(
                entityName: "Movie", predicate: try ObjectPredicate("note = 'of a movie'"))
            let deletion = try context.execute(
                BatchDeleteRequest(fetchRequest: movies), resultType: .objectIDs)
            #expect(deletion.objectIDs.map(\.entityName) == ["Movie"])
        }
        let content = try store.content()
        #expect(content["Movie 10.note"] == "batch" && content["Movie 10.name"] == nil)
        #expect(content["Photo 3.note"] == "all" && content["Photo 9.note"] == "all")
        #expect(content["Movie 2"] == nil && content["Person 2"] != nil)
        #expect(content["Person 2.favourite"] == nil && content["Person 1.favourite"] == "Photo 3")
        let again = try store.context()
        let found = try again.performAndWait { try again.content() }
        #expect(found == content)
    }

    @Test func `a batch request on a store that is only read is refused (§8.7.8)`() throws {
        let store = try CoreDataStore(.history)
        let context = try store.context()
        let update = BatchUpdateRequest(
            entityName: "Photo", predicate: nil,
            propertiesToUpdate: ["note": .constant(.string("all"))])
        let error = #expect(throws: StoreError.self) {
            try context.performAndWait { _ = try context.execute(update) }
        }
        #expect(error?.reason == .hasHistory)
    }
}
