/// A copy of the pending changes of a context, restored when a save fails after a merge policy has
/// changed them (spec §5.1).
struct UnsavedChanges {
    private struct Entry {
        let object: ManagedObject
        let state: ObjectState
        let row: RowReference?
        let values: [(index: Int, value: AttributeValue)]
        let contents: [Int: ToManyContents]
    }

    private let entries: [Entry]
    private let tracker: ChangeTracker

    init(of context: ManagedObjectContext) {
        tracker = context.tracker
        entries = tracker.objects.map { object in
            var values: [(index: Int, value: AttributeValue)] = []
            if let changes = object.changes {
                changes.mask.forEach { values.append(($0, changes[$0])) }
            }
            return Entry(
                object: object, state: object.state, row: object.row, values: values,
                contents: object.contents?.relationships ?? [:])
        }
    }

    func restore(in context: ManagedObjectContext) {
        // Includes objects changed only since then, such as a stored object that was to replace a
        // new one.
        for object in context.tracker.objects {
            object.forgetPendingChanges()
        }
        for entry in entries {
            entry.object.discardChanges()
            entry.object.contents = nil
            if entry.object.state.isDetached { context.identityMap.register(entry.object) }
            entry.object.state = entry.state
            entry.object.row = entry.row
            for (index, value) in entry.values { entry.object.unsavedValues[index] = value }
            guard !entry.contents.isEmpty else { continue }
            entry.object.contents = RelationshipContents()
            entry.object.contents!.relationships = entry.contents
        }
        context.tracker.restore(tracker)
    }
}
