import Foundation

// Values of several properties at once, and of properties of related objects.
extension ManagedObject {
    /// The values of properties by their names, as `value(forKey:)` returns them.
    ///
    /// - Throws: `PropertyError.unknownKey` if the entity lacks one of them.
    public final func dictionaryWithValues(forKeys keys: [String]) throws -> [String: Any?] {
        var values: [String: Any?] = [:]
        for key in keys { values.updateValue(try value(forKey: key), forKey: key) }
        return values
    }

    /// Sets several properties by their names: all of them, or none.
    ///
    /// - Throws: `PropertyError` as `setValue`; the object is then unchanged.
    public final func setValuesForKeys(_ values: [String: Any?]) throws {
        let assignments = try values.sorted { $0.key < $1.key }
            .map { try acceptable($0.value, forKey: $0.key) }
        for assignment in assignments { assign(assignment) }
    }

    /// The value at the end of a key path.
    ///
    /// Through to-one relationships it is nil if one has no destination. Through a to-many
    /// relationship it is an array of the values of its objects, without nils. `@count`, `@sum` and
    /// the like work as in predicates.
    ///
    /// - Throws: `FetchError` if the key path is wrong, or leads through two to-many relationships.
    public final func value(forKeyPath keyPath: String) throws -> Any? {
        let resolver = ConditionResolver(entity: binding.entity, model: binding.model)
        let path = try resolver.keyPath(keyPath)
        let frame = EvaluationFrame(ObjectSubject(object: self))
        let isIdentifier = keyPath.split(separator: ".").last == "objectID"
        func value(in frame: EvaluationFrame<ObjectSubject>) -> Any? {
            if case .object(let path) = path.operand, !isIdentifier {
                return frame.object(at: path)?.object
            }
            let value = path.operand.value(in: frame)
            return path.operand.attribute?.swiftValue(of: value) ?? value.swiftValue
        }
        guard let collection = path.collection else { return value(in: frame) }
        return frame.members(of: collection).compactMap(value)
    }
}

extension Operand {
    /// The operand's attribute, or the attribute whose minimum or maximum it is.
    fileprivate var attribute: Property? {
        switch self {
        case .attribute(_, let property): property
        case .summary(.minimum, _, let operand), .summary(.maximum, _, let operand):
            operand.attribute
        default: nil
        }
    }
}
