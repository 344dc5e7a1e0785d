import Foundation

/// The UPDATE of a batch request. It raises the version of each row (spec §6.3).
package struct BatchUpdateTranslation: Sendable {
    package let sql: String
    package let bindings: [SQLBinding]

    /// - Throws: `FetchError` for keys that are not attributes of the entity, values of another
    ///   type, and values that follow a relationship.
    package init(
        _ request: BatchUpdateRequest, entity: Entity, layout: StoreLayout
    ) throws(FetchError) {
        try request.predicate?.checkDepth()
        for value in request.propertiesToUpdate.values { try value.checkDepth() }
        guard !request.propertiesToUpdate.isEmpty else {
            throw .invalidArguments(
                function: "BatchUpdateRequest", expected: "at least one property to update")
        }
        let text: SQLText
        do {
            text = try Self.statement(request, entity, layout, isNested: false)
        } catch FetchError.relationshipNotAllowedHere {
            // An UPDATE cannot join tables, but a SELECT in it can.
            text = try Self.statement(request, entity, layout, isNested: true)
        }
        let statement = try layout.dialect.finished(text)
        sql = statement.sql
        bindings = statement.bindings
    }

    /// - Parameter isNested: Whether a SELECT finds the rows.
    private static func statement(
        _ request: BatchUpdateRequest, _ entity: Entity, _ layout: StoreLayout, isNested: Bool
    ) throws(FetchError) -> SQLText {
        var writer = SQLConditionWriter(
            entity: entity, layout: layout, followsRelationships: false)
        let resolver = ConditionResolver(entity: entity, model: layout.model)
        var text = SQLText()
        // Rows of other writers may have no version. They count as version 0 (spec §5.2).
        text.append(
            "UPDATE \(layout.table(of: entity)) AS t0 SET Z_OPT = \(layout.dialect.coalesce)(Z_OPT, 0) + 1"
        )
        for (property, value) in try request.assignments(to: entity) {
            let name = property.name
            guard let type = property.attributeType else {
                throw .relationshipNotAllowedHere(name, entity: entity.name)
            }
            guard let slot = property.slot else {
                throw .transientKeyNotAllowedHere(name, entity: entity.name)
            }
            guard property.derivation == nil else {
                throw .derivedKeyNotAllowedHere(name, entity: entity.name)
            }
            text.append(", \(layout.column(slot, of: entity)) = ")
            let operand = try Self.operand(value, for: property, type, resolver)
            try layout.dialect.writeAssigned(operand, to: property, to: &text, &writer)
        }
        if isNested {
            var matching = FetchRequest(
                entityName: request.entityName, predicate: request.predicate)
            matching.includesSubentities = request.includesSubentities
            let keys = try FetchTranslation(
                matching, entity: entity, layout: layout, selection: .keys, isNested: true)
            text.append(SQLText(keys)) {
                " WHERE t0.Z_PK IN (SELECT Z_PK FROM (\($0))\(layout.dialect.aliasOfSelect))"
            }
        } else {
            try text.appendRestriction(
                to: entity, includesSubentities: request.includesSubentities, request.predicate,
                &writer)
        }
        return text
    }

    private static func operand(
        _ expression: ObjectExpression, for property: Property, _ type: AttributeType,
        _ resolver: ConditionResolver
    ) throws(FetchError) -> Operand {
        let operand = try resolver.operand(expression)
        if case .constant(let value) = operand {
            guard let converted = property.converted(value), converted.isStorable else {
                throw .typeMismatch(key: property.name, expected: "of type \(type)", value: value)
            }
            return .constant(converted)
        }
        guard operand.kind == ValueKind(type) else {
            throw .invalidComparison(
                "\(property.name) = \(expression)", advice: "the value is not of type \(type).")
        }
        return operand
    }
}

extension BatchUpdateRequest {
    /// The properties to set, sorted by name, so that equal requests have equal statements. All
    /// elements stand for a composite attribute.
    package func assignments(
        to entity: Entity
    ) throws(FetchError) -> [(property: Property, value: ObjectExpression)] {
        var assignments: [(property: Property, value: ObjectExpression)] = []
        for (name, value) in propertiesToUpdate.sorted(by: { $0.key < $1.key }) {
            guard let property = entity.property(at: name) else {
                throw .unknownKeyPath(name, entity: entity.name)
            }
            guard property.isComposite else {
                assignments.append((property, value))
                continue
            }
            guard case .constant(let constant) = value else {
                throw .compositeKeyNotAllowedHere(name, entity: entity.name)
            }
            guard let composite = property.converted(constant) else {
                throw .typeMismatch(
                    key: name, expected: "a composite of its elements", value: constant)
            }
            for part in property.parts(of: composite) {
                assignments.append((part.property, .constant(part.value)))
            }
        }
        return assignments
    }
}
