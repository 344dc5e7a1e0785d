import Foundation
import ObjectGraph

/// All objects of a store, as values.
struct StoreContents: Sendable {
    struct Object: Sendable {
        let id: ManagedObjectID

        /// The stored attributes by key path, those of composite ones by element.
        let values: [String: AttributeValue]

        /// The objects of each relationship, in their order if it has one.
        let members: [String: [ManagedObjectID]]
    }

    /// The key path of an object itself.
    static let itself = "SELF"

    /// By entity, without subentities, in the order of the keys.
    private(set) var objects: [String: [Object]] = [:]

    /// Reads a store through a context, on whose queue it is called.
    init(_ context: ManagedObjectContext, _ model: ManagedObjectModel) throws {
        for (name, entity) in model.entitiesByName where !entity.isAbstract {
            let attributes = entity.storedAttributes
            let relationships = entity.relationshipsByName.values
            objects[name] = try context.fetch(.every(name), as: ManagedObject.self).map { object in
                var values: [String: AttributeValue] = [:]
                for attribute in entity.attributesByName.values where !attribute.isTransient {
                    attribute.collect(
                        try object.value(forKey: attribute.name), at: attribute.name, &values)
                }
                values = values.filter { attributes[$0.key] != nil }
                var members = [Self.itself: [object.objectID]]
                for relationship in relationships {
                    members[relationship.name] = try object.members(of: relationship)
                }
                return Object(id: object.objectID, values: values, members: members)
            }
        }
    }
}

extension FetchRequest {
    /// All objects of an entity, without subentities.
    static func every(_ entity: String, where predicate: ObjectPredicate? = nil) -> FetchRequest {
        var request = FetchRequest(entityName: entity, predicate: predicate)
        request.includesSubentities = false
        return request
    }
}

extension ManagedObject {
    fileprivate func members(of relationship: RelationshipDescription) throws -> [ManagedObjectID] {
        guard !relationship.isToMany else {
            return try objectIDs(forRelationshipNamed: relationship.name)
        }
        let object = try value(forKey: relationship.name) as? ManagedObject
        return object.map { [$0.objectID] } ?? []
    }
}

extension EntityDescription {
    /// The attributes that a store has values of, inherited ones included, by key path; those of
    /// composite ones by element.
    var storedAttributes: [String: AttributeDescription] {
        var found: [String: AttributeDescription] = [:]
        func add(_ attribute: AttributeDescription, _ path: String) {
            guard attribute.type == .composite else {
                found[path] = attribute
                return
            }
            for element in attribute.elements { add(element, "\(path).\(element.name)") }
        }
        for attribute in attributesByName.values where !attribute.isTransient {
            add(attribute, attribute.name)
        }
        return found
    }
}

extension AttributeDescription {
    /// Adds a value of `value(forKey:)`, or those of the elements.
    fileprivate func collect(
        _ value: Any?, at path: String, _ values: inout [String: AttributeValue]
    ) {
        guard type == .composite else {
            values[path] = attributeValue(of: value)
            return
        }
        let parts = value as? [String: Any]
        for element in elements {
            element.collect(parts?[element.name], at: "\(path).\(element.name)", &values)
        }
    }

    private func attributeValue(of value: Any?) -> AttributeValue {
        guard var value else { return .null }
        // Values of elements are wrapped.
        if let hashable = value as? AnyHashable { value = hashable.base }
        guard type != .transformable else {
            return (transformer ?? .propertyList).attributeValue(of: value) ?? .null
        }
        let found: AttributeValue =
            switch value {
            case let value as Bool: .boolean(value)
            case let value as any BinaryInteger: .integer(Int64(value))
            case let value as Float: .double(Double(value))
            case let value as Double: .double(value)
            case let value as Decimal: .decimal(value)
            case let value as String: .string(value)
            case let value as Date: .date(value)
            case let value as Data: .data(value)
            case let value as UUID: .uuid(value)
            case let value as URL: .uri(value)
            default: .string(String(describing: value))
            }
        return found.normalized(to: type)
    }
}

extension AttributeValue {
    /// The value as one of a type, so that equal values are equal. Unchanged if it is of another.
    func normalized(to type: AttributeType) -> AttributeValue {
        switch type {
        case .integer16, .integer32, .integer64: integer.map { .integer($0) } ?? self
        case .boolean: integer.map { .boolean($0 != 0) } ?? self
        case .double: double.map { .double($0) } ?? self
        case .float: double.map { .double(Double(Float($0))) } ?? self
        case .decimal: double.map { .decimal(Decimal(string: "\($0)") ?? Decimal($0)) } ?? self
        case .date: double.map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? self
        case .uri: string.flatMap { URL(string: $0) }.map { .uri($0) } ?? self
        default: self
        }
    }
}
