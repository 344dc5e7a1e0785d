#if PostgreSQL
import Foundation
import ObjectGraph

/// Reads transactions and changes from the tables of a history.
struct HistoryReader: HistorySnapshot {
    let extent: HistoryExtent
    let history: StoreHistory
    let storeID: String

    /// By entity index.
    let scopes: [ObjectIDScope]
    let transaction: ReadTransaction

    func number(from date: Date, isAfter: Bool) throws -> Int64? {
        let rows = try transaction.run([
            Command(
                "SELECT min(Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP \(isAfter ? ">" : ">=") $1",
                [.real(date.timeIntervalSinceReferenceDate)])
        ])[0]
        return rows.isNull(0, 0) ? nil : try rows.integer(0, 0)
    }

    func transactions(
        after number: Int64, limit: Int, _ filter: HistoryFilter, includesChanges: Bool
    ) throws -> [PersistentHistoryTransaction] {
        var found: [PersistentHistoryTransaction] = []
        var last = number
        while found.count < limit {
            let rows = try transaction.run([
                Command(
                    """
                    SELECT Z_PK, ZKEY, ZTIMESTAMP, ZAUTHOR, ZBUNDLEID, ZCONTEXTNAME, ZPROCESSID \
                    FROM ATRANSACTION WHERE Z_PK > $1 ORDER BY Z_PK LIMIT $2
                    """, [.integer(last), .integer(Int64(limit))])
            ])[0]
            var matching: [(key: Int64, record: PersistentHistoryTransaction)] = []
            for row in 0..<rows.count {
                let record = try record(in: rows, row)
                last = record.transactionNumber
                if filter.includes(record) {
                    matching.append((try rows.integer(row, 1), record))
                }
            }
            if includesChanges || filter.selectsChanges {
                let changes = try changes(of: matching, filter)
                for (key, record) in matching {
                    let own = changes[key] ?? []
                    if own.isEmpty, filter.selectsChanges { continue }
                    found.append(record)
                    if includesChanges { found[found.count - 1].changes = own }
                }
            } else {
                found += matching.map(\.record)
            }
            if rows.count < limit { break }
        }
        return Array(found.prefix(limit))
    }

    private func record(in rows: Rows, _ row: Int) throws -> PersistentHistoryTransaction {
        func text(_ column: Int) throws -> String? {
            rows.isNull(row, column) ? nil : try rows.text(row, column)
        }
        let number = try rows.integer(row, 0)
        return PersistentHistoryTransaction(
            transactionNumber: number,
            timestamp: Date(timeIntervalSinceReferenceDate: try rows.real(row, 2)),
            token: PersistentHistoryToken([storeID: number]), storeID: storeID,
            bundleID: try text(4), processID: try text(6), contextName: try text(5),
            author: try text(3), changes: nil)
    }

    // MARK: - Changes

    /// The changes by the key of their transaction.
    private func changes(
        of transactions: [(key: Int64, record: PersistentHistoryTransaction)],
        _ filter: HistoryFilter
    ) throws -> [Int64: [PersistentHistoryChange]] {
        guard !transactions.isEmpty else { return [:] }
        let numbers = Dictionary(
            transactions.map { ($0.key, $0.record.transactionNumber) },
            uniquingKeysWith: { first, _ in first })
        let rows = try transaction.run([
            Command(
                """
                SELECT Z_PK, ZTRANSACTIONKEY, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS, \
                array_to_json(ZTOMBSTONE)::text \
                FROM ACHANGE WHERE ZTRANSACTIONKEY = ANY($1) ORDER BY Z_PK
                """, [.integers(transactions.map(\.key))])
        ])[0]
        var found: [Int64: [PersistentHistoryChange]] = [:]
        for row in 0..<rows.count {
            let key = try rows.integer(row, 1)
            guard let number = numbers[key], let change = try change(in: rows, row, of: number),
                filter.includes(change)
            else { continue }
            found[key, default: []].append(change)
        }
        return found
    }

    /// Nil for an object of an entity that the model lacks.
    private func change(
        in rows: Rows, _ row: Int, of number: Int64
    ) throws -> PersistentHistoryChange? {
        let (id, key) = (try rows.integer(row, 0), try rows.integer(row, 4))
        guard
            let type = PersistentHistoryChange.ChangeType(
                rawValue: Int(try rows.integer(row, 2))), key >= 0
        else {
            throw StoreError(
                .damagedValue("the change \(id) of the history has an unknown type or key"))
        }
        guard let index = history.layout.entityIndex(number: try rows.integer(row, 3)) else {
            return nil
        }
        let entity = history.entities[index]
        return PersistentHistoryChange(
            changeID: id, transactionNumber: number,
            changedObjectID: ManagedObjectID(scope: scopes[index], reference: key),
            changeType: type,
            updatedProperties: type == .update ? entity.names(of: rows.bytes(row, 5)) : nil,
            tombstone: type == .delete ? try tombstone(in: rows, row, entity) : nil)
    }

    /// Nil if the entity has no preserved attributes.
    private func tombstone(
        in rows: Rows, _ row: Int, _ entity: HistoryEntity
    ) throws -> [String: AttributeValue]? {
        guard !entity.tombstones.isEmpty else { return nil }
        guard !rows.isNull(row, 6) else { return [:] }
        let texts = try JSONDecoder().decode(
            [String?].self, from: Data(try rows.text(row, 6).utf8))
        let layout = entity.entity.layout
        var writer = RowWriter(expectedByteCount: 1024)
        writer.begin(
            layout.extent, key: 0, version: 0, entityNumber: UInt32(entity.entity.number))
        for (text, tombstone) in zip(texts, entity.tombstones) {
            guard var text else { continue }
            let slot = tombstone.attribute.slot!
            switch layout.slotKinds[slot] {
            case .integer: if let value = Int64(text) { writer.set(slot, integer: value) }
            case .real: if let value = Double(text) { writer.set(slot, real: value) }
            case .text: text.withUTF8 { writer.set(slot, bytes: UnsafeRawBufferPointer($0)) }
            case .blob: Data(hexadecimal: text).withUnsafeBytes { writer.set(slot, bytes: $0) }
            }
        }
        let values = writer.finish()
        var tombstone: [String: AttributeValue] = [:]
        for (attribute, _) in entity.tombstones where values.hasValue(attribute.slot!) {
            tombstone[attribute.name] = try values.value(of: attribute, in: layout)
        }
        return tombstone
    }
}

extension Data {
    /// The bytes that `encode(…, 'hex')` has written.
    fileprivate init(hexadecimal text: String) {
        var digits = Array(text.utf8)[...]
        self.init(capacity: digits.count / 2)
        while digits.count >= 2 {
            let byte = UInt8(String(decoding: digits.prefix(2), as: UTF8.self), radix: 16)
            append(byte ?? 0)
            digits = digits.dropFirst(2)
        }
    }
}
#endif
