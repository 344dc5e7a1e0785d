import ObjectGraph
import TestSupport

/// A random run over several contexts: their arrangement and the steps.
struct Script {
    /// One step. Its numbers are taken modulo the available choices when it runs, so that a script
    /// without some of its steps stays valid.
    struct Step: CustomStringConvertible {
        enum Kind: CaseIterable {
            case insert, setNumber, setText, setOwner, arrange, setCard, addPair, removePair, delete
            case save, rollback, refresh, refreshAll, merge, read, fetch, obtainIDs
            case endEvent, undo, redo
            /// Of the observer, whose store is a file.
            case pin, look
        }

        let kind: Kind
        let numbers: [Int]

        var description: String { "\(kind)\(numbers)" }
    }

    /// The place of a context: its parent (nil for the coordinator), its merge policy, and whether
    /// it has an undo manager.
    struct Place {
        let parent: Int?
        let policy: ReferenceGraph.Policy
        let hasUndo: Bool
    }

    enum Store { case inMemory, sqliteInMemory, file, own, server }

    var arrangement: [Place]
    var store: Store

    /// Whether a store of SQLite keeps a history.
    var tracksHistory: Bool

    /// Whether a person's items have an order.
    var isOrdered: Bool
    var steps: [Step]

    init(_ generator: inout SeededGenerator) {
        arrangement = []
        for position in 0..<Int.random(in: 1...4, using: &generator) {
            let parent = Int.random(in: -2..<max(position, 1), using: &generator)
            arrangement.append(
                Place(
                    parent: parent >= 0 && position > 0 ? parent : nil,
                    policy: ReferenceGraph.Policy.allCases.randomElement(using: &generator)!,
                    hasUndo: Bool.random(using: &generator)))
        }
        store = Self.stores.randomElement(using: &generator)!
        isOrdered = Bool.random(using: &generator)
        tracksHistory = Bool.random(using: &generator)
        steps = (0..<Int.random(in: 10...60, using: &generator)).map { position in
            // Insertions come first; otherwise most steps would find no objects.
            let kind =
                position < 4
                ? .insert
                : Self.frequencies.randomElement(using: &generator)!
            return Step(
                kind: kind,
                numbers: (0..<4).map { _ in Int.random(in: 0..<1000, using: &generator) })
        }
    }

    private static let frequencies: [Step.Kind] = [
        .insert, .insert, .setNumber, .setNumber, .setNumber, .setText, .setOwner, .setOwner,
        .arrange, .arrange, .setCard, .addPair, .addPair, .removePair, .delete, .save, .save, .save,
        .save, .rollback,
        .refresh, .refreshAll, .merge, .merge, .read, .read, .fetch, .obtainIDs,
        .endEvent, .endEvent, .undo, .undo, .redo, .pin, .look, .look,
    ]

    /// Files are slow, and a store of one's own translates all rows for each fetch.
    private static let stores: [Store] =
        Array(repeating: .inMemory, count: 5) + Array(repeating: .sqliteInMemory, count: 5) + [
            .file, .own,
        ]
}

extension Script: CustomStringConvertible {
    var description: String {
        let contexts = arrangement.map {
            "(\($0.parent.map(String.init) ?? "store"), \($0.policy)\($0.hasUndo ? ", undo" : ""))"
        }
        return "contexts \(contexts.joined(separator: " ")), "
            + "\(store)" + (tracksHistory ? ", history" : "") + (isOrdered ? ", ordered" : "")
            + "\n"
            + steps.map(\.description).joined(separator: "\n")
    }
}

/// The model of the scripts: a relationship of each kind and inheritance.
///
///     Person ──< Item (Box)    Person ── Card    Person >──< Group
///
/// Deleting a person deletes its items, which may have an order. A group must have a text.
enum ScriptSchema {
    static func model(isOrdered: Bool) -> ManagedObjectModel {
        isOrdered ? orderedModel : unorderedModel
    }

    private static let orderedModel = makeModel(isOrdered: true)
    private static let unorderedModel = makeModel(isOrdered: false)

    private static func makeModel(isOrdered: Bool) -> ManagedObjectModel {
        try! ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person", attributes: values(),
                relationships: [
                    .toMany(
                        "items", "Item", inverse: "owner", deleteRule: .cascade,
                        isOrdered: isOrdered),
                    .toOne("card", "Card", inverse: "holder"),
                    .toMany("groups", "Group", inverse: "members"),
                ]),
            EntityDescription(
                name: "Item", attributes: values(),
                relationships: [.toOne("owner", "Person", inverse: "items")]),
            EntityDescription(name: "Box", superentity: "Item"),
            EntityDescription(
                name: "Card", attributes: values(),
                relationships: [.toOne("holder", "Person", inverse: "card")]),
            EntityDescription(
                name: "Group", attributes: values(isTextOptional: false),
                relationships: [.toMany("members", "Person", inverse: "groups")]),
        ])
    }

    private static func values(isTextOptional: Bool = true) -> [AttributeDescription] {
        [
            AttributeDescription("number", .integer64),
            AttributeDescription("text", .string, isOptional: isTextOptional),
        ]
    }

    static let groups = ToMany<ManagedObject>("groups")
}
