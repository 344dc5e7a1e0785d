import Foundation

/// Writes conditions and operands as SQL on the table of an entity under the alias `t0` (spec
/// §7.6).
///
/// Terms keep the order of the predicate. `QueryFunctions` has functions for what SQLite cannot
/// express itself. What PostgreSQL cannot express with the same meaning throws
/// `FetchError.inMemoryOnly`.
struct SQLConditionWriter {
    let entity: Entity
    let layout: StoreLayout
    var model: ManagedObjectModel { layout.model }
    var dialect: SQLDialect { layout.dialect }

    /// Whether the statement can join other tables, which an UPDATE cannot.
    let followsRelationships: Bool

    /// The nested SELECTs, by the level of their objects; the first one is the statement's own.
    var scopes: [SQLTableScope]
    var lastAlias = 0

    /// Whether the operand being written is part of a computation, in which the type of a number
    /// matters: columns of decimals and dates store whole numbers as integers. A comparison needs
    /// no conversion, so that an index can serve it.
    var isInComputation = false

    /// How the texts of attributes are folded that are being written, in PostgreSQL.
    var folding: ObjectPredicate.Options = []

    /// Whether the statement can read the columns with folded texts, of which groups know nothing.
    var readsFoldedColumns = true

    /// The index that the predicate asks for; see `indexed:by:`.
    var indexName: String?

    /// The full-text index that the statement joins, and those whose ranks and snippets it asks
    /// for.
    var joined: FullTextTable?
    var reported: [String] = []

    init(entity: Entity, layout: StoreLayout, followsRelationships: Bool = true) {
        self.entity = entity
        self.layout = layout
        self.followsRelationships = followsRelationships
        scopes = [SQLTableScope(entity, alias: 0)]
    }

    /// The tables of the statement itself.
    var root: SQLTableScope { scopes[0] }

    /// The position of a term in the condition.
    struct Place {
        /// Whether a row is selected only if the term is true, so that joins for it can be inner.
        var isRequired = true
        var isNegated = false

        static let required = Place()
        static let optional = Place(isRequired: false)
    }

    // MARK: - Conditions

    mutating func write(
        _ condition: Condition, to text: inout SQLText, _ place: Place = .required
    ) throws(FetchError) {
        let wasInComputation = isInComputation
        isInComputation = false
        defer { isInComputation = wasInComputation }
        switch condition {
        case .value(let value): text.append(dialect.truth(value))
        case .and(let parts): try write(parts[...], " AND ", to: &text, place)
        case .or(let parts):
            let inner = Place(isRequired: false, isNegated: place.isNegated)
            try write(parts[...], " OR ", to: &text, inner)
        case .not(let part):
            text.append("NOT (")
            try write(part, to: &text, Place(isRequired: false, isNegated: !place.isNegated))
            text.append(")")
        case .isNull(let operand):
            try writeForNullTest(operand, to: &text, .optional)
            text.append(" IS NULL")
        case .isNotNull(let operand):
            try writeForNullTest(operand, to: &text, place)
            text.append(" IS NOT NULL")
        case .compare(let left, let relation, let right, let options):
            try writeComparison(left, relation, right, options, to: &text, place)
        case .between(let operand, let least, let greatest):
            try writeBetween(operand, least, greatest, to: &text, place)
        case .isIn(let operand, let values, let orNull, let options):
            try writeList(operand, values, orNull: orNull, options, to: &text, place)
        case .matches(let operand, let operation, let pattern, let options):
            try writeMatch(operand, operation, pattern, options, to: &text, place)
        case .isFetched(let operand, let fetch, let options):
            try writeMembership(operand, fetch, options, to: &text, place)
        case .search(let search): try write(search, to: &text, place)
        case .quantified(let collection, let isAll, let part):
            try writeQuantified(collection, isAll: isAll, part, to: &text, place)
        case .block: throw .inMemoryOnly(feature: "A block")
        }
    }

    /// SQLite nests a chain of terms to a depth of at most 1,000 (SQLITE_LIMIT_EXPR_DEPTH), the
    /// first terms deepest. A longer chain is halved, so that the number of terms has no such
    /// limit.
    private static let longestChain = ObjectPredicate.longestChain

    private mutating func write(
        _ parts: ArraySlice<Condition>, _ separator: String, to text: inout SQLText,
        _ place: Place
    ) throws(FetchError) {
        if parts.count > Self.longestChain {
            let middle = parts.startIndex + parts.count / 2
            text.append("(")
            try write(parts[..<middle], separator, to: &text, place)
            text.append(")\(separator)(")
            try write(parts[middle...], separator, to: &text, place)
            text.append(")")
            return
        }
        for (position, part) in parts.enumerated() {
            if position > 0 { text.append(separator) }
            let isNested = part.isCompound
            if isNested { text.append("(") }
            try write(part, to: &text, place)
            if isNested { text.append(")") }
        }
    }

