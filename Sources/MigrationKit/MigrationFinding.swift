/// Something that a migration did otherwise than expected.
public struct MigrationFinding: Sendable, Hashable {
    public enum Problem: Sendable, Hashable {
        /// The snapshot could not be opened with the newest model; the value is the error.
        case refused(String)
        /// SQLite finds the migrated file damaged; the value is what it says.
        case damaged(String)
        /// No row has the values that follow from a row of the snapshot. Lists them.
        case missingRow(String)
        /// A row follows from no row of the snapshot. Lists its values.
        case unexpectedRow(String)
        /// A property has another value than expected. The row is the one that is most like the
        /// expected one.
        case value(row: String, found: String, expected: String)
        /// The property's predicate does not hold for a row. Lists its values.
        case unsatisfied(String, row: String)
        /// The snapshot has values that no entity or property of the newest model takes over, and no
        /// expectation says that they are removed.
        case lost
        /// Further rows differ.
        case more(Int)
    }

    /// The version of the snapshot.
    public let version: String

    /// The entity in the newest model, of what is lost in that of the snapshot; nil if the store as
    /// a whole is meant.
    public let entity: String?

    /// The key path of the property; nil if the row or the entity is meant.
    public let property: String?
    public let problem: Problem

    public init(version: String, entity: String?, property: String?, problem: Problem) {
        self.version = version
        self.entity = entity
        self.property = property
        self.problem = problem
    }
}

extension MigrationFinding: CustomStringConvertible {
    public var description: String {
        let place = [entity, property].compactMap(\.self).joined(separator: ".")
        let from = "from \(version): "
        return switch problem {
        case .refused(let error): "\(from)the store does not open. \(error)"
        case .damaged(let text): "\(from)the migrated file is damaged: \(text)"
        case .missingRow(let row): "\(from)\(place) has no row \(row)"
        case .unexpectedRow(let row): "\(from)\(place) has an unexpected row \(row)"
        case .value(let row, let found, let expected):
            "\(from)\(place) is \(found), expected \(expected), in \(row)"
        case .unsatisfied(let predicate, let row):
            "\(from)\(place) does not satisfy \(predicate) in \(row)"
        case .lost:
            "\(from)the values of \(place) are lost; set a renaming identifier, write a mapping, or expect .removed(\"\(place)\")"
        case .more(let count): "\(from)\(place) has \(count) more rows that differ"
        }
    }
}
