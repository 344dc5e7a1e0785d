#if PostgreSQL
import Foundation
import ObjectGraph

extension PostgreSQLStore {
    func fetchRows(
        _ request: FetchRequest, entity: Entity, _ options: ReadOptions
    ) throws -> RowList {
        let start = ContinuousClock.now
        let progress = options.progress
        let rows = try inSQL(progress) {
            let selection = selections.rows(
                of: entity, includesSubentities: request.includesSubentities)
            let translation = try selections.translations.translation(
                of: request, entity: entity
            ) { () throws(FetchError) in
                try FetchTranslation(
                    request, entity: entity, layout: layout,
                    selection: .rows(selection, .columns))
            }
            return try read(Command(translation), progress) { try selection.rows(of: $0) }
        } otherwise: {
            try $0.fetchRows(request, entity: entity, ReadOptions())
        }
        progress?.note(rowCount: rows.count)
        debug.annotate(
            "total fetch execution time: \((ContinuousClock.now - start).inSeconds) for \(rows.count) rows."
        )
        return rows
    }

    func fetchKeys(
        _ request: FetchRequest, entity: Entity, progress: FetchProgress?
    ) throws -> [EntityKey] {
        let keys = try inSQL(progress) {
            let translation = try FetchTranslation(
                request, entity: entity, layout: layout, selection: .keys)
            return try read(Command(translation), progress) { try EntityKey.keys(of: $0, entity) }
        } otherwise: {
            try $0.fetchKeys(request, entity: entity, progress: nil)
        }
        progress?.note(rowCount: keys.count)
        return keys
    }

    /// The server sends all identities of a statement at once.
    func startList(_ request: FetchRequest, entity: Entity) throws -> ListStart? { nil }

    func fetchDictionaries(
        _ request: FetchRequest, entity: Entity,
        objectID: (_ entityIndex: Int, _ key: Int64) -> ManagedObjectID
    ) throws -> [[String: AttributeValue]] {
        try inSQL(nil) {
            let translation = try FetchTranslation(
                request, entity: entity, layout: layout, selection: .dictionaries)
            return try read(Command(translation)) {
                try translation.dictionaries(of: $0, model: model, objectID: objectID)
            }
        } otherwise: {
            try $0.fetchDictionaries(request, entity: entity, objectID: objectID)
        }
    }

    func count(_ request: FetchRequest, entity: Entity) throws -> Int {
        let start = ContinuousClock.now
        let count = try inSQL(nil) {
            let translation = try FetchTranslation(
                request, entity: entity, layout: layout, selection: .count)
            return Int(try rows(of: Command(translation), nil).integer(0, 0))
        } otherwise: {
            try $0.count(request, entity: entity)
        }
        debug.annotate(
            "total count request execution time: \((ContinuousClock.now - start).inSeconds) for count of \(count)."
        )
        return count
    }

    // MARK: - Statements

    /// Runs a statement and reads its result.
    func read<T>(
        _ command: Command, _ progress: FetchProgress? = nil, _ body: (WireResult) throws -> T
    ) throws -> T {
        let rows = try rows(of: command, progress)
        return try mapping { try rows.withWire(body) }
    }

    /// Runs a statement in one round trip.
    func rows(of command: Command, _ progress: FetchProgress?) throws -> Rows {
        try reading(progress) { try $0.run(only: command) }
    }

    /// Runs the body in a transaction, which begins with its first statement.
    func reading<T>(
        _ progress: FetchProgress?, _ body: (ReadTransaction) throws -> T
    ) throws -> T {
        if let shared = oneState.transaction { return try shared.observing(progress, body) }
        return try mapping {
            try pool.read { link in
                let transaction = ReadTransaction(link, generation, progress)
                defer { transaction.end() }
                return try body(transaction)
            }
        }
    }

    func readingOneState(_ body: () throws -> Void) throws {
        // A generation is one, and a state that this thread reads already goes on.
        guard generation == nil, oneState.transaction == nil else { return try body() }
        try mapping {
            try pool.read { link in
                let transaction = ReadTransaction(link, nil, nil, staysOpen: true)
                defer { transaction.end() }
                try oneState.lending(transaction, body)
            }
        }
    }

    /// Runs the body and names the store in its errors.
    func mapping<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch var error as StoreError where error.url == nil {
            error.url = url
            throw error
        }
    }
}
#endif
