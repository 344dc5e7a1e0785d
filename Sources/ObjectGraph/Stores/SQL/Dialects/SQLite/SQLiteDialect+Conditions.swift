// Conditions on texts call functions of the engine, unless an index serves them.
extension SQLiteDialect {
    func writeComparison(
        _ left: Operand, _ relation: Condition.Relation, _ right: Operand,
        _ options: ObjectPredicate.Options, to text: inout SQLText, _ place: Place,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        if options.isEmpty {
            try writer.write(left, to: &text, place)
            text.append(relation.sql)
            try writer.write(right, to: &text, place)
        } else if case .constant(let value) = right, let string = value.string,
            isIndexed(left, options, writer.model)
        {
            try writeFolded(left, options, to: &text, place, &writer)
            text.append(relation.sql)
            text.bind(.text(StringFolding.fold(string, options)))
        } else {
            try writeCall("OGCompare", left, right, options, to: &text, place, &writer)
            text.append(relation.sql)
            text.append("0")
        }
    }

    func writeBetween(
        _ operand: Operand, _ least: Operand, _ greatest: Operand, to text: inout SQLText,
        _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        try writer.write(operand, to: &text, place)
        text.append(" BETWEEN ")
        try writer.write(least, to: &text, place)
        text.append(" AND ")
        try writer.write(greatest, to: &text, place)
    }

    func writeMatch(
        _ operand: Operand, _ operation: StringMatcher.Operation, _ pattern: Operand,
        _ options: ObjectPredicate.Options, to text: inout SQLText, _ place: Place,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        if case .constant(.string(let prefix)) = pattern {
            if operation == .matches { _ = try StringMatcher(operation, prefix, options) }
            // A range can use an index. A negated one cannot, and would exclude nulls, which the
            // function does not. An empty prefix goes to the function, because no text begins with
            // it.
            if operation == .beginsWith, !place.isNegated,
                options.isEmpty || isIndexed(operand, options, writer.model)
            {
                let prefix = options.isEmpty ? prefix : StringFolding.fold(prefix, options)
                if !prefix.isEmpty {
                    return try writer.writeRange(of: prefix, to: &text) {
                        (writer, text) throws(FetchError) in
                        try writeFolded(operand, options, to: &text, place, &writer)
                    }
                }
            }
        }
        try writeCall(operation.function, operand, pattern, options, to: &text, place, &writer)
    }

    private func writeCall(
        _ function: String, _ left: Operand, _ right: Operand, _ options: ObjectPredicate.Options,
        to text: inout SQLText, _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        text.append(function)
        text.append("(")
        try writer.write(left, to: &text, place)
        text.append(", ")
        try writer.write(right, to: &text, place)
        text.append(", \(options.rawValue))")
    }

    /// Writes the operand, folded as the options say; this is also the expression of a folded index
    /// of the model.
    func writeFolded(
        _ operand: Operand, _ options: ObjectPredicate.Options, to text: inout SQLText,
        _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        if options.isEmpty { return try writer.write(operand, to: &text, place) }
        text.append("OGFold(")
        try writer.write(operand, to: &text, place)
        text.append(", \(options.rawValue))")
    }

    /// Whether the model has an index of the attribute with this folding.
    private func isIndexed(
        _ operand: Operand, _ options: ObjectPredicate.Options, _ model: ManagedObjectModel
    ) -> Bool {
        guard case .attribute(let path, let property) = operand else { return false }
        let entity = model.entities[path.entityIndex]
        return model.entities[entity.rootIndex].familyIndexes.contains { index in
            model.entities[index].description.indexes.contains {
                $0.elements[0].property == property.name
                    && $0.elements[0].folding.options == options
            }
        }
    }
}
