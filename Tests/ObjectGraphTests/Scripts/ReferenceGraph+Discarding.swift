extension ReferenceGraph {
    mutating func rollback(_ level: Int) {
        for object in levels[level].merged { levels[level].snapshots[object] = nil }
        forgetChanges(of: level)
        levels[level].event = Event()
        levels[level].undoStack = []
        levels[level].redoStack = []
    }

    mutating func forgetChanges(of level: Int) {
        levels[level].changes = [:]
        levels[level].inserted = []
        levels[level].updated = []
        levels[level].deleted = []
        levels[level].merged = []
        levels[level].deletedByOthers = []
        levels[level].foundGone = []
        levels[level].touched = []
        levels[level].reordered = []
        levels[level].movedItems = [:]
        levels[level].listsBefore = [:]
        levels[level].lists = [:]
        levels[level].pairs = [:]
    }

    mutating func refresh(_ object: Int, mergingChanges: Bool, in level: Int) {
        let own = levels[level]
        if own.inserted.contains(object) {
            // Without merging, a new object reverts to its defaults, and an object inserted by a
            // child to the child's values.
            if !mergingChanges { isUnclear = true }
            return
        }
        if own.updated.contains(object) || own.deleted.contains(object) {
            if mergingChanges {
                guard own.snapshots[object] != nil,
                    let newest = view(object, in: own.parent)
                else { return }
                // The delete rules of a deleted object are applied again.
                if own.ordered.contains(object), own.snapshots[object]?.version != newest.version {
                    isUnclear = true
                }
                forgetEqualValues(of: object, in: level)
                levels[level].snapshots[object] = newest
                return
            }
            // Without merging, the inverses are not reverted, so that relationships become
            // inconsistent (spec §2.8).
            let keys = Set(own.changes[object, default: [:]].keys)
            if own.deleted.contains(object) || own.touched.contains(object)
                || !keys.isDisjoint(with: ["owner", "place", "card", "holder"])
            {
                isUnclear = true
            }
            levels[level].changes[object] = nil
            levels[level].updated.remove(object)
        }
        levels[level].snapshots[object] = nil
    }

    /// Drops changes to the value of the snapshot: they do not count as changes over a newer row.
    mutating func forgetEqualValues(of object: Int, in level: Int) {
        let base = levels[level].snapshots[object]?.values ?? [:]
        let isDeleted = levels[level].deleted.contains(object)
        levels[level].changes[object] = levels[level].changes[object]?.filter {
            // A reference cut by a deletion stays cut, whatever others save in its row.
            base[$0.key, default: .null] != $0.value
                || isDeleted && $0.key == "owner" && $0.value == .null
        }
    }

    mutating func refreshAll(_ level: Int) {
        for object in entities.indices { refresh(object, mergingChanges: true, in: level) }
    }

    /// Merges a save of another context (spec §4.4).
    mutating func merge(_ saved: SavedObjects, into level: Int) {
        for object in saved.inserted where levels[level].deleted.contains(object) {
            takeRow(ofDeleted: object, in: level)
        }
        for object in saved.updated {
            if levels[level].deleted.contains(object) {
                takeRow(ofDeleted: object, in: level)
            } else {
                refresh(object, mergingChanges: true, in: level)
            }
        }
        var gone: Set<Int> = []
        // The next save inserts a row again, whoever has deleted it.
        for object in saved.deleted where !levels[level].inserted.contains(object) {
            if levels[level].event.objects[object] != nil { isUnclear = true }
            if levels[level].deleted.contains(object) {
                levels[level].merged.insert(object)
                continue
            }
            if view(object, in: levels[level].parent) != nil {
                refresh(object, mergingChanges: true, in: level)
                continue
            }
            levels[level].merged.insert(object)
            levels[level].deletedByOthers.insert(object)
            levels[level].changes[object] = nil
            levels[level].deleted.insert(object)
            gone.insert(object)
        }
        cutReferences(to: gone, in: level)
    }

    /// Takes the newest row of a deleted object, which others have changed or inserted again. It is
    /// back if only others had deleted it.
    private mutating func takeRow(ofDeleted object: Int, in level: Int) {
        guard isUsable(object, in: levels[level].parent) else { return }
        levels[level].merged.remove(object)
        guard levels[level].deletedByOthers.remove(object) == nil else {
            levels[level].deleted.remove(object)
            levels[level].updated.remove(object)
            if levels[level].pairs.keys.contains(where: { [$0.person, $0.group].contains(object) })
            {
                isUnclear = true
            }
            levels[level].touched.remove(object)
            levels[level].snapshots[object] = nil
            return
        }
        refresh(object, mergingChanges: true, in: level)
    }

    /// Removes the references of unsaved objects to deleted objects.
    mutating func cutReferences(to gone: Set<Int>, in level: Int) {
        let own = levels[level]
        for object in own.inserted.union(own.updated).subtracting(own.deleted).sorted() {
            for (key, value) in own.changes[object, default: [:]] {
                guard case .object(let destination) = value, gone.contains(destination) else {
                    continue
                }
                set(key, of: object, to: .null, in: level)
            }
        }
        for owner in own.movedItems.keys { levels[level].movedItems[owner]?.subtract(gone) }
    }
}
