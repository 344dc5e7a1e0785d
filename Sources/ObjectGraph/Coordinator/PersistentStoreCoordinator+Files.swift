import Foundation

// Operations on whole stores: empty, replace, move to another place or type (spec §11.5).
extension PersistentStoreCoordinator {
    /// Empties the file of a store. Other processes that have it open see an empty database. A file
    /// that is not a database is deleted.
    ///
    /// Waits up to `timeout` for the locks of others. After that, `isForced` deletes the file.
    /// - Throws: `StoreError` with `missingFile` if there is no file, with `timeout` if others keep
    ///   their locks.
    public static func destroyPersistentStore(
        at url: URL, timeout: Duration = .seconds(240), isForced: Bool = false
    ) throws {
        try SQLiteStore.empty(url, timeout: timeout, isForced: isForced)
    }

    /// Removes all that the store of a description has, as if it had never been made. Nobody may
    /// have it open. A store in memory has nothing.
    ///
    /// - Throws: As `destroyPersistentStore(at:)` for a file; the errors of a server; `StoreError`
    ///   with `unsupported` for a type of the program.
    public static func destroyPersistentStore(_ description: PersistentStoreDescription) throws {
        switch description.type {
        case .sqlite, .binary:
            guard let file = description.file else { return }
            try destroyPersistentStore(at: file, timeout: description.timeout)
        case .inMemory: break
        default: try StoreTypes.destroy(description)
        }
    }

    /// Removes an open store from the coordinator and empties its file.
    ///
    /// - Throws: The errors of `removePersistentStore` and of the static method; `StoreError` with
    ///   `unsupported` if its URL does not name a file.
    public func destroyPersistentStore(_ handle: PersistentStoreHandle) throws {
        if let url = handle.url, !url.isFileURL {
            throw StoreError(.unsupported("destroying what is not a file"), url: url)
        }
        try removePersistentStore(handle)
        guard let url = handle.url else { return }
        try Self.destroyPersistentStore(at: url)
    }

    /// Replaces the content of a file by that of another store, in one transaction. Use it to make
    /// and to restore backups.
    ///
    /// A missing destination is created. Afterwards it has the identifier of the source. The source
    /// does not change.
    /// - Throws: `StoreError` if the source is not a store or a file cannot be used. The
    ///   destination is then unchanged.
    public static func replacePersistentStore(
        at destination: URL, with source: URL, timeout: Duration = .seconds(240)
    ) throws {
        try SQLiteStore.replace(destination, with: source, timeout: timeout)
    }

    /// Copies all objects of a store into a new one of any type, and replaces the open store by it.
    /// The old file stays.
    ///
    /// All object identifiers change, since the new store has its own identifier. Objects of the
    /// old store can no longer be used. Loads all rows, and writes them in one transaction.
    /// - Throws: `StoreError` if the new store is not empty, its configuration lacks an entity of
    ///   the old one, or it cannot be written. The new store then has no object, and the old one
    ///   stays open.
    @discardableResult
    public func migratePersistentStore(
        _ handle: PersistentStoreHandle, to description: PersistentStoreDescription
    ) throws -> PersistentStoreHandle {
        let source = try record(handle)
        let names = model.entityNames(inConfiguration: description.configuration) ?? []
        let target = try makeStore(description)
        do {
            let lacking = source.entityNames.subtracting(names).sorted()
            guard lacking.isEmpty else {
                throw StoreError(
                    .unsupported(
                        "storing entities that its configuration lacks: \(lacking.joined(separator: ", "))"
                    ), url: target.url)
            }
            target.setMetadataValues(source.store.metadata.values)
            if let source = source.store as? SQLiteStore, let target = target as? SQLiteStore {
                let migrations = source.metadataState.list.migrations
                target.metadataState.change { $0.migrations = migrations }
            }
            try underLockPolicy { try copyRows(from: source, to: target) }
        } catch {
            try? target.close()
            throw error
        }
        let made = adopt(target, description)
        try removePersistentStore(handle)
        return made
    }

