import Testing

@testable import ObjectGraph

// The coordinator's row cache detects most conflicts first. These tests are for plans that pass it.
@Suite struct `Save plans of an in-memory store (§5.3)` {
    let entity: Entity
    let store: InMemoryStore

    init() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(name: "Work", attributes: [AttributeDescription("title", .string)])
        ])
        entity = model.entity(named: "Work")!
        store = try InMemoryStore(model: model)
        _ = try store.save(
            SavePlan(rows: [change(.insert, key: 1, version: 1, previous: 0)]),
            from: ChangeOrigin(), beforeCommit: nil)
    }

    private func change(
        _ kind: RowChange.Kind, key: Int64, version: UInt32, previous: UInt32
    ) -> RowChange {
        var writer = RowWriter(expectedByteCount: 64)
        writer.begin(entity.layout.extent, key: key, version: version, entityNumber: 1)
        return RowChange(
            kind: kind, entity: entity, key: key, row: kind == .delete ? nil : writer.finish(),
            changes: PropertyMask(), previousVersion: previous)
    }

    @Test(
        arguments: [
            (RowChange.Kind.update, key: Int64(1), previous: UInt32(7)),
            (.update, key: 9, previous: 1), (.delete, key: 1, previous: 7),
            (.insert, key: 1, previous: 0),
        ])
    func `a row that is not as expected refuses the whole plan`(
        kind: RowChange.Kind, key: Int64, previous: UInt32
    ) throws {
        let plan = SavePlan(rows: [
            change(.insert, key: 2, version: 1, previous: 0),
            change(kind, key: key, version: 8, previous: previous),
        ])
        let error = #expect(throws: StoreConflict.self) {
            try store.save(plan, from: ChangeOrigin(), beforeCommit: nil)
        }
        guard case .versions([1]) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(store.rows([1, 2], entity: entity).map(\.version) == [1])
    }

    @Test func `deleting a row that is gone already is no conflict`() throws {
        _ = try store.save(
            SavePlan(rows: [change(.delete, key: 9, version: 0, previous: 3)]),
            from: ChangeOrigin(), beforeCommit: nil)
        #expect(store.rows([1, 9], entity: entity).count == 1)
    }
}
