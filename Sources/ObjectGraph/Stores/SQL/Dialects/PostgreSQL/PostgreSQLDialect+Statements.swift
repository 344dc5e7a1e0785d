// The parts of statements beside conditions: parameters, sort keys, groups and new values.
extension PostgreSQLDialect {
    /// PostgreSQL counts parameters. It has NaN, which equals itself, and SQLite binds it as NULL; a
    /// NULL is a literal, since a parameter without a type could be of any.
    func finished(_ text: SQLText) throws(FetchError) -> SQLText {
        for case .text(let text) in text.bindings where text.utf8.contains(0) {
            throw .inMemoryOnly(feature: "A text with the character U+0000")
        }
        var bindings: [SQLBinding] = []
        let sql = text.replacingParameters { binding in
            switch binding {
            case .null: return "NULL"
            case .real(let value) where value.isNaN: return "NULL::double precision"
            default:
                bindings.append(binding)
                return "$\(bindings.count)"
            }
        }
        return SQLText(sql, bindings)
    }

    // MARK: - Sorting and grouping

    func write(
        _ key: CompiledSort.Key, of sortKey: SortKey, _ dictionary: DictionarySelection?,
        to text: inout SQLText, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        let place = dictionary == nil ? Place.optional : .result
        switch key.comparison {
        case .binary: break
        case .caseInsensitive:
            return try writeFolded(key.operand, .caseInsensitive, to: &text, place, &writer)
        case .localizedStandard:
            throw .inMemoryOnly(feature: "Sorting with the comparison \(key.comparison)")
        }
        if let number = dictionary?.number(of: sortKey) { return text.append("\(number)") }
        if dictionary?.isDistinct == true {
            throw .inMemoryOnly(
                feature: "Sorting distinct results by a key that is not fetched")
        }
        try writer.write(key.operand, to: &text, place)
        text.append(binaryOrder(key.operand))
    }

    private func writeFolded(
        _ key: Operand, _ options: ObjectPredicate.Options, to text: inout SQLText,
        _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        let key = try folded(key, options, place, writer.layout)
        var place = place
        place.folding = options
        try writer.write(key, to: &text, place)
        text.append(binaryOrder(key))
    }

    /// PostgreSQL does not know that the key of an object determines its entity.
    func writeRest(
        of group: Operand, to text: inout SQLText, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        switch group {
        case .object(let path):
            guard case .objectIDWithEntity = DictionaryColumn.Decoding.object(path) else { return }
            text.append(", ")
            try writer.writeEntityNumber(of: path, to: &text)
        // A SELECT within has other aliases in each place.
        case .count, .summary:
            throw .inMemoryOnly(feature: "Groups by a value of a to-many relationship")
        default: return
        }
    }

    // MARK: - Updates

    /// A real number for an integer loses its fraction.
    func writeAssigned(
        _ operand: Operand, to property: Property, to text: inout SQLText,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        if !operand.isNull, property.attributeType?.slotKind == .integer {
            try writeWhole(operand, to: &text, .required, &writer)
        } else {
            try writer.write(operand, to: &text, .required)
        }
        for column in writer.layout.foldedColumns(property.slot!, of: writer.entity) {
            text.append(", \(column.name) = ")
            try writeAssigned(
                operand, foldedFor: property.name, column.source.folding.options, to: &text,
                &writer)
        }
    }

    /// Writes the folded text of an attribute's new value.
    ///
    /// - Throws: `FetchError.unsupported` for a value that is neither a constant nor an attribute
    ///   that is folded alike.
    private func writeAssigned(
        _ operand: Operand, foldedFor attribute: String, _ options: ObjectPredicate.Options,
        to text: inout SQLText, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        guard let operand = try? folded(operand, options, .required, writer.layout) else {
            throw .unsupported(
                feature:
                    "A computed value for '\(attribute)' in a batch update of a PostgreSQL store with an index that folds the attribute"
            )
        }
        var place = Place.required
        place.folding = options
        try writer.write(operand, to: &text, place)
    }
}
