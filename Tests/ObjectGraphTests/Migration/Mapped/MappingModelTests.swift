import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Mappings made by hand, without a store.
@Suite struct `Mapping models` {
    private func problem(
        _ mappings: EntityMapping..., sourceLocation: SourceLocation = #_sourceLocation
    ) -> MigrationError.Reason? {
        let error = #expect(throws: MigrationError.self, sourceLocation: sourceLocation) {
            try MappingModel(
                from: ManagedObjectModel(entities: MappingFixture.people),
                to: ManagedObjectModel(entities: MappingFixture.contacts), mappings)
        }
        return error?.reason
    }

    @Test func `a mapping is named for its entities, and is custom (§9.3.1)`() {
        let mapping = EntityMapping(from: "Person", to: "Contact")
        #expect(mapping.name == "PersonToContact")
        #expect(mapping.kind.rawValue == 1)
        #expect(EntityMapping(from: "Person", to: "Contact", name: "people").name == "people")
    }

    @Test func `properties without a mapping take values of the same name and type (§9.3.3)`()
        throws
    {
        let mapping = try MappingFixture.mapping(
            EntityMapping(
                from: "Person", to: "Contact",
                properties: [
                    PropertyMapping("name", .function("uppercase:", [.variable("source.name")]))
                ]))
        let made = mapping.entityMappings[0]
        #expect(
            made.propertyMappings.map(\.name) == [
                "name", "age", "address", "pets", "friends", "friendOf",
            ])
        #expect(
            made.propertyMappings.map(\.source) == [nil, "age", nil, "pets", "friends", "friendOf"])
        #expect(made.removedProperties == ["name", "street"])
    }

    @Test func `a wrong mapping is refused by name (§9.3.2)`() {
        #expect(
            problem(EntityMapping(from: "Nobody", to: "Contact"))
                == .invalidMapping("NobodyToContact", .unknownEntity("Nobody")))
        #expect(
            problem(EntityMapping(from: "Person", to: "Nobody"))
                == .invalidMapping("PersonToNobody", .unknownEntity("Nobody")))
        #expect(
            problem(
                EntityMapping(from: "Person", to: "Contact"),
                EntityMapping(from: "Person", to: "Contact"))
                == .invalidMapping("PersonToContact", .duplicateName))
        #expect(
            problem(
                EntityMapping(
                    from: "Person", to: "Contact",
                    properties: [PropertyMapping(name: "size", source: "age")]))
                == .invalidMapping("PersonToContact", .unknownProperty("size")))
    }

    @Test(
        arguments: [
            PropertyMapping("name", .variable("source.size")),
            PropertyMapping("name", .variable("destination.name")),
            PropertyMapping("name", .function("destinationInstances:", [])),
            PropertyMapping("pets", .variable("source.name")),
            PropertyMapping("pets", .constant(1)),
        ])
    func `an expression that cannot be evaluated is refused (§9.3.2)`(_ property: PropertyMapping) {
        guard
            case .invalidMapping(
                "PersonToContact", .unusableExpression(property.name, let reason))? =
                problem(EntityMapping(from: "Person", to: "Contact", properties: [property]))
        else {
            Issue.record("accepted \(property)")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test func `a predicate that cannot be evaluated is refused (§9.3.2)`() throws {
        let predicate = try ObjectPredicate("height > 3")
        guard
            case .invalidMapping("PersonToContact", .unusableExpression(nil, _))? =
                problem(EntityMapping(from: "Person", to: "Contact", where: predicate))
        else {
            Issue.record("accepted \(predicate)")
            return
        }
    }

    @Test func `only what cannot be inferred is written by hand (§9.3.4)`() throws {
        let source = try ManagedObjectModel(entities: MappingFixture.people)
        var changed = MappingFixture.people
        changed[0].attributes[1] = AttributeDescription("age", .string)
        let destination = try ManagedObjectModel(entities: changed)
        let refusal = #expect(throws: MigrationError.self) {
            try MappingModel.inferred(from: source, to: destination)
        }
        #expect(refusal?.code == 134190)
        let mapping = try MappingModel.inferred(
            from: source, to: destination,
            replacing: [.custom(from: "Person", to: "Person") { _, _, _ in }])
        #expect(mapping.entityMappings.map(\.name) == ["PetToPet", "PersonToPerson"])
        #expect(mapping.entityMappings.map(\.kind) == [.copy, .custom])
        // Another change that says too little is refused as ever.
        changed[1].attributes[0].type = .double
        let other = try ManagedObjectModel(entities: changed)
        let error = #expect(throws: MigrationError.self) {
            try MappingModel.inferred(
                from: source, to: other,
                replacing: [EntityMapping(from: "Person", to: "Person")])
        }
        #expect(
            error?.reason
                == .notInferable([
                    MigrationObstacle(
                        entity: "Pet", property: "name",
                        reason: .attributeType(from: .string, to: .double))
                ]))
    }

    @Test func `entities of other models can be mapped, and hierarchies merged (§9.3.4)`() throws {
        let item = EntityDescription(name: "Item", attributes: [MappingFixture.name])
        let mapping = try MappingModel.inferred(
            from: ManagedObjectModel(entities: MappingFixture.people),
            to: ManagedObjectModel(entities: [
                item, EntityDescription(name: "Person", superentity: "Item"),
                EntityDescription(name: "Pet", superentity: "Item"),
            ]), replacing: [EntityMapping(from: "Pet", to: "Item", name: "pets")])
        #expect(mapping.entityMappings.map(\.name) == ["PersonToPerson", "PetToPet", "pets"])
    }
}
