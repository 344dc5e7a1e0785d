import Foundation
import Measuring
import ObjectGraph
import Stacks

/// Sets an attribute of the rows of an entity, by a loop that saves or by one request.
enum StoreUpdateWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let session = try context.openOwnStore(isWritten: true)
        let path = session.path("attribute")
        let type = session.model.attributesByName(ofEntity: path.entity)?[path.property]?.type
        let plain = try StoreReader(context.storeURL)
        let tables = try StoreTables(plain, session.model)
        guard let table = tables.table(of: path.entity), let column = tables.column(of: path),
            let number = tables.number(of: path.entity)
        else { preconditionFailure("The plan has attributes with columns only.") }
        let rows = "FROM \(table) WHERE Z_ENT = \(number)"
        // A value that no row has. It stays in this process.
        let unused = try plain.integer("SELECT CAST(MAX(\(column)) AS INTEGER) \(rows)") &+ 1
        let expected = session.rowCount(of: path.entity)
        let value: AttributeValue =
            type == .date
            ? .date(Date(timeIntervalSinceReferenceDate: Double(unused)))
            : type == .double ? .double(Double(unused)) : .integer(Int64(unused))
        let sample = try context.measure(session.stack, rowCount: expected) {
            if context.text("way") == "request" {
                try session.update(path, to: value)
            } else {
                try session.setEach(path, to: value)
            }
            try session.stack.settle()
        }
        let (store, _) = try session.readBack()
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check(
            "rows changed", try store.integer("SELECT COUNT(*) \(rows) AND \(column) = \(unused)"),
            equals: expected)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

/// Deletes rows of an entity with the delete rules of the model, by a loop that saves or by one
/// request.
enum StoreDeleteWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let session = try context.openOwnStore(isWritten: true)
        let entity = session.entity("entity")
        let before = session.rowCount(of: entity)
        let limit = min(context.integer("rows"), before)
        let sample = try context.measure(session.stack, rowCount: limit) {
            if context.text("way") == "request" {
                try session.delete(entity, limit: limit)
            } else {
                try session.deleteEach(entity, limit: limit)
            }
            try session.stack.settle()
        }
        let (store, tables) = try session.readBack()
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        let number = tables.number(of: entity) ?? 0
        let table = tables.table(of: entity) ?? ""
        verifier.check(
            "rows left", try store.integer("SELECT COUNT(*) FROM \(table) WHERE Z_ENT = \(number)"),
            equals: before - limit)
        var danglingCount = 0
        for inverse in session.model.relationships(of: entity).compactMap(session.model.inverse)
        where !inverse.isToMany {
            for other in session.model.entitiesByName.values
            where other.relationships.contains(inverse) {
                let path = PropertyPath(entity: other.name, property: inverse.name)
                guard let table = tables.table(of: other.name),
                    let column = tables.column(of: path),
                    let links = tables.links(of: path)
                else { continue }
                danglingCount += try store.integers(
                    """
                    SELECT (SELECT COUNT(\(column)) FROM \(table)
                        WHERE Z_ENT IN \(tables.family(of: other.name))) - COUNT(*) FROM (\(links))
                    """)[0]
            }
        }
        verifier.check("links to deleted rows", danglingCount, equals: 0)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

