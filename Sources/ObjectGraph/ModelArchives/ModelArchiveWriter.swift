import Foundation

/// Writes a model as Core Data archives it in a store: every entity repeats the properties that it
/// inherits.
///
/// Blocks and requests for dictionaries are left out: Core Data's form has no place for them. No
/// version hash depends on them.
struct ModelArchiveWriter {
    let model: ManagedObjectModel
    var archive = KeyedArchiveWriter()
    private let root: KeyedArchiveWriter.Place
    private var entities: [String: KeyedArchiveWriter.Place] = [:]
    private let subentities: [Int?: [Entity]]

    /// The relationships of the entities that declare them.
    private var relationships: [RelationshipKey: KeyedArchiveWriter.Place] = [:]

    private var integers: [Int: Int] = [:]
    private var booleans: [Bool: Int] = [:]

    private struct RelationshipKey: Hashable {
        let entity: String
        let name: String
    }

    /// The model in a keyed archive.
    static func archive(_ model: ManagedObjectModel) -> Data {
        var writer = Self(model)
        writer.writeModel()
        return writer.archive.data(root: writer.root.reference)
    }

    private init(_ model: ManagedObjectModel) {
        self.model = model
        root = archive.reserve()
        subentities = Dictionary(grouping: model.entities, by: \.superentityIndex)
        for entity in model.entities {
            entities[entity.name] = archive.reserve()
            for relationship in entity.description.relationships {
                relationships[RelationshipKey(entity: entity.name, name: relationship.name)] =
                    archive.reserve()
            }
        }
    }

    // MARK: - The model

    private mutating func writeModel() {
        for entity in model.entities { writeEntity(entity) }
        let names = model.entities.map(\.name).sorted()
        let mapping = archive.node(
            "NSKnownKeysMappingStrategy1",
            [
                ("keys", archive.add(.array(names.map { archive.text($0) }))),
                ("length", integer(names.count)), ("version", integer(1)),
            ])
        let entities = archive.node(
            "NSKnownKeysDictionary1",
            [
                ("searchMapping", mapping),
                ("values", archive.add(.array(names.map { reference(toEntity: $0) }))),
                ("emptyToken", archive.text("NSKnownKeysDictionary: no value")),
                ("version", integer(1)),
            ])
        var fields = [
            ("NSEntities", entities),
            (
                "NSVersionIdentifiers",
                archive.list(model.versionIdentifiers.sorted().map { archive.text($0) }, "NSSet")
            ), ("NSFetchRequestTemplates", templates()),
        ]
        if !model.configurations.isEmpty {
            let configurations = model.configurations.sorted { $0.key < $1.key }.map {
                name, members in
                (name, archive.list(members.sorted().map { reference(toEntity: $0) }))
            }
            fields.append(
                ("NSConfigurations", archive.dictionary(configurations, "NSMutableDictionary")))
        }
        archive.fill(root, "NSManagedObjectModel", fields)
    }

    private mutating func templates() -> Int {
        let requests = model.fetchRequestTemplatesByName.sorted { $0.key < $1.key }
            .compactMap { name, template in request(template).map { (name, $0) } }
        return requests.isEmpty
            ? archive.null() : archive.dictionary(requests, "NSMutableDictionary")
    }

    /// The index of a reference to an entity of the model.
    mutating func reference(toEntity name: String) -> Int {
        entities[name]?.reference ?? archive.null()
    }

    // MARK: - Entities

    private mutating func writeEntity(_ entity: Entity) {
        guard let place = entities[entity.name] else { return }
        let description = entity.description
        var properties: [(String, Int)] = []
        for declarer in description.ancestors + [description] {
            properties += self.properties(of: declarer, in: entity.name)
        }
        let subentities = self.subentities[entity.index] ?? []
        var fields = [
            ("NSEntityName", archive.text(entity.name)), ("NSManagedObjectModel", root.reference),
            (
                "NSClassNameForEntity",
                text(
                    description.managedObjectClassName
                        ?? description.managedObjectClass.map { "\($0)" })
            ),
            (
                "NSSuperentity",
                description.superentity.map { reference(toEntity: $0) } ?? archive.null()
            ),
            (
                "NSSubentities",
                archive.dictionary(
                    subentities.map { ($0.name, reference(toEntity: $0.name)) },
                    "NSMutableDictionary")
            ), ("NSProperties", archive.dictionary(properties, "NSMutableDictionary")),
            ("NSRenamingIdentifier", archive.text(description.renamingIdentifier ?? entity.name)),
            ("NSVersionHashModifier", text(description.versionHashModifier)),
            ("NSUserInfo", userInfo(description.userInfoOfFiles)),
            ("NSCompoundIndexes", archive.list([])),
            (
                "NSFetchIndexDescriptions",
                archive.list(
                    description.indexes.filter { $0.kind != .fullText }
                        .compactMap { fetchIndex($0, of: entity.name) })
            ),
        ]
        if description.isAbstract { fields.append(("NSIsAbstract", boolean(true))) }
        if !description.uniquenessConstraints.isEmpty {
            let constraints = description.uniquenessConstraints.map { names in
                archive.list(names.map { archive.text($0) })
            }
            fields.append(("NSUniqueTuples", archive.list(constraints)))
        }
        archive.fill(place, "NSEntityDescription", fields)
    }

