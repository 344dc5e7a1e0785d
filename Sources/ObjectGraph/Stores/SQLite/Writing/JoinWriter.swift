/// Writes the pairs of a save plan (spec §5.1, step 7), many with each statement.
struct JoinWriter {
    private let joins: [JoinChange]
    private let layout: StoreLayout
    private let connection: Connection

    init(_ plan: SavePlan, _ layout: StoreLayout, on connection: Connection) {
        joins = plan.joins
        self.layout = layout
        self.connection = connection
    }

    /// Removes pairs. A pair that is already gone is no error.
    func remove() throws {
        try write(joins.lazy.filter { !$0.isInsertion }) { join in
            """
            \(join.removal) WHERE (\(join.sourceColumn), \(join.destinationColumn)) IN \
            (SELECT \(PairWriter.source), \(PairWriter.destination) FROM \(PendingRows.tableName))
            """
        }
    }

    /// Adds the pairs that have no place, in their order. A pair that exists stays as it is.
    func add() throws {
        try requireOneOwner()
        try write(joins.lazy.filter { $0.isInsertion && $0.position == nil }) { join in
            join.isInRows
                ? """
                UPDATE \(join.name) SET \(join.sourceColumn) = \(PairWriter.source)\
                \(join.placeColumn.map { ", \($0) = NULL" } ?? "") FROM \(PendingRows.tableName) \
                WHERE Z_PK = \(PairWriter.destination) \
                AND \(join.sourceColumn) IS NOT \(PairWriter.source)
                """
                : """
                INSERT OR IGNORE INTO \(join.name) (\(join.sourceColumn), \(join.destinationColumn)) \
                SELECT \(PairWriter.source), \(PairWriter.destination) FROM \(PendingRows.tableName)
                """
        }
    }

    /// Throws if two owners get the same object, whose row has room for one: a to-many relationship
    /// without an inverse takes it from an earlier owner, but not from one of the same save.
    private func requireOneOwner() throws {
        guard layout.hasOwnerColumns else { return }
        var owners: [JoinEnd: [Int64: Int64]] = [:]
        for change in joins where change.isInsertion {
            guard let end = change.end, layout.joinTable(end).isInRows,
                let other = owners[end, default: [:]]
                    .updateValue(change.sourceKey, forKey: change.destinationKey),
                other != change.sourceKey
            else { continue }
            let name = "\(change.entity.name).\(change.property.name)"
            throw StoreError(
                .unsupported(
                    "to keep one object in '\(name)' of two owners, since the relationship has no inverse; leave it in one of them, or give the relationship an inverse that is to-many"
                ))
        }
    }

    private func write(
        _ changes: some Sequence<JoinChange>, _ statement: (JoinTable) -> String
    ) throws {
        var writers: [(end: JoinEnd, pairs: PairWriter)] = []
        for change in changes {
            guard let end = change.end else { continue }
            let index = writers.firstIndex { $0.end == end } ?? writers.count
            if index == writers.count {
                let sql = statement(layout.joinTable(end))
                writers.append((end, try PairWriter(sql, on: connection)))
            }
            try writers[index].pairs.add(change.sourceKey, change.destinationKey)
        }
        for index in writers.indices { try writers[index].pairs.finish() }
    }

    /// Writes the places of the members of ordered relationships.
    func writeOrders() throws {
        var rest = joins.filter { $0.position != nil && $0.end != nil }[...]
        while let end = rest.first?.end {
            let changes = rest.prefix { $0.end == end }
            rest = rest.dropFirst(changes.count)
            let join = layout.joinTable(end)
            if let column = join.placeColumn { try writeOrders(changes, join, column) }
        }
    }

    /// Writes only the pairs whose place changes.
    private func writeOrders(
        _ changes: ArraySlice<JoinChange>, _ join: JoinTable, _ column: String
    ) throws {
        let (source, destination) = (join.sourceColumn, join.destinationColumn)
        let stored = try storedPlaces(of: Set(changes.map(\.sourceKey)), join, column)
        var pairs = try PairWriter(
            join.isInRows
                ? """
                UPDATE \(join.name) SET \(source) = \(PairWriter.source), \
                \(column) = \(PairWriter.place) FROM \(PendingRows.tableName) \
                WHERE Z_PK = \(PairWriter.destination)
                """
                : """
                INSERT INTO \(join.name) (\(source), \(destination), \(column)) \
                SELECT \(PairWriter.source), \(PairWriter.destination), \(PairWriter.place) \
                FROM \(PendingRows.tableName) WHERE true \
                ON CONFLICT (\(source), \(destination)) DO UPDATE SET \(column) = excluded.\(column)
                """, on: connection)
        var rest = changes
        while let key = rest.first?.sourceKey {
            let members = rest.prefix { $0.sourceKey == key }
            rest = rest.dropFirst(members.count)
            let known = stored[key] ?? [:]
            let places = OrderedPlaces.rising(from: members.map { known[$0.destinationKey] })
            for (member, place) in zip(members, places) where known[member.destinationKey] != place
            {
                try pairs.add(key, member.destinationKey, place: place)
            }
        }
        try pairs.finish()
    }

    /// The places of the members of each source.
    private func storedPlaces(
        of sources: Set<Int64>, _ join: JoinTable, _ column: String
    ) throws -> [Int64: [Int64: Int64]] {
        let query = try connection.statement(
            """
            SELECT \(join.sourceColumn), \(join.destinationColumn), \(column) FROM \(join.name) \
            WHERE \(join.sourceColumn) IN (SELECT value FROM json_each(?)) AND \(column) NOT NULL
            """)
        query.bind(jsonArray(sources), at: 1)
        defer { query.reset() }
        var places: [Int64: [Int64: Int64]] = [:]
        while try query.step() {
            places[query.value(at: 0).integer, default: [:]][query.value(at: 1).integer] =
                query.value(at: 2).integer
        }
        return places
    }
}

extension JoinTable {
    /// The beginning of a statement that removes pairs.
    var removal: String {
        guard isInRows else { return "DELETE FROM \(name)" }
        return "UPDATE \(name) SET " + columnsInRows.map { "\($0) = NULL" }.joined(separator: ", ")
    }
}

extension JoinChange {
    /// The end whose pairs change; nil for a relationship without a join table.
    fileprivate var end: JoinEnd? {
        guard case .joinTable(let end) = property.relationship?.storage else { return nil }
        return end
    }
}
