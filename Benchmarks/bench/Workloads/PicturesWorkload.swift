import Benchmarking
import Foundation
import ObjectGraph

/// Shows the first page of a list of people, without their pictures. Measures what a batch size
/// saves, and what an entity of their own for pictures saves.
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
        // Fetches again: the first fetch fills SQLite's page cache, which is not memory of the
        // list.
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

    /// The numbers of the first people, and the memory of the list after they were read.
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

/// A store of people with one picture each.
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

    /// Names sort in the order of the numbers.
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
            // A picture of 1,024 KiB and its row take a block of 1.25 MiB whose end is never
            // touched. More bytes would then be live than resident.
            WorkloadParameter(
                name: "pictureKibibytes", values: .integer(1...16_384), defaultValue: "1000",
                summary: "KiB of a picture"),
        ],
        run: PicturesWorkload.run)
}
