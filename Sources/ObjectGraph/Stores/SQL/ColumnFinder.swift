/// The purpose of a column in an entity's table, which decides its name.
enum ColumnForm {
    /// The value of an attribute, or the key of a to-one destination.
    case value
    /// The number of the concrete entity of a to-one destination, whose entity has this number.
    case entityNumber(Int64)
    /// The place in the ordered relationship at the other end.
    case place
    /// The key of the object that has the row's in a to-many relationship without an inverse; the
    /// entity that declares it has this number.
    case owner(Int64)
    /// The place in such a relationship.
    case placeAtOwner(Int64)

    static let reserved: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]

    /// The name, but for a suffix.
    ///
    /// - Parameter name: The property's in upper case.
    func base(_ name: String) -> String {
        switch self {
        case .value: "Z\(name)"
        case .entityNumber(let number): "Z\(number)_\(name)"
        case .place: "Z_FOK_\(name)"
        case .owner(let number): "Z\(number)\(name)"
        case .placeAtOwner(let number): "Z_FOK_\(number)\(name)"
        }
    }

    /// Whether a column has such a name, with any number and suffix.
    func matches(_ column: String, _ name: String) -> Bool {
        switch self {
        case .value: column.hasDigits(after: "Z\(name)")
        case .place: column.hasDigits(after: "Z_FOK_\(name)")
        case .owner:
            column.hasPrefix("Z") && column.dropFirst().first?.isDigit == true
                && column.dropFirst().drop(while: \.isDigit).hasDigits(after: name)
        case .placeAtOwner:
            column.hasPrefix("Z_FOK_")
                && column.drop(prefix: "Z_FOK_").drop(while: \.isDigit).hasDigits(after: name)
        case .entityNumber:
            column.first == "Z"
                && column.dropFirst().drop(while: \.isDigit).hasDigits(after: "_\(name)")
        }
    }
}

/// Finds columns in a table of a file, each once.
struct ColumnFinder {
    private let columns: StoreCatalog.Columns
    private var expected = ColumnForm.reserved
    private var found = ColumnForm.reserved

    init(_ columns: StoreCatalog.Columns) { self.columns = columns }

    /// The column with the first suffix that was not expected before; nil if there is none.
    mutating func expected(_ base: String) -> String? {
        var name = base
        var suffix = 0
        while !expected.insert(name).inserted {
            suffix += 1
            name = "\(base)\(suffix)"
        }
        guard let column = columns[name] else { return nil }
        found.insert(name)
        return column
    }

    /// The one remaining column whose name has the form; nil if there is none, or several.
    mutating func only(_ form: ColumnForm, _ names: [String]) -> String? {
        for name in names {
            let others = others(form, name)
            if let other = others.first, others.count == 1 {
                found.insert(other)
                return columns[other]
            }
        }
        return nil
    }

    func hasOther(_ form: ColumnForm, _ name: String) -> Bool { !others(form, name).isEmpty }

    private func others(_ form: ColumnForm, _ name: String) -> [String] {
        columns.keys.filter { !found.contains($0) && form.matches($0, name) }
    }
}

/// The names that a join table and its columns can have, as the owner of the relationship sees
/// them.
struct JoinNames {
    private let own: String
    private let other: String?

    /// The names of the table, the owner's first.
    let tables: [String]
    let columns: (source: String, destination: String)
    let isOrdered: Bool
    let isInverseOrdered: Bool

    /// - Parameters:
    ///   - number: The number of the owner's entity.
    ///   - own: The name of the relationship in upper case.
    ///   - inverseNumber: The number of the other end's entity; nil without an inverse.
    ///   - other: The name of the inverse in upper case.
    ///   - isReflexive: Whether the relationship is its own inverse.
    ///   - isOrdered: Whether the relationship is ordered.
    ///   - isInverseOrdered: Whether the inverse is.
    init(
        number: Int64, own: String, inverseNumber: Int64?, other: String?, isReflexive: Bool,
        isOrdered: Bool, isInverseOrdered: Bool
    ) {
        self.own = own
        self.other = other
        self.isOrdered = isOrdered
        self.isInverseOrdered = isInverseOrdered
        guard let other, let inverseNumber, !isReflexive else {
            tables = ["Z_\(number)\(own)"]
            columns =
                isReflexive
                ? ("Z_\(number)\(own)", "REFLEXIVE") : ("Z_\(number)SOURCE", "Z_DESTINATION")
            return
        }
        tables = ["Z_\(number)\(own)", "Z_\(inverseNumber)\(other)"]
        let source = "Z_\(number)\(other)"
        let destination = "Z_\(inverseNumber)\(own)"
        columns = (source, source == destination ? destination + "1" : destination)
    }

    /// The column for a place beside that for a key.
    func place(_ column: String) -> String { "Z_FOK_" + column.drop(prefix: "Z_") }

    /// Whether a table is named as this one, with other numbers.
    func isOther(_ table: String) -> Bool {
        let name = table.drop(prefix: "Z_").drop(while: \.isDigit)
        return table.hasPrefix("Z_")
            && [own, other].contains { $0.map { name.hasDigits(after: $0) } ?? false }
    }

    /// The table of a file, if it has the columns.
    func table(_ table: (name: String, columns: StoreCatalog.Columns)) -> JoinTable? {
        func column(_ expected: String, besides other: String? = nil) -> String? {
            if let found = table.columns[expected] { return found }
            // Another number, another suffix.
            let prefix = expected.hasPrefix("Z_FOK_") ? "Z_FOK_" : "Z_"
            let name = expected.drop(prefix: prefix).drop(while: \.isDigit)
            let candidates = table.columns.keys.filter { candidate in
                candidate.hasPrefix(prefix) && candidate != other?.uppercased()
                    && candidate.drop(prefix: prefix).drop(while: \.isDigit)
                        .hasDigits(after: String(name))
            }
            return candidates.count == 1 ? table.columns[candidates[0]] : nil
        }
        guard let source = column(columns.source, besides: columns.destination),
            let destination = column(columns.destination, besides: source)
        else { return nil }
        let places = (
            isOrdered ? column(place(destination)) : nil,
            isInverseOrdered ? column(place(source)) : nil
        )
        guard (places.0 != nil) == isOrdered, (places.1 != nil) == isInverseOrdered else {
            return nil
        }
        return JoinTable(
            name: table.name, sourceColumn: source, destinationColumn: destination,
            placeColumn: places.0, inversePlaceColumn: places.1)
    }
}

extension StringProtocol {
    /// Whether nothing but digits, or nothing at all, follows the prefix.
    fileprivate func hasDigits(after prefix: String) -> Bool {
        hasPrefix(prefix) && dropFirst(prefix.count).allSatisfy(\.isDigit)
    }

    fileprivate func drop(prefix: String) -> Substring {
        Substring(hasPrefix(prefix) ? dropFirst(prefix.count) : dropFirst(0))
    }
}

extension Character {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}
