/// What becomes of the changes in a history when the store gets another model in place (spec §8.7,
/// §9.2).
///
/// A change refers to properties by their places among those of its entity: an update by the bits
/// of its bitmap, a deletion by the columns of the values that it preserved. Both follow the
/// properties. What a property had that is gone, goes; so do the changes of removed entities.
struct HistoryMigration {
    /// The changes of one entity.
    private struct Part {
        let number: Int64
        let former: HistoryEntity
        let entity: HistoryEntity

        /// What each property was, by index.
        let sources: [Property?]

        /// The bitmap of an update after the migration; nil if it does not tell the properties.
        func bitmap(from bitmap: UnsafeRawBufferPointer) -> [UInt8]? {
            guard let names = former.knownNames(of: bitmap) else { return nil }
            var properties = PropertyMask()
            for property in entity.entity.properties where !property.isHidden {
                guard let source = sources[property.index], names.contains(source.name) else {
                    continue
                }
                properties.insert(property.index)
            }
            return entity.bitmap(of: properties)
        }

        /// For each column of a preserved value the one from which it comes; nil for none.
        var tombstones: [Int?] {
            entity.tombstones.map { attribute, column in
                guard column != nil, let source = sources[attribute.index] else { return nil }
                return former.tombstones.firstIndex {
                    $0.attribute === source && $0.column != nil
                        && source.attributeType?.slotKind == attribute.attributeType?.slotKind
                }
            }
        }
    }

    private static let function = "OGMigratedColumns"

    private let parts: [Part]
    private let removed: [Int64]

    /// - Parameter members: The entities that stay, and what they were.
    init(
        _ members: [(entity: Entity, source: Entity)], _ correspondence: ModelCorrespondence,
        from source: StoreLayout, to target: StoreLayout, removed: [Int64], isOfCoreData: Bool
    ) {
        parts = members.filter { $0.entity.versionHash != $0.source.versionHash }.map { member in
            Part(
                number: target.number(of: member.entity),
                former: HistoryEntity(member.source, source, isOfCoreData: isOfCoreData),
                entity: HistoryEntity(member.entity, target, isOfCoreData: isOfCoreData),
                sources: member.entity.properties.map {
                    correspondence.source(of: $0, in: member.entity)
                })
        }
        self.removed = removed
    }

    /// Registers the function that the statements call.
    func register(on connection: Connection) throws(SQLiteError) {
        let byNumber = Dictionary(parts.map { ($0.number, $0) }) { first, _ in first }
        try connection.register(function: Self.function, argumentCount: 2, deterministic: true) {
            arguments in
            guard !arguments[1].isNull,
                let bitmap = byNumber[arguments[0].integer]?.bitmap(from: arguments[1].blob)
            else { return .null }
            return .blob(bitmap)
        }
    }

    /// - Parameter tombstoneCount: How many columns for preserved values the table has.
    func statements(tombstoneCount: Int) -> [String] {
        let count = max(tombstoneCount, parts.map(\.entity.tombstones.count).max() ?? 0)
        var statements = (tombstoneCount..<count).map {
            "ALTER TABLE ACHANGE ADD COLUMN \(HistoryTables.tombstone($0)) BLOB"
        }
        for part in parts {
            var columns = ["ZCOLUMNS = \(Self.function)(ZENTITY, ZCOLUMNS)"]
            let sources = part.tombstones
            for column in 0..<count {
                let source = column < sources.count ? sources[column] : nil
                if source == column { continue }
                let value = source.map(HistoryTables.tombstone) ?? "NULL"
                columns.append("\(HistoryTables.tombstone(column)) = \(value)")
            }
            statements.append(
                "UPDATE ACHANGE SET \(columns.joined(separator: ", ")) WHERE ZENTITY = \(part.number)"
            )
        }
        if !removed.isEmpty {
            let numbers = removed.map(String.init).joined(separator: ", ")
            statements.append("DELETE FROM ACHANGE WHERE ZENTITY IN (\(numbers))")
        }
        return statements
    }
}
