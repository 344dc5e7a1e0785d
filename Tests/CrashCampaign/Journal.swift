import Foundation
import ObjectGraph

/// The content that the writer saves. A save depends only on its number. So the number of a store's
/// last save determines its whole content.
///
///     Journal        Batch ──< Entry >──< Tag
///
/// Each save adds a batch of entries, reverses the order of the last batch and replaces its cover,
/// and deletes an old one with its entries. Half of the covers are in files of their own. Batches
/// and tags have derived numbers of their entries.
final class Journal: ManagedObject {
    static let lastSave = Attribute<Int>("lastSave")
}

final class Batch: ManagedObject {
    static let number = Attribute<Int>("number")
    static let cover = Attribute<Data?>("cover")
    static let entryCount = Attribute<Int>("entryCount")
    static let placeSum = Attribute<Int>("placeSum")
    static let entries = OrderedToMany<Entry>("entries")
}

final class Entry: ManagedObject {
    static let place = Attribute<Int>("place")
    static let text = Attribute<String>("text")
    static let batch = ToOne<Batch>("batch")
    static let tags = ToMany<Tag>("tags")
}

final class Tag: ManagedObject {
    static let number = Attribute<Int>("number")
    static let entryCount = Attribute<Int>("entryCount")
    static let entries = ToMany<Entry>("entries")
}

