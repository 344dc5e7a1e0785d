/// The type of an attribute's values.
///
/// The raw values are Core Data's (spec §0.1), so that a type can be written to a file and read by
/// other tools.
public enum AttributeType: Int, Sendable, Hashable, Codable, CaseIterable {
    /// Any value; for transient attributes only.
    case undefined = 0
    case integer16 = 100
    case integer32 = 200
    case integer64 = 300
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case boolean = 800
    case date = 900
    case binaryData = 1000
    case uuid = 1100
    case uri = 1200
    /// Values of one Swift type, stored as the data that the attribute's transformer produces.
    case transformable = 1800
    /// Identifiers of objects; for transient attributes and expressions only.
    case objectID = 2000
    /// Several named values, each with a column of its own: the attribute's elements.
    case composite = 2100

    /// Whether values of the type cannot be stored.
    var isTransientOnly: Bool { self == .undefined || self == .objectID }

    /// The declared type of the attribute's column (spec §1.3). A composite attribute has none.
    var columnType: String {
        switch self {
        case .integer16, .integer32, .integer64, .boolean, .objectID: "INTEGER"
        case .decimal: "DECIMAL"
        case .double, .float: "FLOAT"
        case .string, .uri: "VARCHAR"
        case .date: "TIMESTAMP"
        case .binaryData, .uuid, .transformable, .undefined, .composite: "BLOB"
        }
    }

    /// Whether each value of another type is one of this type, in a column of the same form: a
    /// migration leaves it where it is.
    func holdsValues(of other: AttributeType) -> Bool {
        switch (other, self) {
        case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64),
            (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64),
            (.float, .double):
            true
        default: self == other
        }
    }

    /// The form of a value of this type in a row in memory.
    var slotKind: SlotKind {
        switch self {
        case .integer16, .integer32, .integer64, .boolean, .objectID: .integer
        case .decimal, .double, .float, .date: .real
        case .string, .uri: .text
        case .binaryData, .uuid, .transformable, .undefined, .composite: .blob
        }
    }

    /// The range of an integer type; nil for the other types.
    var integerRange: ClosedRange<Int64>? {
        switch self {
        case .integer16: Int64(Int16.min)...Int64(Int16.max)
        case .integer32: Int64(Int32.min)...Int64(Int32.max)
        case .integer64: Int64.min...Int64.max
        default: nil
        }
    }
}

/// The four forms of a value in a slot of a row.
package enum SlotKind: UInt8, Sendable, Hashable, BitwiseCopyable {
    case integer
    case real
    case text
    case blob
}
