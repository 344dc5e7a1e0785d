import Benchmarking
import Foundation
import ObjectGraph

/// The first screen of a list of people whose pictures it does not show: what a batch size spares, and what it spares to keep
/// pictures in an entity of their own.
enum PicturesWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let rowCount = context.integer("rows")
        let pictureBytes = context.integer("pictureKibibytes") * 1024
        let keepsApart = context.text("pictures") == "apart"
        try context.placeStore(isWritten: false)
        let coordinator = try context.openCoordinator(model(keepsApart: keepsApart))
        let view = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        var request = FetchRequest(entityName: "Person", sortKeys: [.ascending("name")])
        request.fetchBatchSize = context.integer("fetchBatchSize")
        request.returnsObjectsAsFaults = false
        var numbers: [Int] = []
        coordinator.resetCounters()
        var sample = try context.measure(nil, rowCount: pageRowCount) {
            numbers = try show(request, in: view).numbers
        }
        sample.counters = ["statements": coordinator.counters.statements]
        // Once more, since the first time fills SQLite's page cache, which is no part of what the list keeps.
        view.performAndWait { view.reset() }
        sample[.liveMemory] = Double(try show(request, in: view).liveBytes)
        try coordinator.removePersistentStores()

        let store = try StoreReader(context.storeURL)
        let found = try store.integers(
            "SELECT COUNT(*), SUM(length(ZPICTURE)) FROM \(keepsApart ? "ZPORTRAIT" : "ZPERSON")")
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("pictures", found[0], equals: rowCount)
        verifier.check("bytes of pictures", found[1], equals: rowCount * pictureBytes)
        verifier.check("people shown", numbers.count, equals: min(pageRowCount, rowCount))
        verifier.check(
            "their numbers", numbers.reduce(0, +), equals: (0..<numbers.count).reduce(0, +))
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    fileprivate static let pageRowCount = 20

    /// The numbers of the first people, and what the list keeps in memory when these are shown.
    private static func show(
        _ list: FetchRequest, in view: ManagedObjectContext
    ) throws -> (numbers: [Int], liveBytes: Int) {
        try view.performAndWait {
            let before = Allocator.liveBytes()
            let people = try view.fetch(list, as: Person.self)
            return withExtendedLifetime(people) {
                let numbers = people.prefix(pageRowCount).map(\.number)
                return (numbers, Allocator.liveBytes() - before)
            }
        }
    }

    fileprivate static func model(keepsApart: Bool) throws -> ManagedObjectModel {
        let picture = AttributeDescription("picture", .binaryData, isOptional: false)
        let person = EntityDescription(
            name: "Person", managedObjectClass: Person.self,
            attributes: [AttributeDescription("name", .string, isOptional: false)]
                + (keepsApart ? [] : [picture]),
            relationships: keepsApart
                ? [.toOne("portrait", "Portrait", inverse: "person", deleteRule: .cascade)] : [],
            indexes: [FetchIndexDescription("byName", on: "name")])
        let portrait = EntityDescription(
            name: "Portrait", attributes: [picture],
            relationships: [.toOne("person", "Person", inverse: "portrait")])
        return try ManagedObjectModel(entities: keepsApart ? [person, portrait] : [person])
    }
}

/// People with a picture each.
private struct PeopleStore: SampleStore {
    var rowCount: Int
    var pictureBytes: Int
    var keepsApart: Bool

    func make(in context: WorkerContext) throws -> [String: Int64] {
        let coordinator = try context.openCoordinator(
            PicturesWorkload.model(keepsApart: keepsApart))
        let people = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try people.performAndWait {
            for number in 0..<rowCount {
                let person = Person(context: people)
                person.number = number
                var owner: ManagedObject = person
                if keepsApart {
                    owner = try people.insertObject(entityName: "Portrait")
                    try person.setValue(owner, forKey: "portrait")
                }
                try owner.setValue(
                    Data(repeating: UInt8(truncatingIfNeeded: number), count: pictureBytes),
                    forKey: "picture")
                if number % PicturesWorkload.pageRowCount == PicturesWorkload.pageRowCount - 1 {
                    try people.save()
                    people.reset()
                }
            }
            try people.save()
        }
        try coordinator.removePersistentStores()
        return [:]
    }
}

private final class Person: ManagedObject {
    private static let name = Attribute<String>("name")

    /// Names sort as their numbers do.
    var number: Int {
        get { Int(self[Self.name].dropFirst(2)).map { $0 - 100_000 } ?? -1 }
        set { self[Self.name] = "P-\(100_000 + newValue)" }
    }
}

extension WorkloadKind {
    static let pictures = WorkloadKind(
        name: "pictures", summary: "show the first names of a list of people who have pictures",
        subjects: [.engine], usesDataset: false,
        store: { context in
            PeopleStore(
                rowCount: context.integer("rows"),
                pictureBytes: context.integer("pictureKibibytes") * 1024,
                keepsApart: context.text("pictures") == "apart")
        },
        parameters: [
            WorkloadParameter(
                name: "pictures", values: .choice(["inline", "apart"]), defaultValue: "inline",
                summary: "an attribute of the person, or in an entity of their own"),
            WorkloadParameter(
                name: "fetchBatchSize", values: .integer(0...100_000), defaultValue: "0",
                summary: "people loaded at a time; 0 means all at once"),
            WorkloadParameter(
                name: "rows", values: .integer(1...100_000), defaultValue: "505",
                summary: "people"),
            // One of 1,024 takes, with its row, a block of 1.25 MiB whose end is never touched: more would be live than was ever
            // resident.
            WorkloadParameter(
                name: "pictureKibibytes", values: .integer(1...16_384), defaultValue: "1000",
                summary: "KiB of a picture"),
        ],
        run: PicturesWorkload.run)
}
