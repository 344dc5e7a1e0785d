/// A key path with each step looked up.
struct ResolvedKeyPath {
    /// The to-many relationship on the way, if any; what follows it starts at its destination.
    var collection: Condition.Collection?

    /// The value at the end; nil if a to-many relationship followed by `@count` has no value for each destination.
    var operand: Operand?

    /// Whether the path ends with the to-many relationship.
    var isCollectionItself = false

    var leadsToMany: Bool { collection != nil }
}

extension ConditionResolver {
    /// Looks the steps of a key path up: to-one relationships, at most one to-many relationship among them, and at the
    /// end an attribute, a relationship or `@count`.
    func keyPath(_ text: String) throws(FetchError) -> ResolvedKeyPath {
        var current = entity
        var path = ObjectPath(.root, entityIndex: entity.index)
        var collection: Condition.Collection?
        var rest = text.utf8[...]
        while true {
            let end = rest.firstIndex(of: UInt8(ascii: ".")) ?? rest.endIndex
            let isLast = end == rest.endIndex
            let key = String(Substring(rest[..<end]))
            if key.utf8.first == UInt8(ascii: "@") {
                return try collectionOperator(key, isLast, collection, path, text)
            }
            guard let property = current.property(named: key) else {
                throw .unknownKeyPath(text, entity: entity.name)
            }
            switch property.kind {
            case .attribute:
                guard isLast else { throw .unknownKeyPath(text, entity: entity.name) }
                return ResolvedKeyPath(collection: collection, operand: .attribute(path, property))
            case .toOne: path.follow(property)
            case .toMany:
                guard collection == nil else {
                    throw .multipleToManyKeysNotAllowedHere(text, entity: entity.name)
                }
                collection = Condition.Collection(owner: path, property: property)
                path = ObjectPath(
                    .element, entityIndex: property.relationship!.destinationIndex)
            }
            if isLast {
                return ResolvedKeyPath(
                    collection: collection, operand: .object(path),
                    isCollectionItself: property.kind == .toMany)
            }
            current = model.destination(of: property.relationship!)
            rest = rest[rest.index(after: end)...]
        }
    }

    private func collectionOperator(
        _ key: String, _ isLast: Bool, _ collection: Condition.Collection?, _ path: ObjectPath,
        _ text: String
    ) throws(FetchError) -> ResolvedKeyPath {
        guard key == "@count" else {
            throw .unsupported(feature: "The collection operator '\(key)'")
        }
        guard let collection, path.steps.isEmpty, isLast else {
            throw .unknownKeyPath(text, entity: entity.name)
        }
        return ResolvedKeyPath(operand: .count(collection))
    }
}
