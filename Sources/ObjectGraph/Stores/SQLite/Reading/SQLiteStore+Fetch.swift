import Foundation

extension SQLiteStore {
    func fetchRows(
        _ request: FetchRequest, entity: Entity, _ options: ReadOptions
    ) throws -> RowList {
        let selection = selection(entity, includesSubentities: request.includesSubentities)
        let translation = try rowTranslations.translation(of: request, entity: entity) {
            () throws(FetchError) in
            try translate(request, entity, selection, selection.form(for: request))
        }
        let start = ContinuousClock.now
        let rows =
            try readRows(translation, request, entity, selection, options)
            ?? readSortedRows(request, entity, selection, options)
        debug.annotate(
            "total fetch execution time: \((ContinuousClock.now - start).inSeconds) for \(rows.count) rows."
        )
        return rows
    }

    private func translate(
        _ request: FetchRequest, _ entity: Entity, _ selection: RowSelection,
        _ form: RowSelection.Form
    ) throws(FetchError) -> FetchTranslation {
        try FetchTranslation(
            request, entity: entity, layout: layout, selection: .rows(selection, form))
    }

    /// - Returns: Nil if the rows came in another order than that of the result.
    private func readRows(
        _ translation: FetchTranslation, _ request: FetchRequest, _ entity: Entity,
        _ selection: RowSelection, _ options: ReadOptions
    ) throws -> RowList? {
        try read(
            translation.sql, keepingSnapshot: options.keepsSnapshot, seesNewest: true,
            progress: options.progress
        ) { statement in
            statement.bind(translation.bindings)
            let collector = makeCollector(
                selection, expectedCount: request.fetchLimit > 0 ? request.fetchLimit : .max,
                sharesSlabs: options.keepsSnapshot)
            let isInOrder = try collector.takeAll(of: statement, translation.form)
            switch translation.form {
            case .rows where !isInOrder: return nil
            case .columns where selection.canHandOver && !statement.hasSorted:
                // SQLite used an index for the order. From now on the rows can be passed as a
                // whole.
                try rowTranslations.replaceTranslation(of: request) { () throws(FetchError) in
                    try translate(request, entity, selection, .rows)
                }
            default: break
            }
            return try rows(of: collector, sharesSlabs: options.keepsSnapshot)
        }
    }

    /// A collector of rows that are read in a turn with other rows, and may share slabs with them.
    private func makeCollector(
        _ selection: RowSelection, expectedCount: Int, sharesSlabs: Bool
    ) -> RowCollector {
        // No turn of a context ends for the store of a generation.
        guard sharesSlabs, !isPinned, let writer = turnWriter.withLock({ $0.take() }) else {
            return RowCollector(selection, expectedCount: expectedCount)
        }
        return RowCollector(selection, writer, expectedCount: expectedCount)
    }

    /// The rows of a collector that `makeCollector` has made.
    private func rows(of collector: RowCollector, sharesSlabs: Bool) throws -> RowList {
        let rows = try collector.finish()
        if sharesSlabs, !isPinned { turnWriter.withLock { $0 = collector.writer } }
        return rows
    }

    /// Reads rows that SQLite now sorts, because an index was dropped.
    private func readSortedRows(
        _ request: FetchRequest, _ entity: Entity, _ selection: RowSelection,
        _ options: ReadOptions
    ) throws -> RowList {
        let translation = try translate(request, entity, selection, .columns)
        try rowTranslations.replaceTranslation(of: request) { translation }
        return try readRows(
            translation, request, entity, selection, ReadOptions(progress: options.progress))!
    }

    func fetchKeys(
        _ request: FetchRequest, entity: Entity, progress: FetchProgress?
    ) throws -> [EntityKey] {
        let translation = try FetchTranslation(
            request, entity: entity, layout: layout, selection: .keys)
        return try read(translation.sql, progress: progress) { statement in
            statement.bind(translation.bindings)
            return try readKeys(of: statement, entity)
        }
    }

    func fetchDictionaries(
        _ request: FetchRequest, entity: Entity,
        objectID: (_ entityIndex: Int, _ key: Int64) -> ManagedObjectID
    ) throws -> [[String: AttributeValue]] {
        let translation = try FetchTranslation(
            request, entity: entity, layout: layout, selection: .dictionaries)
        return try read(translation.sql) { statement in
            statement.bind(translation.bindings)
            var dictionaries: [[String: AttributeValue]] = []
            while try statement.step() {
                dictionaries.append(
                    try translation.dictionary(
                        ofRow: statement, model: model, objectID: objectID))
            }
            return dictionaries
        }
    }

    func count(_ request: FetchRequest, entity: Entity) throws -> Int {
        let translation = try FetchTranslation(
            request, entity: entity, layout: layout, selection: .count)
        let start = ContinuousClock.now
        let count = try read(translation.sql) { statement in
            statement.bind(translation.bindings)
            return try statement.step() ? Int(statement.value(at: 0).integer) : 0
        }
        debug.annotate(
            "total count request execution time: \((ContinuousClock.now - start).inSeconds) for count of \(count)."
        )
        return count
    }

