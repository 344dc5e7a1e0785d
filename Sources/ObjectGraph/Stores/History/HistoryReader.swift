import Foundation

/// Reads transactions and changes from the tables of a history.
///
/// While `extent` is read by a running statement, all others see the same state.
final class HistoryReader: HistorySnapshot {
    let extent: HistoryExtent
    let history: StoreHistory
    let storeID: String

    /// By entity index.
    let scopes: [ObjectIDScope]
    let connection: Connection

    /// The names of the last bitmap, since the next one is often the same.
    private var last: (entityIndex: Int, bitmap: [UInt8], names: Set<String>)?

    init(
        _ extent: HistoryExtent, history: StoreHistory, storeID: String, scopes: [ObjectIDScope],
        connection: Connection
    ) {
        self.extent = extent
        self.history = history
        self.storeID = storeID
        self.scopes = scopes
        self.connection = connection
    }

    func number(from date: Date, isAfter: Bool) throws -> Int64? {
        let statement = try connection.statement(
            "SELECT min(Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP \(isAfter ? ">" : ">=") ?")
        statement.bind(date.timeIntervalSinceReferenceDate, at: 1)
        defer { statement.reset() }
        _ = try statement.step()
        return statement.value(at: 0).isNull ? nil : statement.value(at: 0).integer
    }

    func transactions(
        after number: Int64, limit: Int, _ filter: HistoryFilter, includesChanges: Bool
    ) throws -> [PersistentHistoryTransaction] {
        let statement = try connection.statement(selection)
        statement.bind(number, at: 1)
        defer { statement.reset() }
        var found: [PersistentHistoryTransaction] = []
        while found.count < limit, try statement.step() {
            var transaction = transaction(in: statement)
            guard filter.includes(transaction) else { continue }
            if includesChanges || filter.selectsChanges {
                let changes = try changes(of: transaction.transactionNumber, filter)
                if changes.isEmpty, filter.selectsChanges { continue }
                if includesChanges { transaction.changes = changes }
            }
            found.append(transaction)
        }
        return found
    }

    private var selection: String {
        // Early versions of Core Data kept the names themselves.
        let names = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"].map { column in
            let known = history.transactionColumns
            let plain = known.contains(column) ? "t.\(column)" : "NULL"
            guard known.contains("\(column)TS") else { return plain }
            return
                "IFNULL((SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(column)TS), \(plain))"
        }
        return
            "SELECT t.Z_PK, t.ZTIMESTAMP, \(names.joined(separator: ", ")) FROM ATRANSACTION t WHERE t.Z_PK > ? ORDER BY t.Z_PK"
    }

    private func transaction(in row: Statement) -> PersistentHistoryTransaction {
        func text(_ column: Int32) -> String? {
            row.value(at: column).isNull ? nil : row.value(at: column).string
        }
        let number = row.value(at: 0).integer
        return PersistentHistoryTransaction(
            transactionNumber: number,
            timestamp: Date(timeIntervalSinceReferenceDate: row.value(at: 1).real),
            token: PersistentHistoryToken([storeID: number]), storeID: storeID, bundleID: text(3),
            processID: text(5), contextName: text(4), author: text(2), changes: nil)
    }

    // MARK: - Changes

    private func changes(
        of number: Int64, _ filter: HistoryFilter
    ) throws -> [PersistentHistoryChange] {
        let tombstones = (0..<history.tombstoneCount).map { ", \(HistoryTables.tombstone($0))" }
        let statement = try connection.statement(
            "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS\(tombstones.joined()) FROM ACHANGE WHERE ZTRANSACTIONID = ? ORDER BY Z_PK"
        )
        statement.bind(number, at: 1)
        defer { statement.reset() }
        var found: [PersistentHistoryChange] = []
        while try statement.step() {
            guard let change = try change(in: statement, of: number) else { continue }
            if filter.includes(change) { found.append(change) }
        }
        return found
    }

    /// Nil for an object of an entity that the model lacks.
    private func change(
        in row: Statement, of number: Int64
    ) throws -> PersistentHistoryChange? {
        let (id, key) = (row.value(at: 0).integer, row.value(at: 3).integer)
        guard
            let type = PersistentHistoryChange.ChangeType(
                rawValue: Int(row.value(at: 1).integer)), key >= 0
        else {
            throw StoreError(
                .damagedValue("the change \(id) of the history has an unknown type or key"))
        }
        guard let index = history.layout.entityIndex(number: row.value(at: 2).integer) else {
            return nil
        }
        return PersistentHistoryChange(
            changeID: id, transactionNumber: number,
            changedObjectID: ManagedObjectID(scope: scopes[index], reference: key),
            changeType: type,
            updatedProperties: type == .update ? names(of: row.value(at: 4).blob, index) : nil,
            tombstone: type == .delete ? tombstone(in: row, index) : nil)
    }

    private func names(
        of bitmap: UnsafeRawBufferPointer, _ entityIndex: Int
    ) -> Set<String> {
        if let last, last.entityIndex == entityIndex, last.bitmap.elementsEqual(bitmap) {
            return last.names
        }
        let names = history.entities[entityIndex].names(of: bitmap)
        last = (entityIndex, Array(bitmap), names)
        return names
    }

    /// Nil if the entity has no preserved attributes.
    private func tombstone(in row: Statement, _ entityIndex: Int) -> [String: AttributeValue]? {
        let attributes = history.entities[entityIndex].tombstones.map(\.attribute)
        guard !attributes.isEmpty else { return nil }
        var values: [String: AttributeValue] = [:]
        for (slot, attribute) in attributes.prefix(history.tombstoneCount).enumerated() {
            let value = row.value(at: Int32(5 + slot))
            if value.isNull { continue }
            values[attribute.name] = value.attributeValue(of: attribute.attributeType!)
        }
        return values
    }
}
