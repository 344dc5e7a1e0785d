import Foundation
import TestSupport

@testable import ObjectGraph

/// A store of people, as three versions of a model know it, and mappings between them.
///
///     Person: name, street, age    Person ──< Pet    Person >──< Person (friends, friendOf)
///     Contact: name, age, address    Address: street    Contact ──< Animal
struct MappingFixture: Sendable {
    let store = MigrationFixture()

    static let name = AttributeDescription("name", .string)
    static let age = AttributeDescription("age", .integer16)
    static let street = AttributeDescription("street", .string)

    static let people = [
        EntityDescription(
            name: "Person", attributes: [name, age, street],
            relationships: [
                .toMany("pets", "Pet", inverse: "owner", isOrdered: true),
                .toMany("friends", "Person", inverse: "friendOf"),
                .toMany("friendOf", "Person", inverse: "friends"),
            ]),
        EntityDescription(
            name: "Pet", attributes: [name],
            relationships: [.toOne("owner", "Person", inverse: "pets")]),
    ]

    static let contacts = [
        EntityDescription(
            name: "Contact", attributes: [name, age],
            relationships: [
                .toOne("address", "Address", inverse: "contacts"),
                .toMany("pets", "Animal", inverse: "owner", isOrdered: true),
                .toMany("friends", "Contact", inverse: "friendOf"),
                .toMany("friendOf", "Contact", inverse: "friends"),
            ]),
        EntityDescription(
            name: "Address", attributes: [street],
            relationships: [.toMany("contacts", "Contact", inverse: "address")]),
        EntityDescription(
            name: "Animal", attributes: [name],
            relationships: [.toOne("owner", "Contact", inverse: "pets")]),
    ]

    /// Ada with Tom and Jerry, Bob without a street, Cy who lives where Ada does. Ada is a friend of
    /// Bob and Cy.
    func makePeople(_ change: (inout PersistentStoreDescription) -> Void = { _ in }) throws {
        try store.open(Self.people, change) { context in
            func person(_ name: String, _ age: Int, _ street: String?) throws -> ManagedObject {
                let person = try context.insertObject(entityName: "Person")
                try person.setValuesForKeys(["name": name, "age": age, "street": street])
                return person
            }
            let ada = try person("Ada", 36, "Main Street")
            let bob = try person("Bob", 17, nil)
            let cy = try person("Cy", 50, "Main Street")
            try ada.setValue([bob, cy], forKey: "friends")
            for name in ["Tom", "Jerry"] {
                let pet = try context.insertObject(entityName: "Pet")
                try pet.setValuesForKeys(["name": name, "owner": ada])
            }
            // Their order is not that of their keys.
            let pets = try ada.value(forKey: "pets") as? [ManagedObject] ?? []
            try ada.setValue(Array(pets.reversed()), forKey: "pets")
            try context.obtainPermanentIDs(for: [ada, bob, cy] + pets)
            try context.save()
        }
    }

    static func mapping(
        _ mappings: EntityMapping..., from source: [EntityDescription] = people,
        to destination: [EntityDescription] = contacts
    ) throws -> MappingModel {
        try MappingModel(
            from: ManagedObjectModel(entities: source),
            to: ManagedObjectModel(entities: destination), mappings)
    }

    /// Opens the store with the mapping's model, and so migrates it, if the body is the first.
    func migrate<Result: Sendable>(
        _ mapping: MappingModel, _ change: (inout PersistentStoreDescription) -> Void = { _ in },
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        let descriptions = mapping.destination.entities.map(\.description)
        return try store.open(
            descriptions,
            {
                $0.migration.mappingModels = [mapping]
                change(&$0)
            }, body)
    }

    func migrate(_ mapping: MappingModel) throws { try migrate(mapping) { _ in } }
}