    private func copyRows(from source: StoreRecord, to target: any PersistentStore) throws {
        var plan = SavePlan()
        for root in model.rootEntities
        where model.entities[root.familyIndexes].contains(where: {
            source.entityNames.contains($0.name)
        }) {
            guard try target.count(FetchRequest(entityName: root.name), entity: root) == 0 else {
                throw StoreError(
                    .unsupported("taking over another store while it has rows; use an empty one"),
                    url: target.url)
            }
            let rows = try source.store.fetchRows(
                FetchRequest(entityName: root.name), entity: root, ReadOptions())
            let lastKey = rows.map(\.key).max() ?? 0
            _ = try target.reserveKeys(Int(lastKey), root: root)
            plan.rows += try rows.map { row in
                let entity = model.entities[row.entityIndex]
                return RowChange(
                    kind: .insert, entity: entity, key: row.key,
                    row: try row.withExternalValues(of: entity), changes: PropertyMask(),
                    previousVersion: 0)
            }
            plan.joins += try joins(of: rows, in: source.store)
        }
        do {
            try target.save(plan, from: ChangeOrigin(), beforeCommit: nil)
        } catch is StoreConflict {
            // An in-memory source does not enforce uniqueness constraints.
            throw StoreError(.uniquenessViolated, url: target.url)
        }
    }

    /// The pairs of join tables that the rows own, and the pairs that they have in an order.
    private func joins(
        of rows: RowList, in store: any PersistentStore
    ) throws -> [JoinChange] {
        var joins: [JoinChange] = []
        let groups = Dictionary(grouping: rows.map(EntityKey.init), by: \.entityIndex)
        // Sorted, since a dictionary has another order in each process.
        for (entityIndex, group) in groups.sorted(by: { $0.key < $1.key }) {
            let entity = model.entities[entityIndex]
            let keys = group.map(\.key)
            for property in entity.properties {
                guard let relationship = property.relationship,
                    case .joinTable(let end) = relationship.storage,
                    end.isOwner || relationship.isOrdered
                else { continue }
                let contents = try store.relatedRows(of: property, entity, keys: keys).contents
                for key in keys {
                    joins += contents[key, default: []].enumerated().map { position, destination in
                        JoinChange(
                            property: property, entity: entity, sourceKey: key,
                            destinationEntity: model.entities[destination.entityIndex],
                            destinationKey: destination.key, isInsertion: true,
                            position: relationship.isOrdered ? position : nil)
                    }
                }
            }
        }
        return joins
    }
}

// Metadata of stores (spec §11.1).
extension PersistentStoreCoordinator {
    /// The metadata of an open store, including values that are set and not yet written.
    ///
    /// - Throws: `StoreError` if the store is not open here.
    public func metadata(for handle: PersistentStoreHandle) throws -> StoreMetadata {
        try record(handle).store.metadata
    }

    /// Replaces the program's metadata values of an open store. The next save writes them, even if
    /// it saves nothing else.
    ///
    /// - Throws: `StoreError` if the store is not open here, or is open for reading only.
    public func setMetadata(
        _ values: [String: AttributeValue], for handle: PersistentStoreHandle
    ) throws {
        let store = try record(handle).store
        guard !store.isReadOnly else { throw StoreError(.readOnly, url: store.url) }
        store.setMetadataValues(values)
    }

    /// Reads the metadata of a file without a model. Creates and changes no file.
    ///
    /// - Throws: `StoreError` if there is no file, or it is not a store.
    public static func metadataForPersistentStore(at url: URL) throws -> StoreMetadata {
        do {
            return try SQLiteStore.metadata(at: url)
        } catch let error as StoreError where error.reason == .notADatabase {
            // SQLite comes first: closing a file of an open database would drop its locks.
            guard let contents = try BinaryStore.contents(at: url) else { throw error }
            return contents.metadata
        }
    }

    /// Replaces the program's metadata values in a file, at once. Coordinators that have the file
    /// open see the values when they open it again. With a binary file, their next save throws
    /// `fileChanged`.
    ///
    /// - Throws: `StoreError` if there is no file, it is not a store, or it cannot be written.
    public static func setMetadata(
        _ values: [String: AttributeValue], forPersistentStoreAt url: URL
    ) throws {
        do {
            try SQLiteStore.setMetadataValues(values, at: url)
        } catch let error as StoreError where error.reason == .notADatabase {
            guard let contents = try BinaryStore.contents(at: url) else { throw error }
            var metadata = contents.metadata
            metadata.values = values
            try BinaryStore.write(
                AtomicStoreContents(
                    metadata: metadata, nodes: contents.nodes,
                    lastReferences: contents.lastReferences), at: url)
        }
    }

    /// Writes the metadata of all stores whose metadata has changed.
    func saveMetadata() throws {
        try underLockPolicy {
            for record in records where record.store.hasUnwrittenMetadata {
                try record.store.save(SavePlan(), from: ChangeOrigin(), beforeCommit: nil)
            }
        }
    }
}
