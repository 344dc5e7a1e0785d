#if PostgreSQL
import Foundation
import ObjectGraph

/// What all writers change, and what each has done. A save adds 1 to `changedCountPerSave` counters,
/// in any order, and inserts an entry. So the sum of the counters is that many times the number of
/// entries, unless an update was lost.
enum Ledger {
    static let counterCount = 8
    static let changedCountPerSave = 3

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(Counter.self, uniquenessConstraints: [["number"]]),
            EntityDescription(Entry.self, uniquenessConstraints: [["writer", "number"]]),
        ])
    }

    static func makeCounters(in context: ManagedObjectContext) throws {
        for number in 0..<counterCount {
            let counter = Counter(context: context)
            counter[Counter.number] = Int64(number)
            counter[Counter.value] = 0
        }
        try context.save()
    }

    /// The number of the last entry of a writer; 0 if there is none.
    static func lastEntry(of writer: Int, in context: ManagedObjectContext) throws -> Int64 {
        var request = FetchRequest(
            entityName: "Entry", predicate: try ObjectPredicate("writer == %ld", writer),
            sortKeys: [.descending("number")])
        request.fetchLimit = 1
        return try context.fetch(request, as: Entry.self).first.map { $0[Entry.number] } ?? 0
    }

    /// Makes the changes of one save, from the newest state.
    ///
    /// - Parameter counters: The numbers of counters, each once.
    static func write(
        _ number: Int64, of writer: Int, to counters: [Int64], in context: ManagedObjectContext
    ) throws {
        context.reset()
        for (position, counter) in counters.enumerated() {
            guard
                let counter = try Counter.findFirst(
                    in: context, where: try ObjectPredicate("number == %ld", counter))
            else { throw CampaignFailure("a counter is missing") }
            counter[Counter.value] += 1
            // An update of other columns is a statement of its own.
            if position > 0 { counter[Counter.writer] = Int64(writer) }
        }
        let entry = Entry(context: context)
        entry[Entry.writer] = Int64(writer)
        entry[Entry.number] = number
    }

    /// The sum of all counters.
    static func sum(in context: ManagedObjectContext) throws -> Int64 {
        try Counter.all(in: context).reduce(0) { $0 + $1[Counter.value] }
    }

    /// The numbers of a writer's entries, in their order.
    static func entries(
        of writer: Int, in context: ManagedObjectContext
    ) throws -> [Int64] {
        try context.fetch(
            FetchRequest(
                entityName: "Entry", predicate: try ObjectPredicate("writer == %ld", writer),
                sortKeys: [.ascending("number")]), as: Entry.self
        ).map { $0[Entry.number] }
    }
}

final class Counter: ManagedObject {
    static let number = Attribute<Int64>("number")
    static let value = Attribute<Int64>("value")
    static let writer = Attribute<Int64?>("writer")

    override class var managedProperties: [any ManagedProperty] { [number, value, writer] }
}

final class Entry: ManagedObject {
    static let writer = Attribute<Int64>("writer")
    static let number = Attribute<Int64>("number")

    override class var managedProperties: [any ManagedProperty] { [writer, number] }
}
#endif
