import Foundation
import Synchronization

/// A store without a file that evaluates requests itself. It lives as long as its coordinator keeps
/// it (spec §11.3).
///
/// It ignores uniqueness constraints and does not run batch requests. Its rows are those that
/// contexts saved; they are shared, never copied.
final class InMemoryStore: PersistentStore {
    let identifier = UUID().uuidString
    let url: URL? = nil
    let isReadOnly: Bool

    /// All zero: there are no statements and no transactions of SQLite.
    let statistics = ConnectionStatistics()
    let model: ManagedObjectModel
    private let scopes: [ObjectIDScope]
    private let referenceSlots: [InMemoryStoreContents.ReferenceSlots]
    private let metadataValues = Mutex<[String: AttributeValue]>([:])
    private let contents: Mutex<InMemoryStoreContents>
    private let commits = CommitObservers()

    /// The last primary key handed out, by root entity index.
    private let lastKeys: Mutex<[Int64]>

    init(model: ManagedObjectModel, isReadOnly: Bool = false) {
        self.model = model
        self.isReadOnly = isReadOnly
        scopes = ObjectIDScope.all(in: model, storeIdentifier: identifier, storeNumber: 0)
        referenceSlots = model.entities.map { entity in
            entity.properties.compactMap { property in
                guard let slot = property.slot, let relationship = property.relationship,
                    model.inverse(of: relationship)?.kind == .toMany
                else { return nil }
                return (slot, .foreignKey(property.identifier))
            }
        }
        contents = Mutex(InMemoryStoreContents(entityCount: model.entities.count))
        lastKeys = Mutex(Array(repeating: 0, count: model.entities.count))
    }

    func takeRowsChangedByTriggers() -> [EntityKey] { [] }
    func resetStatistics() {}

    var metadata: StoreMetadata {
        StoreMetadata(
            identifier: identifier, type: .inMemory,
            versionHashes: model.entityVersionHashesByName,
            values: metadataValues.withLock { $0 })
    }

    func setMetadataValues(_ values: [String: AttributeValue]) {
        metadataValues.withLock { $0 = values }
    }

    /// Metadata is only in memory.
    var hasUnwrittenMetadata: Bool { false }

    /// Drops all rows.
    func close() {
        contents.withLock { $0 = InMemoryStoreContents(entityCount: model.entities.count) }
    }

    /// The current content. A later save copies the tables that it changes, not their rows.
    func snapshot() -> InMemoryStoreSnapshot {
        InMemoryStoreSnapshot(contents.withLock { $0 }, model: model, scopes: scopes)
    }

    func save(
        _ plan: SavePlan, from origin: ChangeOrigin, beforeCommit: (() throws -> Void)?
    ) throws -> Int64? {
        guard !isReadOnly else { throw StoreError(.readOnly) }
        try contents.withLock { contents in
            guard let beforeCommit else {
                return try contents.apply(plan, referenceSlots: referenceSlots)
            }
            var changed = contents
            try changed.apply(plan, referenceSlots: referenceSlots)
            try beforeCommit()
            contents = changed
        }
        commits.post()
        return nil
    }

    func observeCommits(_ handler: @escaping @Sendable (CommitEvent) -> Void) -> Observation {
        commits.add(handler)
    }

    func pinned() -> (any PersistentStore)? { nil }

    func reserveKeys(_ count: Int, root: Entity) throws -> Range<Int64> {
        try lastKeys.withLock { lastKeys in
            let last = lastKeys[root.index]
            guard Int64(count) < Int64.max - last else {
                throw StoreError(
                    .damagedValue("cannot reserve \(count) keys of '\(root.name)' after \(last)"))
            }
            lastKeys[root.index] = last + Int64(count)
            return last + 1..<last + 1 + Int64(count)
        }
    }

    // MARK: - Rows

    func endTurn() {}

    func row(_ key: Int64, entity: Entity, keepsSnapshot: Bool) -> RowReference? {
        let row = contents.withLock { $0.row(key, root: entity.rootIndex) }
        return row?.entityIndex == entity.index ? row : nil
    }

    func rows(_ keys: [Int64], entity: Entity) -> RowList {
        let contents = snapshot().contents
        return RowList(keys.lazy.compactMap { contents.row($0, root: entity.rootIndex) })
    }

    func destinations(of property: Property, _ owner: Entity, key: Int64) -> [EntityKey] {
        snapshot().destinations(of: property, key: key).map(EntityKey.init)
    }

    func relatedRows(of property: Property, _ owner: Entity, keys: [Int64]) -> RelatedRows {
        let snapshot = snapshot()
        var related = RelatedRows(contents: [:], rows: RowList())
        var known: Set<Int64> = []
        for key in keys {
            let members = snapshot.destinations(of: property, key: key)
            related.contents[key] = members.map(EntityKey.init)
            for row in members where known.insert(row.key).inserted { related.rows.append(row) }
        }
        return related
    }
}

extension EntityKey {
    init(_ row: RowReference) {
        self.init(entityIndex: row.entityIndex, key: row.key)
    }
}