extension Journal {
    static func model() throws -> ManagedObjectModel {
        let number = AttributeDescription("number", .integer64, isOptional: false, defaultValue: 0)
        let entryCount = AttributeDescription(
            "entryCount", .integer64, derivation: "entries.@count")
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Journal", managedObjectClass: Journal.self,
                attributes: [
                    AttributeDescription("lastSave", .integer64, isOptional: false, defaultValue: 0)
                ]),
            EntityDescription(
                name: "Batch", managedObjectClass: Batch.self,
                attributes: [
                    number, entryCount,
                    AttributeDescription("placeSum", .integer64, derivation: "entries.place.@sum"),
                    AttributeDescription("cover", .binaryData, allowsExternalStorage: true),
                ],
                relationships: [
                    .toMany(
                        "entries", "Entry", inverse: "batch", deleteRule: .cascade, isOrdered: true)
                ], indexes: [FetchIndexDescription("byNumber", on: "number")]),
            EntityDescription(
                name: "Entry", managedObjectClass: Entry.self,
                attributes: [
                    AttributeDescription("place", .integer64, isOptional: false, defaultValue: 0),
                    AttributeDescription("text", .string),
                ],
                relationships: [
                    .toOne("batch", "Batch", inverse: "entries"),
                    .toMany("tags", "Tag", inverse: "entries"),
                ]),
            EntityDescription(
                name: "Tag", managedObjectClass: Tag.self, attributes: [number, entryCount],
                relationships: [.toMany("entries", "Entry", inverse: "tags")]),
        ])
    }

    // MARK: - What a save is

    private static let tagCount = 3
    private static let keptBatchCount = 3

    private static func size(ofBatch number: Int) -> Int { 1 + number % 7 }

    /// From some bytes to some pages.
    private static func text(_ number: Int, _ place: Int) -> String {
        String(repeating: "\(number).\(place) ", count: 1 + (number * 37 + place * 11) % 300)
    }

    private static func cover(_ number: Int, isLast: Bool) -> Data {
        Data(repeating: UInt8(number % 251), count: (number + (isLast ? 1 : 0)) % 2 * 150_000 + 9)
    }

    /// The number of covers that are in files after a save.
    static func fileCount(after last: Int) -> Int {
        numbers(after: last).count { cover($0, isLast: $0 == last).count > 100_000 }
    }

    /// The batches that are left after a save.
    private static func numbers(after last: Int) -> [Int] {
        last == 0 ? [] : Array(max(1, last - keptBatchCount + 1)...last)
    }

    private static func tag(_ number: Int, _ place: Int) -> Int { (number + place) % tagCount }

    /// The number of the last save in the store; 0 before the first.
    static func lastSave(in context: ManagedObjectContext) throws -> Int {
        try Journal.findFirst(in: context)?[Journal.lastSave] ?? 0
    }

    /// Makes the changes of one save, which the caller saves.
    static func write(_ number: Int, in context: ManagedObjectContext) throws {
        let journal = try Journal.findFirst(in: context) ?? Journal(context: context)
        journal[Journal.lastSave] = number
        if number == 1 {
            for number in 0..<tagCount { Tag(context: context)[Tag.number] = number }
        }
        let tags = try Tag.all(in: context, sortedBy: [.ascending("number")])
        let made = Batch(context: context)
        made[Batch.number] = number
        made[Batch.cover] = cover(number, isLast: true)
        made[Batch.entries] = (0..<size(ofBatch: number)).map { place in
            let entry = Entry(context: context)
            entry[Entry.place] = place
            entry[Entry.text] = text(number, place)
            entry[Entry.tags] = [tags[tag(number, place)]]
            return entry
        }
        if let last = try batch(number - 1, in: context) {
            last[Batch.entries].reverse()
            last[Batch.cover] = cover(number - 1, isLast: false)
        }
        if let old = try batch(number - keptBatchCount, in: context) { context.delete(old) }
    }

    private static func batch(_ number: Int, in context: ManagedObjectContext) throws -> Batch? {
        try Batch.findFirst(in: context, where: try ObjectPredicate("number == %@", number))
    }

    // MARK: - What a store must have

    /// The differences between a store with this last save and its expected content.
    static func differences(after last: Int, in context: ManagedObjectContext) throws -> [String] {
        var differences: [String] = []
        func check<Value: Equatable>(_ name: String, _ found: Value, _ expected: Value) {
            if found != expected { differences.append("\(name) is \(found), not \(expected)") }
        }
        let numbers = numbers(after: last)
        check("journals", try Journal.count(in: context), last == 0 ? 0 : 1)
        check("tags", try Tag.count(in: context), last == 0 ? 0 : tagCount)
        let batches = try Batch.all(in: context, sortedBy: [.ascending("number")])
        check("batches", batches.map { $0[Batch.number] }, numbers)
        check(
            "entries", try Entry.count(in: context),
            numbers.map(size).reduce(0, +))
        for batch in batches {
            let number = batch[Batch.number]
            let isCover = batch[Batch.cover] == cover(number, isLast: number == last)
            check("cover of \(number) as saved", isCover, true)
            let entries = batch[Batch.entries]
            let places = Array(0..<size(ofBatch: number))
            check("count of \(number)", batch[Batch.entryCount], places.count)
            check("sum of \(number)", batch[Batch.placeSum], places.reduce(0, +))
            check(
                "order of \(number)", entries.map { $0[Entry.place] },
                number == last ? places : places.reversed())
            for entry in entries {
                let place = entry[Entry.place]
                check("text of \(number).\(place)", entry[Entry.text], text(number, place))
                check("batch of \(number).\(place)", entry[Entry.batch], batch)
                check(
                    "tags of \(number).\(place)", entry[Entry.tags].map { $0[Tag.number] },
                    [tag(number, place)])
            }
        }
        for tag in try Tag.all(in: context) {
            check(
                "count of tag \(tag[Tag.number])", tag[Tag.entryCount], tag[Tag.entries].count)
            for entry in tag[Tag.entries] {
                check("tags of an entry of tag \(tag[Tag.number])", entry[Entry.tags], [tag])
            }
        }
        check(
            "entries of all tags",
            try Tag.all(in: context).map { $0[Tag.entries].count }.reduce(0, +),
            numbers.map(size).reduce(0, +))
        return differences
    }

    /// The differences between a store with this last save and its history: one transaction a save,
    /// and every object that was inserted and not deleted.
    static func historyDifferences(
        after last: Int, in context: ManagedObjectContext
    ) throws -> [String] {
        var (transactionCount, living) = (0, Set<ManagedObjectID>())
        try context.enumerateHistory(PersistentHistoryRequest()) { transaction in
            transactionCount += 1
            for change in transaction.changes ?? [] {
                switch change.changeType {
                case .insert: living.insert(change.changedObjectID)
                case .update: break
                case .delete: living.remove(change.changedObjectID)
                }
            }
        }
        var stored: Set<ManagedObjectID> = []
        for entity in ["Journal", "Batch", "Entry", "Tag"] {
            stored.formUnion(try context.fetchObjectIDs(FetchRequest(entityName: entity)))
        }
        var differences: [String] = []
        if transactionCount != last {
            differences.append("the history has \(transactionCount) transactions, not \(last)")
        }
        if living != stored {
            let names = living.symmetricDifference(stored).map(\.description).sorted()
            differences.append("rows and history differ in \(names.prefix(5))")
        }
        return differences
    }
}