    func row(_ key: Int64, entity: Entity, _ options: ReadOptions) throws -> RowReference? {
        // No turn of a context ends for the store of a generation.
        guard options.keepsSnapshot, !isPinned else {
            return try readRow(key, entity, keepsSnapshot: false)
        }
        // The readers of a turn may hold snapshots of different age. An earlier read of the turn
        // may have found a row in a newer one than this.
        return try readRow(key, entity, keepsSnapshot: true)
            ?? readRow(key, entity, keepsSnapshot: true, seesNewest: true)
    }

    private func readRow(
        _ key: Int64, _ entity: Entity, keepsSnapshot: Bool, seesNewest: Bool = false
    ) throws -> RowReference? {
        try mapping {
            let row = try read(keepingSnapshot: keepsSnapshot, seesNewest: seesNewest) {
                try $0.lookUp(key, statements[entity.index].selectRow) { statement in
                    let selection = selection(entity, includesSubentities: false)
                    // Rows that are read one by one in a turn share slabs.
                    if keepsSnapshot {
                        return try turnWriter.withLock { try selection.readRow(statement, of: &$0) }
                    }
                    var writer: RowWriter? = RowWriter(
                        expectedByteCount: entity.layout.extent.fixedByteCount * 2)
                    return try selection.readRow(statement, of: &writer)
                }
            }
            try requireUnchanged()
            return row
        }
    }

    /// Each statement sees the newest state.
    func readingOneState(_ body: () throws -> Void) throws { try body() }

    func endTurn() {
        pool.releaseSnapshots()
        turnWriter.withLock { $0 = nil }
    }

    func rows(_ keys: [Int64], entity: Entity) throws -> RowList {
        try reading { try rows(keys, entity, on: $0) }
    }

    /// The rows of the entity's family with these keys, on a reader that the caller has.
    func rows(_ keys: [Int64], _ entity: Entity, on reader: Connection) throws -> RowList {
        let selection = selection(entity, includesSubentities: true)
        // One parameter for any number of keys: the statement stays the same, and SQLite's limit on
        // parameters does not apply.
        let form = selection.formOfTable
        let statement = try reader.statement(
            "SELECT \(selection.list(form)) FROM \(layout.table(of: entity)) t0 WHERE t0.Z_PK IN (SELECT value FROM json_each(?))"
        )
        defer { statement.reset() }
        statement.bind(jsonArray(keys), at: 1)
        let collector = RowCollector(selection, expectedCount: keys.count)
        _ = try collector.takeAll(of: statement, form)
        return try collector.finish()
    }

    func destinations(of property: Property, _ owner: Entity, key: Int64) throws -> [EntityKey] {
        let relationship = property.relationship!
        let destination = model.destination(of: relationship)
        guard hasTable[destination.index] else { return [] }
        let sql = layout.select(
            layout.keyColumns(of: destination), destinationsOf: property, owner, where: "= ?")
        return try read(sql) { statement in
            statement.bind(key, at: 1)
            return try readKeys(of: statement, destination)
        }
    }

    func memberRows(
        of property: Property, _ owner: Entity, key: Int64, _ options: ReadOptions
    ) throws -> RowList? {
        let relationship = property.relationship!
        let destination = model.destination(of: relationship)
        guard hasTable[destination.index] else { return RowList() }
        let selection = selection(destination, includesSubentities: true)
        let form = selection.formOfMembers(isOrdered: relationship.isOrdered)
        let sql = memberSelects.withLock { selects in
            let place = PropertyPlace(entityIndex: owner.index, propertyIndex: property.index)
            if let known = selects[place] { return known }
            let made = layout.select(
                selection.columns, destinationsOf: property, owner, where: "= ?",
                list: form.list)
            selects[place] = made
            return made
        }
        return try read(sql, keepingSnapshot: options.keepsSnapshot, seesNewest: true) {
            statement in
            statement.bind(key, at: 1)
            let collector = makeCollector(
                selection, expectedCount: 16, sharesSlabs: options.keepsSnapshot)
            let fits = { collector.byteCount <= RowSlab.byteCount }
            if form == .rows {
                guard try statement.run(into: collector, while: fits) else { return nil }
            } else {
                while try statement.step() {
                    _ = try selection.key(of: statement)
                    collector.take(statement)
                    if !fits() { return nil }
                }
            }
            return try rows(of: collector, sharesSlabs: options.keepsSnapshot)
        }
    }