    /// The properties that an entity declares, as properties of itself or of a descendant.
    private mutating func properties(
        of declarer: EntityDescription, in entity: String
    ) -> [(String, Int)] {
        var properties: [(String, Int)] = []
        for attribute in declarer.attributes {
            properties.append((attribute.name, node(of: attribute, in: entity)))
        }
        for relationship in declarer.relationships {
            let fields = fields(of: relationship, in: entity)
            let key = RelationshipKey(entity: entity, name: relationship.name)
            if let place = relationships[key] {
                archive.fill(place, "NSRelationshipDescription", fields)
                properties.append((relationship.name, place.reference))
            } else {
                let copy = archive.node("NSRelationshipDescription", fields)
                properties.append((relationship.name, copy))
            }
        }
        for property in declarer.fetchedProperties {
            guard let fields = fields(of: property, in: entity) else { continue }
            properties.append((property.name, archive.node("NSFetchedPropertyDescription", fields)))
        }
        return properties
    }

    /// The index of a reference to the relationship's inverse, on the entity that declares it.
    mutating func reference(toInverseOf relationship: RelationshipDescription) -> Int {
        guard let inverse = relationship.inverse,
            let property = model.entity(named: relationship.destination)?.property(named: inverse),
            let place = relationships[
                RelationshipKey(
                    entity: model.entities[property.declaringEntityIndex].name, name: inverse)]
        else { return archive.null() }
        return place.reference
    }

    // MARK: - Values

    /// The index of a number for a field. Equal ones are stored once.
    mutating func integer(_ value: Int) -> Int {
        if let index = integers[value] { return index }
        let index = archive.add(.integer(Int64(value)))
        integers[value] = index
        return index
    }

    mutating func boolean(_ value: Bool) -> Int {
        if let index = booleans[value] { return index }
        let index = archive.add(.boolean(value))
        booleans[value] = index
        return index
    }

    mutating func text(_ text: String?) -> Int {
        text.map { archive.text($0) } ?? archive.null()
    }

    mutating func userInfo(_ info: [String: String]) -> Int {
        let entries = info.sorted { $0.key < $1.key }.map { ($0.key, archive.text($0.value)) }
        return archive.dictionary(entries, "NSMutableDictionary")
    }

    /// The index of a reference to a value; nil for what no archive can hold.
    mutating func value(_ value: AttributeValue) -> Int? {
        switch value {
        case .null: return archive.null()
        case .boolean(let value): return archive.reference(to: boolean(value))
        case .integer(let value): return archive.reference(to: archive.add(.integer(value)))
        case .double(let value): return archive.reference(to: archive.add(.real(value)))
        case .decimal(let value): return decimal(value)
        case .string(let value): return archive.text(value)
        case .date(let value): return try? archive.reference(to: .date(value))
        case .data(let value): return try? archive.reference(to: .data(value))
        case .uuid(let value): return try? archive.reference(to: .uuid(value))
        case .uri(let value): return try? archive.reference(to: .url(value))
        case .transformable(let value):
            if let list = value.value as? PropertyList { return try? archive.reference(to: list) }
            return value.storedData.flatMap { try? archive.reference(to: .data($0)) }
        case .objectID, .composite: return nil
        }
    }

    /// The mantissa is written as words of 16 bits, little-endian and from the lowest one.
    private mutating func decimal(_ value: Decimal) -> Int? {
        guard let mantissa = UInt128("\(value.significand.magnitude)") else { return nil }
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: mantissa >> (8 * $0)) }
        let length = (128 - mantissa.leadingZeroBitCount + 15) / 16
        return archive.node(
            "NSDecimalNumber",
            [
                ("NS.mantissa", archive.add(.data(Data(bytes)))), ("NS.mantissa.bo", integer(1)),
                ("NS.exponent", integer(value.exponent)), ("NS.length", integer(length)),
                ("NS.negative", boolean(value.isSignMinus)), ("NS.compact", boolean(true)),
            ])
    }
}
