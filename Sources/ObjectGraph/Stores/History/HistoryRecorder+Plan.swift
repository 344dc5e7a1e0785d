// Recording a save.
extension HistoryRecorder {
    /// Records the deletions of a plan. Call it before they are carried out.
    func recordDeletions(of plan: SavePlan) throws {
        var rest = plan.rows[...]
        while let start = rest.firstIndex(where: { $0.kind == .delete }) {
            let entity = rest[start].entity
            let run = rest[start...].prefix { $0.kind == .delete && $0.entity === entity }
            try delete(entity, keys: run.lazy.map(\.key))
            rest = rest[run.endIndex...]
        }
    }

    /// Records the insertions and updates of a plan that was written.
    func recordRows(of plan: SavePlan) throws {
        for change in plan.rows {
            switch change.kind {
            case .insert: try insert(change.entity, key: change.key)
            case .update: try update(change.entity, key: change.key, change.changes)
            case .delete, .check: break
            }
        }
    }
}
