import Foundation
import Synchronization

/// A store that keeps its rows in memory and evaluates requests itself (spec §11.3).
///
/// It ignores uniqueness constraints and does not run batch requests. Its rows are those that
/// contexts saved; they are shared, never copied. By itself it lives as long as its coordinator
/// keeps it. With an atomic store, it takes the rows from there when it is opened, and writes all of
/// them there with each save (spec §11.7).
final class InMemoryStore: EvaluatingStore {
    let url: URL?
    let isReadOnly: Bool

    /// All zero: there are no statements and no transactions of SQLite.
    let statistics = ConnectionStatistics()
    let model: ManagedObjectModel
    let scopes: [ObjectIDScope]
    private let atomic: (any AtomicStore)?
    private let openMetadata: OpenMetadata
    private let referenceSlots: [InMemoryStoreContents.ReferenceSlots]
    private let contents: Mutex<InMemoryStoreContents>
    private let commits = CommitObservers()

    /// The last primary key handed out, by root entity index.
    private let lastKeys: Mutex<[Int64]>

    /// - Throws: `StoreError` and `StoreNodeError` if the contents of the atomic store are damaged
    ///   or of another model; its own errors.
    init(
        _ description: PersistentStoreDescription = .inMemory(), model: ManagedObjectModel,
        atomic: (any AtomicStore)? = nil
    ) throws {
        self.model = model
        self.atomic = atomic
        isReadOnly = description.isReadOnly
        url = atomic == nil ? nil : description.url
        let stored = try atomic?.load()
        openMetadata = try OpenMetadata(stored?.metadata, description, model: model)
        scopes = ObjectIDScope.all(
            in: model, storeIdentifier: openMetadata.identifier, storeNumber: 0)
        referenceSlots = InMemoryStoreContents.referenceSlots(of: model)
        var reader = NodeReader(model: model, nodeCount: stored?.nodes.count ?? 0)
        let rows = try reader.contents(of: stored?.nodes ?? [], referenceSlots)
        contents = Mutex(rows)
        lastKeys = Mutex(
            model.entities.map { entity in
                let last = stored?.lastReferences[entity.name] ?? 0
                return rows.rows(root: entity.index).reduce(max(0, last)) { max($0, $1.key) }
            })
    }

    var identifier: String { openMetadata.identifier }
    var metadata: StoreMetadata { openMetadata.current }

    func setMetadataValues(_ values: [String: AttributeValue]) { openMetadata.setValues(values) }

    var hasUnwrittenMetadata: Bool { atomic != nil && openMetadata.isUnwritten }

    /// Drops all rows.
    func close() throws {
        contents.withLock { $0 = InMemoryStoreContents(entityCount: model.entities.count) }
        try atomic?.close()
    }

    func snapshot(
        for request: FetchRequest, of family: ClosedRange<Int>, reaching reached: Set<Int>
    ) -> InMemoryStoreSnapshot { snapshot() }

    /// The current content. A later save copies the tables that it changes, not their rows.
    private func snapshot() -> InMemoryStoreSnapshot {
        InMemoryStoreSnapshot(contents.withLock { $0 }, model: model, scopes: scopes)
    }

    func save(
        _ plan: SavePlan, from origin: ChangeOrigin, beforeCommit: (() throws -> Void)?
    ) throws -> Int64? {
        guard !isReadOnly else { throw StoreError(.readOnly, url: url) }
        try contents.withLock { contents in
            guard beforeCommit != nil || atomic != nil else {
                return try contents.apply(plan, referenceSlots: referenceSlots)
            }
            var changed = contents
            try changed.apply(plan, referenceSlots: referenceSlots)
            try beforeCommit?()
            try write(changed)
            contents = changed
        }
        commits.post()
        return nil
    }

    /// Writes all rows to the atomic store, if there is one.
    private func write(_ contents: InMemoryStoreContents) throws {
        guard let atomic else { return }
        let metadata = openMetadata.current
        let writer = NodeWriter(model: model)
        let nodes = try model.rootEntities.flatMap { root in
            try contents.rows(root: root.index).sorted { $0.key < $1.key }.map { row in
                try writer.node(row) { property in
                    contents.destinations(
                        of: property.relationship!, key: row.key,
                        in: model.destination(of: property.relationship!), model: model
                    ).map { writer.id(EntityKey($0)) }
                }
            }
        }
        let lastKeys = lastKeys.withLock { $0 }
        let lastReferences = model.rootEntities.map { ($0.name, lastKeys[$0.index]) }
        try atomic.save(
            AtomicStoreContents(
                metadata: metadata, nodes: nodes,
                lastReferences: Dictionary(uniqueKeysWithValues: lastReferences)))
        openMetadata.noteWritten(metadata)
    }

    func observeCommits(_ handler: @escaping @Sendable (CommitEvent) -> Void) -> Observation {
        commits.add(handler)
    }

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

    func row(_ key: Int64, entity: Entity, _ options: ReadOptions) -> RowReference? {
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

    func memberRows(
        of property: Property, _ owner: Entity, key: Int64, _ options: ReadOptions
    ) -> RowList? {
        RowList(snapshot().destinations(of: property, key: key))
    }

    func relatedRows(of property: Property, _ owner: Entity, keys: [Int64]) -> RelatedRows {
        let snapshot = snapshot()
        return RelatedRows(keys) { snapshot.destinations(of: property, key: $0) }
    }
}

extension EntityKey {
    init(_ row: RowReference) {
        self.init(entityIndex: row.entityIndex, key: row.key)
    }
}
