// Composite attributes in predicates: key paths lead to their elements. The whole can only be
// compared with nil (spec §1.3).
extension ConditionResolver {
    /// `location == nil`, which means that no element has a value, or `location != nil`; nil for
    /// other comparisons.
    func absence(_ comparison: ObjectPredicate.Comparison) throws(FetchError) -> Condition? {
        // Resolving a key path twice is cheap, and most comparisons are not with nil.
        guard let expression = comparison.comparedWithNil, let path = try keyPath(expression),
            path.collection == nil
        else { return nil }
        return absence(of: path.operand, comparison)
    }

    /// The same for a composite attribute at the end of a key path.
    func absence(
        of operand: Operand, _ comparison: ObjectPredicate.Comparison
    ) -> Condition? {
        guard comparison.comparedWithNil != nil, let composite = operand.composite else {
            return nil
        }
        let isEqual = comparison.operator == .equal
        let parts = composite.parts(of: .null).map { part in
            let leaf = operand.replacingComposite(by: part.property)
            return isEqual ? Condition.isNull(leaf) : .isNotNull(leaf)
        }
        guard parts.count > 1 else { return parts.first ?? .value(isEqual) }
        return isEqual ? .and(parts) : .or(parts)
    }

    /// - Throws: `FetchError.compositeKeyNotAllowedHere` for a composite attribute.
    func requireColumn(of operand: Operand) throws(FetchError) {
        guard let composite = operand.composite else { return }
        let entity = model.entities[composite.declaringEntityIndex]
        throw .compositeKeyNotAllowedHere(composite.name, entity: entity.name)
    }
}

extension ResolvedKeyPath {
    /// The object that has the key after this path, and the key path from there: that of an element
    /// begins at its composite attribute.
    func owner(of key: String) -> (objects: ObjectPath, key: String)? {
        if let objects { return (objects, key) }
        guard case .attribute(let objects, let property) = operand, property.isComposite else {
            return nil
        }
        return (objects, "\(property.name).\(key)")
    }
}

extension ObjectPredicate.Comparison {
    /// The side that `==` or `!=` compares with nil; nil for other comparisons.
    fileprivate var comparedWithNil: ObjectExpression? {
        guard `operator` == .equal || `operator` == .notEqual else { return nil }
        switch (left, right) {
        case (let expression, .constant(.null)), (.constant(.null), let expression):
            return expression
        default: return nil
        }
    }
}

extension Operand {
    /// The composite attribute whose value the operand is; nil for other operands.
    fileprivate var composite: Property? {
        switch self {
        case .attribute(_, let property): property.isComposite ? property : nil
        case .element(_, _, let operand): operand.composite
        default: nil
        }
    }

    fileprivate func replacingComposite(by element: Property) -> Operand {
        switch self {
        case .attribute(let objects, _): .attribute(objects, element)
        case .element(let collection, let position, let operand):
            .element(collection, position, operand.replacingComposite(by: element))
        default: self
        }
    }
}
