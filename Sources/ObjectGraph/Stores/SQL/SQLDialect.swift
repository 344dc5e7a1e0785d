import Foundation

/// The SQL of a database: its words, its literals, and the expressions that databases write
/// otherwise. `SQLConditionWriter` and the translations write what they have in common, and ask.
///
/// A method that writes gets the writer, which knows the tables of the statement. It throws
/// `FetchError.inMemoryOnly` for what the database cannot say with the same meaning.
protocol SQLDialect: Sendable {
    typealias Place = SQLConditionWriter.Place

    // MARK: - Words

    func truth(_ value: Bool) -> String

    /// The function that returns its first argument that is not NULL.
    var coalesce: String { get }

    /// The direction of a sort key. Nulls come first in ascending and last in descending order.
    func direction(isAscending: Bool) -> String

    /// Whether equal rows come in the order of their keys if the statement does not say so.
    var ordersEqualRows: Bool { get }

    /// What follows a SELECT in FROM.
    var aliasOfSelect: String { get }

    /// The limit of a SELECT that has an offset and no limit.
    var unlimited: String { get }

    /// What follows a table whose index the statement must use.
    func hint(index: String) -> String

    /// What stands before a column for which the statement must use no index.
    var withoutIndex: String { get }

    /// What stands around a text that is chosen by CASE.
    var chosenText: (opening: String, closing: String) { get }

    // MARK: - Tables

    /// The type of a column that has this type in SQLite.
    func columnType(_ type: String) -> String

    /// Whether columns of the type store whole numbers as integers.
    func keepsAsNumeric(_ type: AttributeType) -> Bool

    /// Whether the database has full-text indexes.
    var hasFullText: Bool { get }

    /// Whether a new store keeps a relationship without an inverse in the rows of its destination.
    var keepsOwnersInRows: Bool { get }

    /// An element of an index, with its order.
    func indexElement(_ value: String, isAscending: Bool) -> String

    /// Whether a partial index must have its condition. An index of all rows serves as well.
    var requiresConditionOfIndex: Bool { get }

    /// A name that the database keeps as it is.
    func name(_ name: String) -> String

    // MARK: - Statements

    func literal(_ value: SQLBinding) -> String

    /// The whole statement with its parameters as the database has them.
    ///
    /// - Throws: `FetchError.inMemoryOnly` for a text that the database cannot hold.
    func finished(_ text: SQLText) throws(FetchError) -> SQLText

    /// Writes a sort key without its direction.
    ///
    /// - Parameter dictionary: The columns of the results, if they are dictionaries.
    func write(
        _ key: CompiledSort.Key, of sortKey: SortKey, _ dictionary: DictionarySelection?,
        to text: inout SQLText, _ writer: inout SQLConditionWriter
    ) throws(FetchError)

    /// Writes what a group determines besides, if the database does not know.
    func writeRest(
        of group: Operand, to text: inout SQLText, _ writer: inout SQLConditionWriter
    ) throws(FetchError)

    /// What stands around a fetched column, so that its type is that of the values that are read.
    func cast(
        _ operand: Operand, to decoding: DictionaryColumn.Decoding
    ) throws(FetchError) -> (opening: String, closing: String)

    /// Writes the new value of an attribute in an UPDATE, and those of the columns that follow
    /// from it.
    func writeAssigned(
        _ operand: Operand, to property: Property, to text: inout SQLText,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError)

    // MARK: - Conditions

    func writeComparison(
        _ left: Operand, _ relation: Condition.Relation, _ right: Operand,
        _ options: ObjectPredicate.Options, to text: inout SQLText, _ place: Place,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError)

    func writeBetween(
        _ operand: Operand, _ least: Operand, _ greatest: Operand, to text: inout SQLText,
        _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError)

    /// Writes `IN`. A nil in the list matches objects without a value.
    func writeList(
        _ operand: Operand, _ values: [AttributeValue], orNull: Bool,
        _ options: ObjectPredicate.Options, to text: inout SQLText, _ place: Place,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError)

    /// Writes `IN` with the results of another SELECT.
    func writeMembership(
        _ operand: Operand, _ fetch: Condition.NestedFetch, _ options: ObjectPredicate.Options,
        to text: inout SQLText, _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError)

    func writeMatch(
        _ operand: Operand, _ operation: StringMatcher.Operation, _ pattern: Operand,
        _ options: ObjectPredicate.Options, to text: inout SQLText, _ place: Place,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError)

    // MARK: - Operands

    /// - Throws: `FetchError.inMemoryOnly` if the values of the operand have no type that holds them
    ///   exactly.
    func requireType(of operand: Operand) throws(FetchError)

    func write(
        _ function: Operand.Function, _ arguments: [Operand], to text: inout SQLText,
        _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError)

    func writeCast(
        _ operand: Operand, _ kind: ValueKind, to text: inout SQLText, _ place: Place,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError)

    /// What stands around the argument of an aggregate function over rows.
    func call(
        of statistic: Operand.Statistic, _ operand: Operand?
    ) throws(FetchError) -> (opening: String, closing: String)

    /// Writes a statistic over a list, which is null if one of the values is null.
    func write(
        _ statistic: Operand.Statistic, _ operands: [Operand], to text: inout SQLText,
        _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError)
}

extension String {
    /// The text in quotation marks. A mark with an accent is a character of its own, but SQL reads
    /// scalars.
    var sqlLiteral: String {
        var literal: UnicodeScalarView = "'".unicodeScalars
        for scalar in unicodeScalars {
            literal.append(scalar)
            if scalar == "'" { literal.append(scalar) }
        }
        literal.append("'")
        return String(literal)
    }
}

extension Data {
    var hexadecimal: String {
        map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
