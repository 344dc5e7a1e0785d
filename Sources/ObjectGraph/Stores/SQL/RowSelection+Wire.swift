// Rows of a server, each result in one call.
extension RowSelection {
    /// The rows of a result with the columns of the selection, in their order.
    ///
    /// - Throws: `StoreError` if one of them is damaged.
    package func rows(of result: WireResult) throws(StoreError) -> RowList {
        let collector = try collector(of: result, besides: 0)
        for index in 0..<result.rowCount { collector.take(result.row(index)) }
        return try collector.finish()
    }

    /// The members of several owners and their rows, from a result with the columns of the selection
    /// and then the key of the owner. A row that several owners have is kept once.
    ///
    /// - Throws: `StoreError` if one of the rows is damaged.
    package func relatedRows(of result: WireResult) throws(StoreError) -> RelatedRows {
        let collector = try collector(of: result, besides: 1)
        var members = MembersByOwner()
        var known: Set<Int64> = []
        for index in 0..<result.rowCount {
            let row = result.row(index)
            let member = try key(of: row)
            members.append(member, of: row.value(at: Int32(columnCount)).integer)
            if known.insert(member.key).inserted { collector.take(row) }
        }
        return RelatedRows(contents: members.finish(), rows: try collector.finish())
    }

    /// - Throws: `StoreError` if the result has other columns.
    private func collector(
        of result: WireResult, besides count: Int
    ) throws(StoreError) -> RowCollector {
        guard result.kinds.count == columnCount + count else {
            throw StoreError(
                .damagedValue(
                    "a result has \(result.kinds.count) columns instead of \(columnCount + count)"))
        }
        return RowCollector(self, expectedCount: result.rowCount)
    }
}

extension EntityKey {
    /// The identities in a result with the columns `StoreLayout.keyColumns(of:)`.
    ///
    /// - Throws: `StoreError` if a row is neither of the entity nor of a descendant.
    package static func keys(
        of result: WireResult, _ entity: Entity
    ) throws(StoreError) -> [EntityKey] {
        var keys: [EntityKey] = []
        keys.reserveCapacity(result.rowCount)
        for index in 0..<result.rowCount {
            let row = result.row(index)
            keys.append(
                try EntityKey(
                    number: row.value(at: 1).integer, key: row.value(at: 0).integer, of: entity))
        }
        return keys
    }
}

extension FetchTranslation {
    /// The rows of a dictionary fetch.
    ///
    /// - Throws: `StoreError` for a value or a reference that cannot be.
    package func dictionaries(
        of result: WireResult, model: ManagedObjectModel,
        objectID: (_ entityIndex: Int, _ key: Int64) -> ManagedObjectID
    ) throws(StoreError) -> [[String: AttributeValue]] {
        var dictionaries: [[String: AttributeValue]] = []
        dictionaries.reserveCapacity(result.rowCount)
        for index in 0..<result.rowCount {
            dictionaries.append(
                try dictionary(ofRow: result.computedRow(index), model: model, objectID: objectID))
        }
        return dictionaries
    }
}
