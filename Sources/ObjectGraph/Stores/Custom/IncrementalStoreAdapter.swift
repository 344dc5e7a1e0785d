import Foundation
import Synchronization

/// Makes a store of a coordinator from an `IncrementalStore`. Rows become nodes, and nodes rows.
///
/// A lock lets one request at a time use the store, so that it sees no half of a save. Requests are
/// evaluated outside of the lock.
final class IncrementalStoreAdapter: EvaluatingStore {
    let url: URL?
    let isReadOnly: Bool

    /// All zero: there are no statements and no transactions of SQLite.
    let statistics = ConnectionStatistics()
    let model: ManagedObjectModel
    let scopes: [ObjectIDScope]
    private let store: any IncrementalStore
    private let openMetadata: OpenMetadata
    private let referenceSlots: [InMemoryStoreContents.ReferenceSlots]

    /// Whether the configuration has the entity, by entity index.
    private let holds: [Bool]
    private let commits = CommitObservers()

    /// The last primary key handed out, by root entity index. Its lock is held while the store is
    /// used.
    private let lastKeys = Mutex<[Int: Int64]>([:])

    /// - Throws: `StoreError` if the metadata of the store are damaged or of another model; its own
    ///   errors.
    init(
        _ store: any IncrementalStore, _ description: PersistentStoreDescription,
        model: ManagedObjectModel
    ) throws {
        self.store = store
        self.model = model
        url = description.url
        isReadOnly = description.isReadOnly
        openMetadata = try OpenMetadata(store.loadMetadata(), description, model: model)
        scopes = ObjectIDScope.all(
            in: model, storeIdentifier: openMetadata.identifier, storeNumber: 0)
        referenceSlots = InMemoryStoreContents.referenceSlots(of: model)
        let names = model.entityNames(inConfiguration: description.configuration) ?? []
        holds = model.entities.map { names.contains($0.name) }
    }

    var identifier: String { openMetadata.identifier }
    var metadata: StoreMetadata { openMetadata.current }
    var hasUnwrittenMetadata: Bool { openMetadata.isUnwritten }
    func setMetadataValues(_ values: [String: AttributeValue]) { openMetadata.setValues(values) }

    func observeCommits(_ handler: @escaping @Sendable (CommitEvent) -> Void) -> Observation {
        commits.add(handler)
    }

    func close() throws {
        try lastKeys.withLock { _ in try store.close() }
    }

    // MARK: - Requests

    func snapshot(
        for request: FetchRequest, of family: ClosedRange<Int>, reaching reached: Set<Int>
    ) throws -> InMemoryStoreSnapshot {
        try snapshot(of: reached.union(family))
    }

    private func snapshot(of entityIndexes: Set<Int>) throws -> InMemoryStoreSnapshot {
        let nodes = try lastKeys.withLock { _ in try allNodes(of: entityIndexes) }
        var reader = NodeReader(model: model, nodeCount: nodes.count)
        return InMemoryStoreSnapshot(
            try reader.contents(of: nodes, referenceSlots), model: model, scopes: scopes)
    }

    func fetchRows(
        _ request: FetchRequest, entity: Entity, _ options: ReadOptions
    ) throws -> RowList {
        try request.checkLimits()
        guard let nodes = try lastKeys.withLock({ _ in try store.fetch(request) }) else {
            return try evaluate(request, entity: entity, progress: options.progress)
        }
        let family =
            request.includesSubentities ? entity.familyIndexes : entity.index...entity.index
        let rows = try rows(of: nodes) { family.contains($0.entityIndex) }
        options.progress?.note(rowCount: rows.count)
        return RowList(rows)
    }

    func count(_ request: FetchRequest, entity: Entity) throws -> Int {
        try request.checkLimits()
        if let count = try lastKeys.withLock({ _ in try store.count(for: request) }) {
            return max(0, count)
        }
        return try fetchRows(request, entity: entity, ReadOptions()).count
    }

    // MARK: - Rows

    func row(_ key: Int64, entity: Entity, _ options: ReadOptions) throws -> RowReference? {
        try rows(for: [StoreNodeID(entityName: entity.name, reference: key)]).first
    }

    func rows(_ keys: [Int64], entity: Entity) throws -> RowList {
        RowList(try rows(for: ids(keys, entity)))
    }

    func destinations(
        of property: Property, _ owner: Entity, key: Int64
    ) throws -> [EntityKey] {
        try relatedRows(of: property, owner, keys: [key]).contents[key] ?? []
    }

    func memberRows(
        of property: Property, _ owner: Entity, key: Int64, _ options: ReadOptions
    ) throws -> RowList? {
        try relatedRows(of: property, owner, keys: [key]).rows
    }

    /// The rows of the members of one owner are in their order.
    func relatedRows(of property: Property, _ owner: Entity, keys: [Int64]) throws -> RelatedRows {
        let relationship = property.relationship!
        guard let lists = try memberLists(of: property, owner, keys) else {
            let snapshot = try snapshot(
                of: Set(model.destination(of: relationship).familyIndexes))
            return RelatedRows(keys) { snapshot.destinations(of: property, key: $0) }
        }
        let found = try rows(for: Set(lists.values.joined()).sorted { $0.reference < $1.reference })
        let writer = NodeWriter(model: model)
        let members = Dictionary(
            uniqueKeysWithValues: found.map { (writer.id(EntityKey($0)), $0) })
        return RelatedRows(keys) { key in
            // A member without a node is skipped, as in an SQL join.
            let rows = lists[key, default: []].compactMap { members[$0] }
            return relationship.isOrdered ? rows : rows.sorted { $0.key < $1.key }
        }
    }

