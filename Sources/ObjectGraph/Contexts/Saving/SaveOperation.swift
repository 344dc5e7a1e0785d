import Foundation

/// One save of a context that has changes: collect, validate, plan, write, adopt, announce.
struct SaveOperation {
    private let context: ManagedObjectContext
    private var work = SaveWork()
    private var plans: [StorePlan] = []
    private var assignment = KeyAssignment()

    /// The place after this save in the histories of the stores.
    private var historyToken: PersistentHistoryToken?

    /// The work of attempts that were refused because of conflicts.
    private var attempts: [SaveWork] = []
    private var rounds = SaveRounds()

    /// The pending changes before a merge policy first changed them.
    private var original: UnsavedChanges?

    /// The level above before a pinned context moved to the newest generation to settle a conflict.
    private var originalChannel: (any StoreChannel)?

    private static let willSaveLimit = 1000

    init(of context: ManagedObjectContext) { self.context = context }

    mutating func run() throws {
        // Assigned keys do not hold their objects. An object may be held by an earlier attempt
        // only.
        defer { withExtendedLifetime(self) {} }
        let save = TraceSpan()
        defer { save.end(.save, on: context.queue.track, count: work.count) }
        try context.readingForEngine {
            let span = TraceSpan()
            try prepare()
            span.end(.prepare, on: context.queue.track)
            try write()
        }
        var span = TraceSpan()
        adopt()
        span.end(.adopt, on: context.queue.track)
        span = TraceSpan()
        announce()
        span.end(.announce, on: context.queue.track)
    }

    // MARK: - Collect and validate

    /// Calls `willSave` and validates until no object changes any more (spec §5.1, steps 3 and 4).
    private mutating func prepare() throws {
        let context = context
        var changed = try context.requiringReads {
            context.post(.willSave)
            callWillSave(on: context.tracker.inserted, where: \.isInserted)
            callWillSave(on: context.tracker.updated, where: \.isUpdated)
            callWillSave(on: context.tracker.deleted, where: \.isDeleted)
            return context.processChanges(isSaving: true)
        }
        for _ in 0..<Self.willSaveLimit {
            if changed.isEmpty {
                try context.requiringReads { collect() }
                changed = try context.requiringReads {
                    try work.validate(in: context)
                    // A validator may have replaced values.
                    return context.processChanges(isSaving: true)
                }
                if changed.isEmpty { return }
            }
            changed = try context.requiringReads {
                callWillSave(on: changed, where: \.hasChanges)
                return context.processChanges(isSaving: true)
            }
        }
        throw SaveError.endlessWillSave
    }

    private func callWillSave(
        on objects: [ManagedObject], where isConcerned: (ManagedObject) -> Bool
    ) {
        context.readingForProgram {
            objects.forEachBorrowed { if isConcerned($0) { $0.willSave() } }
        }
    }

    private mutating func collect() {
        // An object that is written for a member alone is not written once the member is found
        // gone. Only then do its own ends need the newest row.
        dropGone()
        OneToOneSettlement(context: context).run()
        work = SaveWork(inserted: context.tracker.inserted)
        // Usually all are, and the list need not be copied.
        if !work.inserted.allSatisfyBorrowed({ $0.isToBeInserted }) {
            work.inserted.removeAll { !$0.isToBeInserted }
        }
        // A new object that was refreshed begins again with its default values.
        work.inserted.forEachBorrowed { if $0.isFault { $0.fireFault() } }
        dropGone()
        work.updated = context.tracker.updated
        if !work.updated.allSatisfyBorrowed(\.isUpdated) {
            work.updated.removeAll { !$0.isUpdated }
        }
        work.deleted = context.tracker.deleted.filter(\.isDeleted)
    }

    /// Reads updated faults, which are checked and versioned too when an inverse alone has changed,
    /// and removes objects whose rows turn out to be gone from the relationships of others.
    private func dropGone() {
        let context = context
        context.readTogether(context.tracker.updated.lazy.filter(\.isUpdated))
        for object in context.tracker.updated where object.isUpdated && object.isFault {
            object.fireFault()
        }
        // Objects that were never saved are still to be refused.
        let gone = context.tracker.deleted.filter {
            $0.isDeleted && $0.state.deletion.isOfOthers && $0.reference > 0
        }
        GoneObjects(context: context, objects: gone).dropReferences()
    }

    // MARK: - Plan and write

