import TestSupport
import Testing

@testable import ObjectGraph

/// The random scripts check that invariants hold. These tests check that a violation is detected.
@Suite struct `Invariants of contexts` {
    private let store: StoreFixture

    init() throws { store = try StoreFixture.notebook() }

    @Test func `a listed object has the state of its list`() {
        store.run { context in
            let note = context.makeNote("a")
            expectViolation(context) {
                note.enter(.clean)
            } mending: {
                note.enter(.inserted)
            }
            expectViolation(context) {
                note.state.flags.remove(.changedInEvent)
            } mending: {
                note.state.flags.insert(.changedInEvent)
            }
        }
    }

    @Test func `a changed object is listed`() throws {
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            expectViolation(context) {
                note.enter(.updated)
            } mending: {
                note.enter(.clean)
            }
        }
    }

    @Test func `an object is registered under its reference`() throws {
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            let reference = note.reference
            expectViolation(context) {
                note.reference += 1
            } mending: {
                note.reference = reference
            }
        }
    }

    @Test func `no event is under way outside of the queue`() {
        expectViolation(store.context) {
            store.context.queue.setEndsEvent(true)
        } mending: {
            store.context.queue.setEndsEvent(false)
        }
    }
}

/// Expects `checkInvariants` to throw between the two changes, but not before or after them.
private func expectViolation(
    _ context: ManagedObjectContext, breaking: () -> Void, mending: () -> Void
) {
    #expect(throws: Never.self) { try context.checkInvariants() }
    breaking()
    #expect(throws: BrokenInvariant.self) { try context.checkInvariants() }
    mending()
    #expect(throws: Never.self) { try context.checkInvariants() }
}