    private mutating func writeComparison(
        _ left: Operand, _ relation: Condition.Relation, _ right: Operand,
        _ options: ObjectPredicate.Options, to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        if dialect == .postgreSQL {
            let sides = try comparable(folded(left, options), folded(right, options))
            folding = options
            defer { folding = [] }
            try writeOrdered(sides.left, relation, sides.right, to: &text, place)
        } else if options.isEmpty {
            try write(left, to: &text, place)
            text.append(relation.sql)
            try write(right, to: &text, place)
        } else if case .constant(let value) = right, let string = value.string,
            isIndexed(left, options)
        {
            try writeFolded(left, options, to: &text, place)
            text.append(relation.sql)
            text.bind(.text(StringFolding.fold(string, options)))
        } else {
            try writeCall("OGCompare", left, right, options, to: &text, place)
            text.append(relation.sql)
            text.append("0")
        }
    }

    private mutating func writeBetween(
        _ operand: Operand, _ least: Operand, _ greatest: Operand, to text: inout SQLText,
        _ place: Place
    ) throws(FetchError) {
        var (least, greatest) = (least, greatest)
        var order = ""
        if dialect == .postgreSQL {
            if case .constant = operand {
                // Each bound may need the constant in another form.
                text.append("(")
                try writeComparison(operand, .greaterOrEqual, least, [], to: &text, place)
                text.append(" AND ")
                try writeComparison(operand, .lessOrEqual, greatest, [], to: &text, place)
                return text.append(")")
            }
            least = try comparable(operand, least).right
            greatest = try comparable(operand, greatest).right
            order = binaryOrder(operand, least, greatest)
        }
        try write(operand, to: &text, place)
        text.append("\(order) BETWEEN ")
        try write(least, to: &text, place)
        text.append(" AND ")
        try write(greatest, to: &text, place)
    }

    private mutating func writeCall(
        _ function: String, _ left: Operand, _ right: Operand, _ options: ObjectPredicate.Options,
        to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        text.append(function)
        text.append("(")
        try write(left, to: &text, place)
        text.append(", ")
        try write(right, to: &text, place)
        text.append(", \(options.rawValue))")
    }

    private mutating func writeMatch(
        _ operand: Operand, _ operation: StringMatcher.Operation, _ pattern: Operand,
        _ options: ObjectPredicate.Options, to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        if dialect == .postgreSQL, !options.isEmpty, operation != .matches {
            let (operand, pattern) = (try folded(operand, options), try folded(pattern, options))
            folding = options
            defer { folding = [] }
            return try writeMatch(operand, operation, pattern, [], to: &text, place)
        }
        if case .constant(.string(let prefix)) = pattern {
            if operation == .matches { _ = try StringMatcher(operation, prefix, options) }
            // A range can use an index. A negated one cannot, and would exclude nulls, which the
            // function does not. An empty prefix goes to the function, because no text begins with
            // it.
            if operation == .beginsWith, !place.isNegated,
                options.isEmpty ? allowsRange(operand) : isIndexed(operand, options)
            {
                let prefix = options.isEmpty ? prefix : StringFolding.fold(prefix, options)
                if !prefix.isEmpty {
                    return try writeRange(of: prefix, operand, options, to: &text, place)
                }
            }
        }
        if dialect == .postgreSQL {
            try writePlainMatch(operand, operation, pattern, to: &text, place)
        } else {
            try writeCall(operation.function, operand, pattern, options, to: &text, place)
        }
    }

    /// The texts that begin with a prefix. The prefix is already folded.
    private mutating func writeRange(
        of prefix: String, _ operand: Operand, _ options: ObjectPredicate.Options,
        to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        let successor = prefix.successor
        // The parentheses separate the range from an OR around it.
        text.append(successor == nil ? "" : "(")
        try writeFolded(operand, options, to: &text, place)
        text.append(" >= ")
        text.bind(.text(prefix))
        guard let successor else { return }
        text.append(" AND ")
        try writeFolded(operand, options, to: &text, place)
        text.append(" < ")
        text.bind(.text(successor))
        text.append(")")
    }

    /// Writes the operand, folded as the options say; this is also the expression of a folded index
    /// of the model.
    mutating func writeFolded(
        _ operand: Operand, _ options: ObjectPredicate.Options, to text: inout SQLText,
        _ place: Place
    ) throws(FetchError) {
        if options.isEmpty { return try write(operand, to: &text, place) }
        text.append("OGFold(")
        try write(operand, to: &text, place)
        text.append(", \(options.rawValue))")
    }

    /// Whether the model has an index of the attribute with this folding.
    private func isIndexed(_ operand: Operand, _ options: ObjectPredicate.Options) -> Bool {
        guard dialect == .sqlite, case .attribute(let path, let property) = operand else {
            return false
        }
        let entity = model.entities[path.entityIndex]
        return model.entities[entity.rootIndex].familyIndexes.contains { index in
            model.entities[index].description.indexes.contains {
                $0.elements[0].property == property.name
                    && $0.elements[0].folding.options == options
            }
        }
    }
}

extension Condition {
    var isCompound: Bool {
        switch self {
        case .and, .or: true
        default: false
        }
    }
}
