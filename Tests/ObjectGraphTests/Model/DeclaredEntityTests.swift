import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Entities that are made of what their classes declare.
@Suite struct `Declared entities (§1.2)` {
    private static let declared = [
        EntityDescription(Vessel.self, isAbstract: true), EntityDescription(Ship.self),
        EntityDescription(Raft.self),
        EntityDescription(
            Harbour.self, uniquenessConstraints: [["name"]],
            indexes: [FetchIndexDescription("byName", on: "name")]),
    ]

    private static let byHand = [
        EntityDescription(
            name: "Vessel", managedObjectClass: Vessel.self, isAbstract: true,
            attributes: [
                AttributeDescription(
                    "name", .string, isOptional: false,
                    validationRules: [ValidationRule("length > 1", .code(1670))]),
                AttributeDescription("launched", .date),
            ],
            relationships: [
                .toOne("home", "Port", inverse: "vessels", isOptional: false),
                .toMany("visits", "Port", inverse: "guests"),
            ]),
        EntityDescription(
            name: "Ship", managedObjectClass: Ship.self, superentity: "Vessel",
            attributes: [
                AttributeDescription("length", .float, isOptional: false),
                AttributeDescription("crew", .integer16),
                AttributeDescription("tonnage", .integer64, isOptional: false, defaultValue: 1),
                AttributeDescription("speed", .double, isTransient: true),
                AttributeDescription(
                    "colour", .transformable, isOptional: false,
                    transformer: .codable(Colour.self)),
            ],
            relationships: [
                .toMany("sisters", "Ship", inverse: "sisters"), .toOne("flagship", "Ship"),
            ]),
        EntityDescription(name: "Raft", managedObjectClass: Raft.self, superentity: "Vessel"),
        EntityDescription(
            name: "Port", managedObjectClass: Harbour.self,
            attributes: [AttributeDescription("name", .string, isOptional: false)],
            relationships: [
                .toMany("vessels", "Vessel", inverse: "home", deleteRule: .deny),
                .toMany("guests", "Vessel", inverse: "visits", isOrdered: true),
            ],
            uniquenessConstraints: [["name"]],
            indexes: [FetchIndexDescription("byName", on: "name")]),
    ]

    @Test func `a class declares what a description says (§1.2.8, §1.3.32, §1.5.13)`() throws {
        let model = try ManagedObjectModel(entities: Self.declared)
        for expected in try ManagedObjectModel(entities: Self.byHand).entities.map(\.description) {
            let entity = try #require(model.entitiesByName[expected.name])
            #expect(entity.managedObjectClass == expected.managedObjectClass)
            #expect(entity.superentity == expected.superentity)
            #expect(entity.isAbstract == expected.isAbstract)
            #expect(entity.attributes == expected.attributes)
            #expect(entity.relationships == expected.relationships)
            #expect(entity.uniquenessConstraints == expected.uniquenessConstraints)
            #expect(entity.indexes == expected.indexes)
        }
        #expect(model.warnings.map(\.propertyName) == ["flagship"])
    }

    @Test func `what a class inherits is its superentity's (§1.2.9)`() throws {
        #expect(EntityDescription(Raft.self).attributes.isEmpty)
        let all = EntityDescription(Sloop.self)
        #expect(all.superentity == "Ship")
        #expect(all.attributes.map(\.name) == ["masts"])
        let store = try StoreFixture(ManagedObjectModel(entities: Self.declared))
        try store.run { context in
            let harbour = Harbour(context: context)
            let ship = Ship(context: context)
            harbour[Harbour.name] = "Bergen"
            (ship[Ship.name], ship[Ship.length], ship[Ship.crew]) = ("Fram", 39, 16)
            (ship[Ship.home], ship[Ship.colour]) = (harbour, Colour(red: 1))
            try context.save()
            context.reset()
            let found = try #require(try Ship.findFirst(in: context))
            #expect(found[Vessel.name] == "Fram" && found[Ship.crew] == 16)
            #expect(found[Ship.tonnage] == 1 && found[Ship.colour] == Colour(red: 1))
            #expect(found[Ship.home]?[Harbour.vessels] == [found])
        }
    }

    @Test(arguments: Contradiction.allCases)
    func `a contradiction is an error of the model (§1.2.8)`(_ contradiction: Contradiction) {
        #expect(throws: contradiction.error) {
            _ = try ManagedObjectModel(
                entities: contradiction.classes.map { EntityDescription($0) })
        }
    }

    @Test func `an inverse that one end names counts for both (§1.5.13)`() throws {
        let one = RelationshipDescription.toOne("b", "B")
        let many = RelationshipDescription.toMany("a", "A", inverse: "b")
        func model(_ one: RelationshipDescription) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [
                EntityDescription(name: "A", relationships: [one]),
                EntityDescription(name: "B", relationships: [many]),
            ])
        }
        var both = one
        both.inverse = "a"
        let completed = try model(one)
        #expect(completed.relationshipsByName(ofEntity: "A") == ["b": both])
        #expect(completed.entityVersionHashesByName == (try model(both)).entityVersionHashesByName)
    }
}

// MARK: - Classes

private class Vessel: ManagedObject {
    static let name = Attribute<String>(
        "name", validationRules: [ValidationRule("length > 1", .code(1670))])
    static let launched = Attribute<Date?>("launched")
    static let home = ToOne<Harbour>("home", isOptional: false)
    static let visits = ToMany<Harbour>("visits", inverse: Harbour.guests)

