import Foundation
import ObjectGraph
import TestSupport
import Testing

// Not formatted, as the guide's other classes.
// swift-format-ignore
extension `Guide` {
    final class Shelf: ManagedObject {
        static let name = Attribute<String>("name")
        static let volumes = ToMany<Volume>("volumes", inverse: Volume.shelf)
        static let count = Attribute<Int>("count", derivation: "volumes.@count")
        static let pages = Attribute<Int>("pages", derivation: "volumes.pages.@sum")
        static let sortName = Attribute<String>("sortName", derivation: "canonical:(name)")
        override class var managedProperties: [any ManagedProperty] {
            [name, volumes, count, pages, sortName]
        }
    }

    final class Volume: ManagedObject {
        static let pages = Attribute<Int>("pages")
        static let shelf = ToOne<Shelf>("shelf")
        static let shelfName = Attribute<String?>("shelfName", derivation: "shelf.name")
        static let changed = Attribute<Date?>("changed", derivation: "now()")
        override class var managedProperties: [any ManagedProperty] {
            [pages, shelf, shelfName, changed]
        }
    }
}

extension `Guide` {
    @Test func `the store computes derived attributes`() throws {
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: [
                EntityDescription(Shelf.self), EntityDescription(Volume.self),
            ]))
        try coordinator.addPersistentStore(.sqlite(at: file))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let shelf = Shelf(context: context)
            shelf[Shelf.name] = "Émile"
            let volume = Volume(context: context)
            volume[Volume.pages] = 300
            volume[Volume.shelf] = shelf
            #expect(shelf[Shelf.count] == 0)

            try context.save()
            context.refresh(shelf, mergeChanges: true)
            let count = shelf[Shelf.count]
            let request = FetchRequest(
                entityName: "Shelf", predicate: try ObjectPredicate("pages > 100"),
                sortKeys: [.ascending("sortName")])
            let thick = try context.fetch(request, as: Shelf.self)

            #expect(count == 1 && thick.map { $0[Shelf.sortName] } == ["emile"])
            context.refresh(volume, mergeChanges: true)
            #expect(volume[Volume.shelfName] == "Émile" && volume[Volume.changed] != nil)
        }
    }
}