    /// Hands the changes to the level above. After a conflict lets the merge policy settle it, and
    /// tries again (spec §5.1, steps 5 to 8).
    ///
    /// - Throws: The error that prevents the changes from being written, with the context as
    ///   before.
    private mutating func write() throws {
        do {
            while true {
                // Reading for the plans may take keys that earlier parts of the plans lack.
                let deliveryCount = context.deliveryCount
                // Below a parent context new objects keep their temporary references.
                if context.parent == nil {
                    try assignment.assign(to: work.inserted, from: context.channel.stores())
                }
                try context.requiringReads { try plan() }
                do {
                    return try handUp(plansOfDelivery: deliveryCount)
                } catch is RenewedKeys {
                    context.takePermanentKeys()
                } catch let conflict as PlanConflict {
                    try settle(conflict)
                }
            }
        } catch {
            assignment.takeBack()
            if let originalChannel { context.switchChannel(to: originalChannel) }
            original?.restore(in: context)
            throw error
        }
    }

    private mutating func plan() throws {
        let span = TraceSpan()
        defer { span.end(.plan, on: context.queue.track) }
        plans = []
        let draft = try PlanDraft(of: work, in: context)
        plans = draft.plans
        work.plannedObjects = draft.objects
        work.changed = draft.changed
    }

    private mutating func handUp(plansOfDelivery deliveryCount: Int) throws {
        let span = TraceSpan()
        defer { span.end(.handUp, on: context.queue.track) }
        if !plans.isEmpty {
            historyToken = try context.channel.save(plans, from: context.origin) { [context] in
                !context.hasPendingKeys && context.deliveryCount == deliveryCount
            }
        } else if context.parent == nil {
            try context.coordinator.saveMetadata()
        }
    }

    private mutating func settle(_ conflict: PlanConflict) throws {
        assignment.takeBack()
        attempts.append(work)
        if original == nil {
            original = UnsavedChanges(of: context)
            // Only contexts without a parent have conflicts.
            originalChannel = try context.channel.stores()
        }
        // The conflict is with the newest rows.
        context.moveToNewestGeneration()
        let position = plans.firstIndex { $0.storeNumber == conflict.storeNumber }!
        let planned = work.plannedObjects[position].map { $0.takeUnretainedValue() }
        let versions = conflict.conflict.positions.map { planned[$0].row?.version }
        guard rounds.allowAnother(after: versions) else { throw SaveError.unresolvedConflicts }
        try context.requiringReads {
            try askPolicy(
                about: conflict,
                ConflictDescription(context: context, objects: planned, work: work))
            collect()
            context.processChanges(isSaving: true)
        }
        // The conflict may have been settled by a deletion that validation refuses, or by cutting a
        // reference that it requires. Duplicates disappear, they are not deleted.
        var remaining = work
        remaining.deleted.removeAll(where: \.isInserted)
        try remaining.validate(in: context)
    }

    /// Lets the merge policy change objects so that the next attempt succeeds.
    private func askPolicy(
        about conflict: PlanConflict, _ description: ConflictDescription
    ) throws {
        let policy = context.mergePolicy
        switch conflict.conflict {
        case .versions(let positions):
            // Another program has inserted rows with the keys of new objects. No policy covers
            // this.
            guard !positions.contains(where: { description.objects[$0].state.life.isNew }) else {
                throw SaveError.unresolvedConflicts
            }
            defer { context.newestRows.forgetAll() }
            let objects = try description.changedElsewhere(at: positions)
            if type(of: policy) == MergePolicy.self, policy.kind != .error {
                // Nobody sees a description of what the engine settles itself.
                try ConflictSettlement(context: context, kind: policy.kind).settle(objects)
            } else {
                try policy.resolve(
                    objects.map {
                        try description.mergeConflict(of: $0, wasCached: conflict.wasCached)
                    }, in: context)
            }
        case .uniqueness(let collisions):
            try policy.resolve(description.constraintConflicts(of: collisions), in: context)
        }
        context.processChanges(isSaving: true)
    }

    // MARK: - Adopt

