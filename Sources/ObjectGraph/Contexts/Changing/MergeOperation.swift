/// A merge of what another context has saved (spec §4.4).
struct MergeOperation {
    private let context: ManagedObjectContext
    private let changes: ObjectChanges

    /// What the merge has changed in the context.
    private var merged = ObjectChanges()

    init(of changes: ObjectChanges, into context: ManagedObjectContext) {
        self.context = context
        self.changes = changes
    }

    mutating func run() {
        let span = TraceSpan()
        defer {
            span.end(
                .merge, on: context.queue.track,
                count: changes.inserted.count + changes.updated.count + changes.deleted.count)
        }
        context.moveToNewestGeneration()
        for id in changes.inserted {
            guard let scope = context.coordinator.localScope(of: id) else { continue }
            let object = context.object(id.reference, scope)
            if object.isDeleted { mergeRow(ofDeleted: object) }
            merged.inserted.append(object.objectID)
        }
        for id in changes.updated {
            guard let object = context.registeredObject(for: id) else { continue }
            mergeUpdate(of: object)
        }
        let named = changes.deleted.compactMap(context.registeredObject(for:)).filter {
            // The next save inserts the row again, whoever has deleted it.
            !$0.state.life.isInsertion
        }
        for object in named where object.isDeleted { mergeDeletion(ofDeleted: object) }
        let present = named.filter { !$0.isDeleted }
        let back = objectsWithRows(among: present)
        for object in back { mergeUpdate(of: object) }
        let gone = back.isEmpty ? present : present.filter { !back.contains($0) }
        for object in gone {
            object.discardChanges()
            object.contents = nil
            context.tracker.delete(object, as: .merged)
            merged.deleted.append(object.objectID)
        }
        merged.refreshed += GoneObjects(context: context, objects: gone).dropReferences().map(
            \.objectID)
        let count = merged.inserted.count + merged.refreshed.count + merged.deleted.count
        context.coordinator.graphCounters.merges.add(1, ordering: .relaxed)
        context.coordinator.graphCounters.mergedObjects.add(Int64(count), ordering: .relaxed)
        if context.hasObservers {
            postChanges()
            merged.updated = merged.refreshed
            context.post(.didMerge(merged))
        }
        context.sweepIfGrown()
        context.assertInvariants()
    }

    /// Takes the newest row of an object, which keeps its unsaved values.
    private mutating func mergeUpdate(of object: ManagedObject) {
        if object.isDeleted { return mergeRow(ofDeleted: object) }
        let isRealised = !object.isFault
        object.refreshSilently(mergeChanges: true, in: context)
        object.contents?.unload()
        if isRealised { merged.refreshed.append(object.objectID) }
    }

    /// Takes the newest row of an object that counts as deleted. An object that only others have
    /// deleted returns; a deletion made here is of the newest row from now on.
    private func mergeRow(ofDeleted object: ManagedObject) {
        if object.state.deletion.isOfOthers {
            // The row is not back if the deletion is the newer change.
            guard (try? object.hasRowAbove(in: context)) == true else { return }
            guard object.state.deletion == .mergedToo else {
                if object.state.life == .updated { context.tracker.withdrawUpdate(of: object) }
                return object.expectRow(in: context)
            }
            object.state.deletion = .propagated
        }
        object.refreshSilently(mergeChanges: true, in: context)
    }

    /// Notes that others have deleted an object too, after its delete rules.
    private func mergeDeletion(ofDeleted object: ManagedObject) {
        if object.state.deletion == .marked {
            context.readingForEngine { DeletePropagation(context: context).run() }
        }
        switch object.state.deletion {
        case .propagated, .renewed: object.state.deletion = .mergedToo
        case .none, .marked, .foundGone, .merged, .mergedToo: break
        }
    }

    /// The objects whose rows are in the store: the rows are back, and this context has or will get
    /// no other news of it.
    private func objectsWithRows(among objects: [ManagedObject]) -> Set<ManagedObject> {
        // A parent may have rows that are not stored, and be about to delete others.
        guard context.parent == nil else {
            return Set(objects.filter { (try? $0.hasRowAbove(in: context)) ?? false })
        }
        // Without a cached row, nothing was read or written since the deletion. The store is asked
        // for the others, since another coordinator may have deleted their rows.
        let doubtful = objects.filter {
            context.coordinator.mayHaveRow($0.reference, $0.binding.scope)
        }
        guard !doubtful.isEmpty else { return [] }
        var found: Set<ManagedObject> = []
        for (table, objects) in Dictionary(grouping: doubtful, by: TableKey.init) {
            let keys = objects.map(\.reference)
            guard
                let rows = try? context.coordinator.rows(
                    keys, entity: context.model.entities[table.rootIndex],
                    storeNumber: table.storeNumber)
            else { continue }
            var present: Set<Int64> = []
            rows.forEachRun { _, places in present.formUnion(places.lazy.map(\.key)) }
            for object in objects {
                if present.contains(object.reference) {
                    found.insert(object)
                } else {
                    context.coordinator.forgetRow(object.reference, object.binding.scope)
                }
            }
        }
        return found
    }

    /// Posts the objects that a merge has changed. Followers also test those that this context has
    /// not registered.
    private func postChanges() {
        let all = ObjectChanges(
            inserted: merged.inserted, deleted: changes.deleted,
            refreshed: changes.updated + merged.refreshed)
        guard !all.isEmpty else { return }
        context.post(
            merged.isEmpty ? nil : .objectsDidChange(merged), followed: .objectsDidChange(all))
    }
}