    override class var managedProperties: [any ManagedProperty] { [name, launched, home, visits] }
}

private class Ship: Vessel {
    static let length = Attribute<Double>("length", .float)
    static let crew = Attribute<Int16?>("crew")
    static let tonnage = Attribute<Int>("tonnage", default: 1)
    static let speed = Attribute<Double?>("speed", isTransient: true)
    static let colour = Transformable<Colour>("colour", .codable(Colour.self), isOptional: false)
    static let sisters: ToMany<Ship> = ToMany("sisters", inverse: sisters)
    static let flagship = ToOne<Ship>("flagship")

    override class var managedProperties: [any ManagedProperty] {
        [length, crew, tonnage, speed, colour, sisters, flagship]
    }
}

/// Lists what its superclass lists as well.
private final class Sloop: Ship {
    static let masts = Attribute<Int>("masts")

    override class var managedProperties: [any ManagedProperty] {
        super.managedProperties + [masts]
    }
}

/// Adds nothing to its superclass.
private final class Raft: Vessel {}

/// The class of an entity of another name.
private final class Harbour: ManagedObject {
    static let name = Attribute<String>("name")
    static let vessels = ToMany<Vessel>("vessels", inverse: Vessel.home, deleteRule: .deny)
    static let guests = OrderedToMany<Vessel>("guests")

    override class var entityName: String { "Port" }
    override class var managedProperties: [any ManagedProperty] { [name, vessels, guests] }
}

// MARK: - Contradictions

/// Declarations that make no model, and the error.
enum Contradiction: CaseIterable {
    case missingSuperclass, missingDestination, unlistedInverse, inverseOfAnother
    case attributeAsInverse, inverseTakenTwice, listedTwice, defaultOutOfRange, unreadableRule

    var classes: [ManagedObject.Type] {
        switch self {
        case .missingSuperclass: [Raft.self]
        case .missingDestination: [Start.self]
        case .unlistedInverse: [Start.self, End.self, Unlisted.self]
        case .inverseOfAnother: [Start.self, End.self, Stray.self]
        case .attributeAsInverse: [Start.self, End.self, Mistaken.self]
        case .inverseTakenTwice: [Hoard.self, Greedy.self]
        case .listedTwice: [Twice.self]
        case .defaultOutOfRange: [Large.self]
        case .unreadableRule: [Unruly.self]
        }
    }

    var error: ModelError {
        switch self {
        case .missingSuperclass: ModelError("Raft", nil, .unknownSuperentity("Vessel"))
        case .missingDestination: ModelError("Start", "end", .unknownDestination("End"))
        case .unlistedInverse: ModelError("Unlisted", "end", .unknownInverse("unlisted"))
        case .inverseOfAnother: ModelError("Stray", "end", .inverseMismatch("start"))
        case .attributeAsInverse: ModelError("Mistaken", "end", .unknownInverse("number"))
        case .inverseTakenTwice: ModelError("Greedy", "second", .inverseMismatch("greedy"))
        case .listedTwice: ModelError("Twice", "number", .duplicateProperty)
        case .defaultOutOfRange:
            ModelError("Large", "number", .defaultOfOtherType(70_000, .integer16))
        case .unreadableRule:
            ModelError("Unruly", "number", .invalidValidationRule("SELF >", Self.unreadable))
        }
    }

    /// The message for the rule's format.
    private static var unreadable: String {
        do { return "\(try ObjectPredicate("SELF >"))" } catch { return "\(error)" }
    }
}

private final class Start: ManagedObject {
    static let end = ToOne<End>("end")

    override class var managedProperties: [any ManagedProperty] { [end] }
}

private final class End: ManagedObject {
    static let number = Attribute<Int>("number")
    static let start = ToOne<Start>("start")
    static let unlisted = ToOne<Unlisted>("unlisted")

    override class var managedProperties: [any ManagedProperty] { [number, start] }
}

private final class Unlisted: ManagedObject {
    static let end = ToOne<End>("end", inverse: End.unlisted)

    override class var managedProperties: [any ManagedProperty] { [end] }
}

private final class Stray: ManagedObject {
    static let end = ToOne<End>("end", inverse: End.start)

    override class var managedProperties: [any ManagedProperty] { [end] }
}

private final class Mistaken: ManagedObject {
    static let end = ToOne<End>("end", inverse: End.number)

    override class var managedProperties: [any ManagedProperty] { [end] }
}

private final class Greedy: ManagedObject {
    static let first = ToOne<Hoard>("first", inverse: Hoard.greedy)
    static let second = ToOne<Hoard>("second", inverse: Hoard.greedy)

    override class var managedProperties: [any ManagedProperty] { [first, second] }
}

private final class Hoard: ManagedObject {
    static let greedy = ToOne<Greedy>("greedy")

    override class var managedProperties: [any ManagedProperty] { [greedy] }
}

private final class Twice: ManagedObject {
    static let number = Attribute<Int>("number")

    override class var managedProperties: [any ManagedProperty] { [number, number] }
}

private final class Large: ManagedObject {
    static let number = Attribute<Int>("number", .integer16, default: 70_000)

    override class var managedProperties: [any ManagedProperty] { [number] }
}

private final class Unruly: ManagedObject {
    static let number = Attribute<Int>(
        "number", validationRules: [ValidationRule("SELF >", .code(1620))])

    override class var managedProperties: [any ManagedProperty] { [number] }
}
