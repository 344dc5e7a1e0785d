import Foundation

/// Writes conditions and operands as SQL on the table of an entity under the alias `t0` (spec
/// §7.6).
///
/// Terms keep the order of the predicate. The dialect writes what databases say differently. What
/// its database cannot express with the same meaning throws `FetchError.inMemoryOnly`.
struct SQLConditionWriter {
    let entity: Entity
    let layout: StoreLayout
    var model: ManagedObjectModel { layout.model }
    var dialect: any SQLDialect { layout.dialect }

    /// Whether the statement can join other tables, which an UPDATE cannot.
    let followsRelationships: Bool

    /// The nested SELECTs, by the level of their objects; the first one is the statement's own.
    var scopes: [SQLTableScope]
    var lastAlias = 0

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

    /// The position of a term or an operand.
    struct Place {
        /// Whether a row is selected only if the term is true, so that joins for it can be inner.
        var isRequired = true
        var isNegated = false

        /// Whether the operand is part of a computation, in which the type of a number matters:
        /// SQLite's columns of decimals and dates store whole numbers as integers. A comparison
        /// needs no conversion, so that an index can serve it.
        var isInComputation = false

        /// Whether it is part of a dictionary result: a column, a group, a condition on groups or
        /// their order. Groups know nothing of the columns with folded texts.
        var isInResult = false

        /// How the texts of attributes are folded there, if by columns with folded texts.
        var folding: ObjectPredicate.Options = []

        static let required = Place()
        static let optional = Place(isRequired: false)
        static let result = Place(isRequired: false, isInResult: true)

        /// The place of an inner part, whose value alone selects no row.
        var optional: Place { with(isRequired: false, isNegated: false) }

        /// The place of the condition of an inner SELECT.
        var required: Place { with(isRequired: true, isNegated: false) }

        func with(isRequired: Bool, isNegated: Bool) -> Place {
            var place = self
            place.isRequired = isRequired
            place.isNegated = isNegated
            return place
        }
    }

    // MARK: - Conditions

    mutating func write(
        _ condition: Condition, to text: inout SQLText, _ place: Place = .required
    ) throws(FetchError) {
        var place = place
        place.isInComputation = false
        switch condition {
        case .value(let value): text.append(dialect.truth(value))
        case .and(let parts): try write(parts[...], " AND ", to: &text, place)
        case .or(let parts):
            let inner = place.with(isRequired: false, isNegated: place.isNegated)
            try write(parts[...], " OR ", to: &text, inner)
        case .not(let part):
            text.append("NOT (")
            try write(
                part, to: &text, place.with(isRequired: false, isNegated: !place.isNegated))
            text.append(")")
        case .isNull(let operand):
            try writeForNullTest(operand, to: &text, place.optional)
            text.append(" IS NULL")
        case .isNotNull(let operand):
            try writeForNullTest(operand, to: &text, place)
            text.append(" IS NOT NULL")
        case .compare(let left, let relation, let right, let options):
            try dialect.writeComparison(left, relation, right, options, to: &text, place, &self)
        case .between(let operand, let least, let greatest):
            try dialect.writeBetween(operand, least, greatest, to: &text, place, &self)
        case .isIn(let operand, let values, let orNull, let options):
            try dialect.writeList(
                operand, values, orNull: orNull, options, to: &text, place, &self)
        case .matches(let operand, let operation, let pattern, let options):
            try dialect.writeMatch(operand, operation, pattern, options, to: &text, place, &self)
        case .isFetched(let operand, let fetch, let options):
            try dialect.writeMembership(operand, fetch, options, to: &text, place, &self)
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

    /// Writes the range of the texts that begin with a prefix. Both are already folded.
    mutating func writeRange(
        of prefix: String, to text: inout SQLText,
        _ writeValue: (inout Self, inout SQLText) throws(FetchError) -> Void
    ) throws(FetchError) {
        let successor = prefix.successor
        // The parentheses separate the range from an OR around it.
        text.append(successor == nil ? "" : "(")
        try writeValue(&self, &text)
        text.append(" >= ")
        text.bind(.text(prefix))
        guard let successor else { return }
        text.append(" AND ")
        try writeValue(&self, &text)
        text.append(" < ")
        text.bind(.text(successor))
        text.append(")")
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
