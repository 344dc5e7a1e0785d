import Foundation
import TestSupport

@testable import ObjectGraph

extension StoreFixture {
    /// Saves things, each `group rank`, numbered from 0.
    func saveThings(_ things: String...) throws {
        try run { context in
            for (number, thing) in things.enumerated() {
                try context.insertThing(thing, number: number)
            }
            try context.save()
        }
    }
}

extension ManagedObjectContext {
    @discardableResult
    func insertThing(_ text: String, number: Int) throws -> ManagedObject {
        let parts = text.split(separator: " ")
        return try insert(
            "Thing", ["group": String(parts[0]), "rank": Int(parts[1])!, "number": number])
    }

    /// The thing with a number.
    func thing(_ number: Int) throws -> ManagedObject {
        let request = FetchRequest(
            entityName: "Thing", predicate: try ObjectPredicate("number == %@", number))
        return try fetch(request, as: ManagedObject.self)[0]
    }

    /// All things by number. Fetching them ends the event.
    func things() throws -> [ManagedObject] { try all("Thing", by: "number") }

    /// A controller of shown things by group and rank.
    func controller(
        sections: Bool = true, batchSize: Int = 0, cacheName: String? = nil,
        folder: URL = FetchedResultsController<ManagedObject>.defaultCacheFolder
    ) throws -> FetchedResultsController<ManagedObject> {
        var request = FetchRequest(
            entityName: "Thing", predicate: try ObjectPredicate("isShown == YES"),
            sortKeys: (sections ? ["group"] : []).map { SortKey.ascending($0) }
                + [.ascending("rank"), .ascending("number")])
        request.fetchBatchSize = batchSize
        return FetchedResultsController(
            request, in: self, sectionedBy: sections ? .keyPath("group") : nil,
            cacheName: cacheName, cacheFolder: folder)
    }

    /// A fetched controller with a delegate.
    func followed(
        by mirror: some ResultMirror, sections: Bool = true, batchSize: Int = 0
    ) throws -> FetchedResultsController<ManagedObject> {
        let controller = try controller(sections: sections, batchSize: batchSize)
        controller.delegate = mirror
        try controller.performFetch()
        mirror.restart(controller)
        return controller
    }
}

extension FetchedResultsController<ManagedObject> {
    /// `a: 0 1, b: 2`, the numbers of the objects of each section.
    var text: String {
        (sections ?? []).map { section in
            "\(section.name): "
                + section.objects.map { $0.attribute("number") }.joined(separator: " ")
        }.joined(separator: ", ")
    }
}