    /// Makes the rows that were written the snapshots of their objects (spec §5.1, step 9).
    private func adopt() {
        let context = context
        let isChild = context.parent != nil
        let hasChildren = context.hasChildren.load(ordering: .relaxed)
        for (plan, objects) in zip(plans, work.plannedObjects) {
            for position in plan.plan.rows.indices {
                guard let row = plan.plan.rows[position].row else { continue }
                objects[position]._withUnsafeGuaranteedRef {
                    // A child with the earlier row is not notified of later changes.
                    if hasChildren { $0.supersedeRow() }
                    $0.take(accepted: row)
                    // Nor is this context by a parent, which has taken the values and not this row.
                    if isChild, !$0.state.life.isNew { $0.supersedeRow() }
                }
            }
        }
        context.identityMap.register(assignment.keys)
        work.inserted.forEachBorrowed { $0.adoptSavedChanges() }
        work.updated.forEachBorrowed { $0.adoptSavedChanges() }
        // Objects whose deletion the merge policy has taken back are in no list now.
        for object in attempts.flatMap(\.deleted) where !object.isDeleted {
            object.contents?.forgetNotes()
        }
        context.tracker.forgetSaved()
        context.undoRecorder.noteSave()
    }

    // MARK: - Announce

    /// Calls `didSave`, notifies other contexts and observers, detaches deleted objects (spec §5.1,
    /// step 10).
    private func announce() {
        let context = context
        // What others have deleted was not deleted by this save, and its row may be back.
        let deleted = work.deleted.filter {
            !$0.state.life.isInsertion && $0.state.deletion.isOrder
        }
        let deletedIDs = deleted.map(\.objectID)
        // Hooks and observers see what was saved.
        context.moveToNewestGeneration()
        work.inserted.forEachBorrowed { $0.didSave() }
        work.updated.forEachBorrowed { $0.didSave() }
        for object in deleted { object.didSave() }
        GoneObjects(context: context, objects: work.deleted).dropUncut()
        KeyDelivery(keys: assignment.keys).reachDescendants(of: context)
        let siblings =
            context.parent == nil ? context.coordinator.mergingContexts(besides: context) : []
        let children = context.mergingChildren
        if context.hasObservers || !siblings.isEmpty || !children.isEmpty {
            let changes = ObjectChanges(
                inserted: work.inserted.map(\.objectID), updated: work.changed.map(\.objectID),
                deleted: deletedIDs, historyToken: historyToken)
            context.post(.didSave(changes))
            for other in siblings + children {
                other.perform { other.mergeChanges(changes) }
            }
        }
        letGo()
        context.sweepIfGrown()
    }

    /// Detaches the deleted objects. Until now observers could read their last values.
    private func letGo() {
        guard !work.deleted.isEmpty else { return }
        if context.undoManager != nil {
            for object in work.deleted {
                guard let row = object.row else { continue }
                context.undoRecorder.noteDeletion(of: object.reference, version: row.version)
            }
        }
        for object in work.deleted { context.detach(object) }
        context.tracker.forgetDetached()
    }
}

/// How often a save is tried. Others may save the same rows again before this one does.
private struct SaveRounds {
    private static let limit = 100
    /// The limit of rounds in which the merge policy settles nothing.
    private static let fruitlessLimit = 10
    private static let longestPause = Duration.milliseconds(32)

    private var count = 0
    private var fruitlessCount = 0
    private var versions: [UInt32?] = []

    /// Whether another attempt may succeed. Waits for a random time, which grows, after a few: others
    /// who save the same rows do so too.
    ///
    /// - Parameter versions: The versions of the objects in conflict. A policy that has settled the
    ///   conflict before has raised them.
    mutating func allowAnother(after versions: [UInt32?]) -> Bool {
        count += 1
        fruitlessCount = versions == self.versions ? fruitlessCount + 1 : 1
        self.versions = versions
        guard count < Self.limit, fruitlessCount < Self.fruitlessLimit else { return false }
        if count > 2 {
            let pause = min(.milliseconds(1 << min(count - 2, 10)), Self.longestPause)
            Thread.sleep(forTimeInterval: pause / .seconds(1) * .random(in: 0...1))
        }
        return true
    }
}

/// The objects of a save, each in one of the first three lists.
struct SaveWork {
    var inserted: [ManagedObject] = []
    var updated: [ManagedObject] = []
    var deleted: [ManagedObject] = []

    /// The objects of the rows of each plan, in the same order; the lists above hold them.
    var plannedObjects: [[Unmanaged<ManagedObject>]] = []

    /// The objects of `updated` that have something to write.
    var changed: [ManagedObject] = []

    var count: Int { inserted.count + updated.count + deleted.count }
}

extension ManagedObject {
    /// Makes the pending changes of the object its saved state.
    fileprivate final func adoptSavedChanges() {
        discardSavedChanges()
        contents?.forgetNotes()
        // The row exists again, and with it the pairs that refer to it.
        if state.life == .broughtBack { contents?.unload() }
        enter(.clean)
        state.flags.remove(.announced)
    }
}