    /// The members of each owner; nil if only their own nodes know them.
    private func memberLists(
        of property: Property, _ owner: Entity, _ keys: [Int64]
    ) throws -> [Int64: [StoreNodeID]]? {
        let ids = ids(keys, owner)
        guard property.relationship!.isInJoinTable else {
            return try lastKeys.withLock { _ throws -> [Int64: [StoreNodeID]]? in
                // Of several entities with this key, the owner is of the one that has a node.
                let owners =
                    ids.count == keys.count ? ids : try nodes(for: ids).map { $0.id }
                var lists: [Int64: [StoreNodeID]] = [:]
                for id in owners {
                    guard let list = try store.destinations(of: property.name, from: id) else {
                        return nil
                    }
                    lists[id.reference] = list
                }
                return lists
            }
        }
        let owners = try lastKeys.withLock { _ in try nodes(for: ids) }
        // Checks the lists too.
        _ = try rows(of: owners) { _ in true }
        let lists = owners.map { ($0.id.reference, $0.relationships[property.name] ?? []) }
        return Dictionary(lists, uniquingKeysWith: { first, _ in first })
    }

    private func rows(for ids: [StoreNodeID]) throws -> [RowReference] {
        try rows(of: try lastKeys.withLock { _ in try nodes(for: ids) }) { _ in true }
    }

    /// - Parameter isExpected: Whether the store may return the row.
    private func rows(
        of nodes: [StoreNode], where isExpected: (RowReference) -> Bool
    ) throws(StoreNodeError) -> [RowReference] {
        var reader = NodeReader(model: model, nodeCount: nodes.count)
        var known: Set<StoreNodeID> = []
        var rows: [RowReference] = []
        for node in nodes {
            let row = try reader.row(of: node)
            guard isExpected(row) else { throw StoreNodeError(.notRequested, node.id) }
            guard known.insert(node.id).inserted else { throw StoreNodeError(.duplicate, node.id) }
            rows.append(row)
        }
        return rows
    }

    /// The identities that rows of an entity's family with these keys can have.
    private func ids(_ keys: [Int64], _ entity: Entity) -> [StoreNodeID] {
        let family = model.entities[entity.familyIndexes].filter { !$0.isAbstract }
        return keys.flatMap { key in
            family.map { StoreNodeID(entityName: $0.name, reference: key) }
        }
    }

    // MARK: - Using the store, under the lock

    private func allNodes(of entityIndexes: Set<Int>) throws -> [StoreNode] {
        var nodes: [StoreNode] = []
        for index in entityIndexes.sorted() where holds[index] && !model.entities[index].isAbstract
        {
            let name = model.entities[index].name
            let found = try store.nodes(ofEntity: name)
            if let other = found.first(where: { $0.id.entityName != name }) {
                throw StoreNodeError(.notRequested, other.id)
            }
            nodes += found
        }
        return nodes
    }

    private func nodes(for ids: [StoreNodeID]) throws -> [StoreNode] {
        guard !ids.isEmpty else { return [] }
        let nodes = try store.nodes(for: ids)
        let wanted = Set(ids)
        if let other = nodes.first(where: { !wanted.contains($0.id) }) {
            throw StoreNodeError(.notRequested, other.id)
        }
        return nodes
    }

    // MARK: - Writing

    func reserveKeys(_ count: Int, root: Entity) throws -> Range<Int64> {
        guard count > 0 else { return 1..<1 }
        return try lastKeys.withLock { lastKeys in
            if let range = try store.reserveReferences(count, forEntity: root.name) {
                guard range.lowerBound > 0, range.count == count else {
                    throw StoreNodeError(
                        .invalidReference,
                        StoreNodeID(entityName: root.name, reference: range.lowerBound))
                }
                return range
            }
            let last: Int64
            if let known = lastKeys[root.index] {
                last = known
            } else {
                last = try allNodes(of: Set(root.familyIndexes)).reduce(0) {
                    max($0, $1.id.reference)
                }
            }
            guard Int64(count) < Int64.max - last else {
                throw StoreError(
                    .damagedValue("cannot reserve \(count) keys of '\(root.name)' after \(last)"))
            }
            lastKeys[root.index] = last + Int64(count)
            return last + 1..<last + 1 + Int64(count)
        }
    }

    // The store commits when it saves, so `beforeCommit` comes before. If the store fails after
    // others have committed, the coordinator reports an incomplete save.
    func save(
        _ plan: SavePlan, from origin: ChangeOrigin, beforeCommit: (() throws -> Void)?
    ) throws -> Int64? {
        guard !isReadOnly else { throw StoreError(.readOnly, url: url) }
        let metadata = openMetadata.current
        try lastKeys.withLock { _ in
            let translation = PlanTranslation(plan, model: model)
            let stored = try nodes(for: translation.ids)
            let translated = try translation.translated(over: stored, metadata: metadata)
            try beforeCommit?()
            do {
                try store.save(translated)
            } catch let conflict as StoreSaveConflict where beforeCommit == nil {
                if let own = translation.conflict(in: Set(conflict.ids)) { throw own }
                throw conflict
            }
        }
        openMetadata.noteWritten(metadata)
        commits.post()
        return nil
    }
}
