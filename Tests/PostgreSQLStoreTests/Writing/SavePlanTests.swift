#if PostgreSQL
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

// The coordinator's row cache detects most conflicts first. These tests are for plans that pass it.
@Suite(.onServer) struct `Save plans in PostgreSQL (§5.3)` {
    let fixture: WritingFixture
    let coordinator: PersistentStoreCoordinator
    let entity: Entity
    var store: PostgreSQLStore { coordinator.postgreSQL }

    init() throws {
        fixture = try WritingFixture(
            EntityDescription(
                name: "Work", attributes: [AttributeDescription("title", .string)],
                uniquenessConstraints: [["title"]]))
        coordinator = try fixture.coordinator()
        entity = fixture.model.entity(named: "Work")!
        try save(insertion(1, "a"), insertion(2, "b"), insertion(3, "c"))
    }

    private func insertion(_ key: Int64, _ title: String?) -> RowChange {
        .make(.insert, entity, key: key, text: title)
    }

    private func update(_ key: Int64, _ title: String?, previous: UInt32 = 1) -> RowChange {
        .make(.update, entity, key: key, previous: previous, text: title)
    }

    private func deletion(_ key: Int64, previous: UInt32 = 1) -> RowChange {
        .make(.delete, entity, key: key, previous: previous)
    }

    private func check(_ key: Int64, previous: UInt32 = 1) -> RowChange {
        .make(.check, entity, key: key, previous: previous)
    }

    private func save(_ rows: RowChange...) throws {
        try store.save(SavePlan(rows: rows), from: ChangeOrigin(), beforeCommit: nil)
    }

    private func conflict(_ rows: RowChange...) -> StoreConflict? {
        #expect(throws: StoreConflict.self) {
            try store.save(SavePlan(rows: rows), from: ChangeOrigin(), beforeCommit: nil)
        }
    }

    private var rows: [String] {
        get throws {
            try fixture.schema.texts(
                "SELECT concat_ws(' ', z_pk, z_opt, coalesce(ztitle, '-')) FROM zwork ORDER BY z_pk"
            )
        }
    }

    @Test func `insertions, updates, deletions and checks are one save`() throws {
        try save(insertion(4, "d"), update(1, "A"), deletion(3), check(2))
        try save(update(2, nil))
        #expect(try rows == ["1 2 A", "2 2 b", "4 1 d"])
    }

    @Test(arguments: [1, 2, 3, 4])
    func `a row that is not as expected refuses the whole plan`(kind: Int) throws {
        let change = [
            update(1, "x", previous: 7), update(9, "x"), deletion(1, previous: 7),
            check(1, previous: 7),
        ][kind - 1]
        guard case .versions([1]) = conflict(insertion(4, "d"), change, update(2, "y")) else {
            Issue.record("another conflict")
            return
        }
        #expect(try rows == ["1 1 a", "2 1 b", "3 1 c"])
    }

    @Test func `all rows that differ are reported, by their positions`() throws {
        let conflict = conflict(
            update(1, "x", previous: 2), update(2, "y"), check(9), deletion(3, previous: 5),
            update(3, nil, previous: 4))
        guard case .versions([0, 2, 3, 4]) = conflict else {
            Issue.record("\(String(describing: conflict))")
            return
        }
    }

    @Test func `an insertion of a key that exists is a conflict of versions`() throws {
        let conflict = conflict(update(2, "y"), insertion(4, "d"), insertion(1, "e"))
        guard case .versions([2]) = conflict else {
            Issue.record("\(String(describing: conflict))")
            return
        }
    }

    @Test func `deleting a row that is gone already is no conflict`() throws {
        try save(deletion(9, previous: 3), deletion(1))
        #expect(try rows == ["2 1 b", "3 1 c"])
    }

    @Test func `rows of other writers without a version count as version 0`() throws {
        _ = try fixture.schema.link().run(Command("UPDATE zwork SET z_opt = NULL"))
        try save(update(1, "A", previous: 0), deletion(2, previous: 0), check(3, previous: 0))
        #expect(try rows == ["1 1 A", "3 c"])
    }

    @Test func `a checked row stays as it is until the commit (§11.8.30)`() throws {
        try store.save(
            SavePlan(rows: [check(1), update(2, "B")]), from: ChangeOrigin()
        ) {
            let other = try fixture.schema.link()
            _ = try other.run(Command("SET lock_timeout = 50"))
            let error = #expect(throws: PostgreSQLError.self) {
                try other.run(Command("UPDATE zwork SET z_opt = 2 WHERE z_pk = 1"))
            }
            #expect(error?.kind == .lockTimeout)
        }
        #expect(try rows == ["1 1 a", "2 2 B", "3 1 c"])
    }

    @Test func `an error before the commit leaves nothing`() throws {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try store.save(SavePlan(rows: [update(1, "x")]), from: ChangeOrigin()) {
                throw Refusal()
            }
        }
        #expect(try rows == ["1 1 a", "2 1 b", "3 1 c"])
        try save(update(1, "x"))
    }

    @Test func `a text with U+0000 is refused by name before anything is sent (§11.8.35)`() throws {
        store.resetStatistics()
        let error = #expect(throws: StoreError.self) { try save(update(1, "a\0b")) }
        guard case .unacceptableValue(_, "title", "Work") = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(store.statistics.roundTrips == 0)
    }

    @Test func `more keys than there are cannot be reserved (§5.6)`() throws {
        _ = try store.reserveKeys(1, root: entity)
        let error = #expect(throws: StoreError.self) { try store.reserveKeys(.max, root: entity) }
        let text = error?.description ?? ""
        #expect(text.contains("cannot reserve 9223372036854775807 keys of 'Work'"), "\(text)")
        #expect(error?.code == 259)
    }

    // MARK: - Uniqueness

    @Test func `two rows swap their values (§11.8.31)`() throws {
        try save(update(1, "b"), update(2, "a"))
        #expect(try rows == ["1 2 b", "2 2 a", "3 1 c"])
    }

    @Test func `a new row takes the value of a row that changes or is deleted`() throws {
        try save(insertion(4, "a"), update(1, "b"), update(2, "d"), deletion(3), insertion(5, "c"))
        #expect(try rows == ["1 2 b", "2 2 d", "4 1 a", "5 1 c"])
    }

    @Test func `all collisions are reported, with stored rows and in the plan (§11.8.31)`() throws {
        let conflict = conflict(
            insertion(4, "a"), insertion(5, "x"), insertion(6, "x"), insertion(7, nil),
            update(2, "c"), insertion(8, nil))
        guard case .uniqueness(let collisions) = conflict else {
            Issue.record("\(String(describing: conflict))")
            return
        }
        #expect(collisions.map(\.position) == [0, 2, 4])
        #expect(collisions.allSatisfy { $0.slots == [0] })
        #expect(try rows == ["1 1 a", "2 1 b", "3 1 c"])
    }

    @Test func `versions are settled before values`() throws {
        let conflict = conflict(insertion(4, "a"), update(2, "B", previous: 6))
        guard case .versions([1]) = conflict else {
            Issue.record("\(String(describing: conflict))")
            return
        }
    }

    @Test func `another program's index is its own error`() throws {
        _ = try fixture.schema.link().run(
            Command("CREATE UNIQUE INDEX other ON zwork (length(ztitle)) WHERE z_pk > 3"))
        let error = #expect(throws: PostgreSQLError.self) {
            try save(insertion(4, "dd"), insertion(5, "ee"))
        }
        #expect(error?.kind == .uniqueViolation && error?.constraint == "other")
    }
}
#endif