/// Inserts clones of rows of an entity, with the links that a clone can share.
enum StoreInsertWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let session = try context.openOwnStore(isWritten: true)
        let entity = session.entity("entity")
        let relationships = session.model.sharedRelationships(of: entity)
        let worker = try session.stack.makeWorkerContext()
        let attributes = session.storedAttributes(of: entity)
        let limit = context.integer("rows")
        let rows = try worker.performAndWait {
            let rows = try CopiedRow.read(
                entity, limit: limit, relationships, attributes: attributes,
                in: worker)
            worker.reset()
            return rows
        }
        let saveSize = context.integer("saveSize")
        let sample = try context.measure(session.stack, rowCount: rows.count) {
            for start in stride(from: 0, to: rows.count, by: saveSize) {
                try worker.performAndWait {
                    for row in rows[start..<min(start + saveSize, rows.count)] {
                        let clone = try row.insert(in: worker)
                        for relationship in relationships {
                            guard let others = row.links[relationship.name] else { continue }
                            try clone.link(
                                others.map { worker.object(with: $0) }, by: relationship.name,
                                isToMany: relationship.isToMany)
                        }
                    }
                }
                try session.stack.saveToDisk(worker)
                worker.performAndWait { worker.refreshAllObjects() }
            }
            try session.stack.settle()
        }
        let (store, tables) = try session.readBack()
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        guard let table = tables.table(of: entity), let number = tables.number(of: entity) else {
            preconditionFailure("The survey leaves out entities without a table.")
        }
        let found = try store.integers(
            "SELECT COUNT(*), MAX(Z_PK) FROM \(table) WHERE Z_ENT = \(number)")
        verifier.check("rows", found[0], equals: session.rowCount(of: entity) + rows.count)
        verifier.checkAny("clones", rows.count)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

// MARK: - Loops and requests

extension OwnStoreSession {
    /// The objects that a loop changes between two saves.
    private static let saveSize = 1_000

    fileprivate func update(_ path: PropertyPath, to value: AttributeValue) throws {
        var request = BatchUpdateRequest(
            entityName: path.entity, propertiesToUpdate: [path.property: .constant(value)])
        request.includesSubentities = false
        let context = try stack.makeBatchContext()
        _ = try context.performAndWait { [request] in try context.execute(request) }
    }

    fileprivate func setEach(_ path: PropertyPath, to value: AttributeValue) throws {
        try forEach(path.entity) { try $0.setValue(value, forKey: path.property) }
    }

    fileprivate func delete(_ entity: String, limit: Int) throws {
        var fetch = FetchRequest(entityName: entity)
        fetch.includesSubentities = false
        fetch.fetchLimit = limit
        let context = try stack.makeBatchContext()
        let request = BatchDeleteRequest(fetchRequest: fetch)
        _ = try context.performAndWait { try context.execute(request) }
    }

    fileprivate func deleteEach(_ entity: String, limit: Int) throws {
        try forEach(entity, limit: limit) { $0.managedObjectContext?.delete($0) }
    }

    /// Fetches objects in batches and saves after each batch.
    private func forEach(
        _ entity: String, limit: Int = 0, _ change: @Sendable (ManagedObject) throws -> Void
    ) throws {
        var fetch = FetchRequest(entityName: entity)
        fetch.includesSubentities = false
        fetch.fetchLimit = limit
        fetch.fetchBatchSize = Self.saveSize
        let worker = try stack.makeWorkerContext()
        try worker.performAndWait { [fetch] in
            let objects = try worker.fetch(fetch, as: ManagedObject.self)
            for (index, object) in objects.enumerated() {
                try change(object)
                if (index + 1) % Self.saveSize == 0 { try stack.saveToDisk(worker) }
            }
            try stack.saveToDisk(worker)
        }
    }
}

extension WorkloadKind {
    static let storeUpdate = WorkloadKind(
        name: "store-update", summary: "set an attribute of every row of an entity",
        subjects: [.stack], data: .none,
        parameters: [.shown("attribute"), .shown("way")], run: StoreUpdateWorkload.run)
    static let storeDelete = WorkloadKind(
        name: "store-delete", summary: "delete rows of an entity with the delete rules",
        subjects: [.stack], data: .none,
        parameters: [.shown("entity"), .shown("way"), .shown("rows")],
        run: StoreDeleteWorkload.run)
    static let storeInsert = WorkloadKind(
        name: "store-insert", summary: "insert clones of rows with the links that they can share",
        subjects: [.stack], data: .none,
        parameters: [.shown("entity"), .shown("saveSize"), .shown("rows")],
        run: StoreInsertWorkload.run)
}