    func relatedRows(
        of property: Property, _ owner: Entity, keys: [Int64]
    ) throws -> RelatedRows {
        let relationship = property.relationship!
        let destination = model.destination(of: relationship)
        guard hasTable[destination.index] else {
            return RelatedRows(contents: [:], rows: RowList())
        }
        let selection = selection(destination, includesSubentities: true)
        let isShared = if case .joinTable = relationship.storage { true } else { false }
        // Without an order, and with a row for each member, SQLite can hand over all rows in a step.
        let isHandedOver =
            !isShared && selection.formOfMembers(isOrdered: relationship.isOrdered) == .rows
        let form = isHandedOver ? RowSelection.Form.table : .columns
        let sql = layout.select(
            selection.columns, withOwner: true, destinationsOf: property, owner,
            where: "IN (SELECT value FROM json_each(?))", list: form.list)
        return try read(sql) { statement in
            statement.bind(jsonArray(keys), at: 1)
            if isHandedOver {
                let collector = MemberCollector(selection)
                try statement.runAggregate(into: collector)
                return try collector.finish()
            }
            let collector = RowCollector(selection)
            var members = MembersByOwner()
            var known: Set<Int64> = []
            while try statement.step() {
                let owner = statement.value(at: Int32(selection.columnCount)).integer
                let member = try selection.key(of: statement)
                members.append(member, of: owner)
                // The result has a shared row once for each of its owners.
                if !isShared || known.insert(member.key).inserted { collector.take(statement) }
            }
            return RelatedRows(contents: members.finish(), rows: try collector.finish())
        }
    }

    /// Runs the body with a cached statement on a reader.
    func read<T>(
        _ sql: String, keepingSnapshot: Bool = false, seesNewest: Bool = false,
        progress: FetchProgress? = nil,
        _ body: (Statement) throws -> T
    ) throws -> T {
        try reading(keepingSnapshot: keepingSnapshot, seesNewest: seesNewest) { connection in
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            return try connection.reporting(to: progress) { try body(statement) }
        }
    }

    /// Runs the body with a reader.
    private func reading<T>(
        keepingSnapshot: Bool = false, seesNewest: Bool = false,
        _ body: (Connection) throws -> T
    ) throws -> T {
        try mapping {
            let result = try read(
                keepingSnapshot: keepingSnapshot, seesNewest: seesNewest, body)
            try requireUnchanged()
            return result
        }
    }
}

extension RowSelection {
    fileprivate var canHandOver: Bool { columnCount <= RowReceiver.maximumColumnCount }

    /// The form for results without an order.
    fileprivate var formOfTable: Form { canHandOver ? .table : .columns }

    /// The form for a request, whichever query plan SQLite uses.
    func form(for request: FetchRequest) -> Form {
        guard canHandOver, request.sortKeys.isEmpty else { return .columns }
        return request.fetchLimit == 0 && request.fetchOffset == 0 ? .table : .rows
    }

    /// The form for the members of a to-many relationship: `rows`, or `columns` if SQLite may sort
    /// them or a row may be of an entity that the relationship cannot have.
    fileprivate func formOfMembers(isOrdered: Bool) -> Form {
        // The owner's key may be another argument.
        let canHandOver = columnCount < RowReceiver.maximumColumnCount
        return canHandOver && !isOrdered && !includesSubentities ? .rows : .columns
    }

    /// The select list.
    func list(_ form: Form) -> String { form.list(columns) }
}

extension RowSelection.Form {
    /// The select list that delivers these columns.
    fileprivate func list(_ columns: String) -> String {
        switch self {
        case .columns: columns
        case .rows: "\(RowReceiver.functionName)(\(columns))"
        case .table: "\(RowReceiver.aggregateName)(\(columns))"
        }
    }
}

/// The identities in a result with the columns `StoreLayout.keyColumns(of:)`.
///
/// - Throws: `StoreError` if a row is neither of the entity nor of a descendant.
func readKeys(of statement: Statement, _ entity: Entity) throws -> [EntityKey] {
    var keys: [EntityKey] = []
    while try statement.step() {
        keys.append(
            try EntityKey(
                number: statement.value(at: 1).integer, key: statement.value(at: 0).integer,
                of: entity))
    }
    return keys
}

extension EntityKey {
    /// The identity of a stored row, or of a reference to one.
    ///
    /// - Parameter entity: The fetched entity, or the destination of the relationship.
    /// - Throws: `StoreError` if the row is neither of the entity nor of a descendant, or the key
    ///   is impossible. Objects of other entities have another class, and may have another table.
    package init(number: Int64, key: Int64, of entity: Entity) throws(StoreError) {
        let index = Int(number) &- 1
        guard entity.familyIndexes.contains(index), key >= 0 else {
            let family = entity.familyIndexes
            throw StoreError(
                .damagedValue(
                    """
                    a row of '\(entity.name)', or a reference to one, has the key \(key) and the \
                    entity number \(number); the key must not be negative, and the number must be \
                    in \(family.lowerBound + 1)...\(family.upperBound + 1)
                    """))
        }
        self.init(entityIndex: index, key: key)
    }
}

/// The keys as one argument for `json_each`.
func jsonArray(_ keys: some Sequence<Int64>) -> String {
    "[" + keys.map(String.init).joined(separator: ",") + "]"
}
