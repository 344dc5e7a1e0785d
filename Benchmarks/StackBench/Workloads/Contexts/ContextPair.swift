import Dispatch
import Foundation
import Measuring
import ObjectGraph
import Synchronization

/// A view and a worker that meet, each inside its queue, and then need each other.
///
/// The view is on a private queue: its main queue could wait for ever only once in a process.
final class ContextPair: Sendable {
    enum Arrangement: String, CaseIterable {
        /// The worker saves to the view.
        case nested
        /// Both save to the store.
        case siblings
    }

    /// How the two call each other.
    enum Way: String, CaseIterable {
        /// `performAndWait`, from inside their own queues.
        case wait
        /// `await perform`, after they have left their own queues.
        case suspend = "await"
    }

    /// The worker's step while the view waits for it.
    enum Pattern: String, CaseIterable {
        case save, fault, fetch
        /// It saves, and an observer of that save makes the view merge it.
        case merge
        /// It enters the view's queue.
        case enter
        /// It saves on the thread that holds the view's queue.
        case inside

        var isSaving: Bool { [.save, .merge, .inside].contains(self) }
    }

    static let newQuantity: Int32 = 1_000_000

    let pattern: Pattern
    /// The number of the item that this pair alone uses.
    let itemNumber: Int
    private let way: Way
    private let view: ManagedObjectContext
    private let worker: ManagedObjectContext
    private let itemID: ManagedObjectID
    private let observation: Observation?
    private let work = DispatchGroup()
    private let meeting: Meeting
    private let failure = Mutex((any Error)?.none)

    init(
        _ pattern: Pattern, arrangement: Arrangement, way: Way, itemNumber: Int,
        _ coordinator: PersistentStoreCoordinator
    ) throws {
        self.pattern = pattern
        self.way = way
        self.itemNumber = itemNumber
        let view = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let worker =
            arrangement == .nested
            ? ManagedObjectContext(.privateQueue, parent: view)
            : ManagedObjectContext(.privateQueue, coordinator: coordinator)
        (self.view, self.worker) = (view, worker)
        meeting = Meeting(of: pattern == .inside ? 1 : 2)
        itemID = try worker.performAndWait {
            let item = try Self.item(itemNumber, in: worker)
            if pattern.isSaving { item.quantity = Self.newQuantity }
            return item.objectID
        }
        let work = work
        observation = pattern == .merge ? view.mergeSaves(of: worker, way, work) : nil
    }

    /// Starts both. Their work is part of the group's, too.
    func start(in all: DispatchGroup) {
        begin(all) {
            try self.runView()
        } or: {
            try await self.awaitAsView()
        }
        guard pattern != .inside else { return }
        begin(all) {
            try self.runWorker()
        } or: {
            try await self.awaitAsWorker()
        }
    }

    /// - Throws: the first error of one of the two.
    func hasEnded() throws -> Bool {
        try failure.withLock { if let error = $0 { throw error } }
        return work.wait(timeout: .now()) == .success
    }

    // MARK: With performAndWait

    private func runView() throws {
        try view.performAndWait {
            meeting.arrive()
            try worker.performAndWait { if pattern == .inside { try takeStep() } }
            try view.save()
        }
    }

    private func runWorker() throws {
        try worker.performAndWait {
            meeting.arrive()
            try takeStep()
            if pattern == .enter { view.performAndWait {} }
        }
    }

    // MARK: With await

    private func awaitAsView() async throws {
        await view.perform { self.meeting.arrive() }
        try await worker.perform { if self.pattern == .inside { try self.takeStep() } }
        try await view.perform { try self.view.save() }
    }

    private func awaitAsWorker() async throws {
        try await worker.perform {
            self.meeting.arrive()
            try self.takeStep()
        }
        if pattern == .enter { await view.perform {} }
    }

    // MARK: Parts

    private func takeStep() throws {
        switch pattern {
        case .save, .merge, .inside: try worker.save()
        case .fault: _ = (worker.object(with: itemID) as? Item)?.quantity
        case .fetch: _ = try Self.item(itemNumber, in: worker)
        case .enter: break
        }
    }

    private func begin(
        _ all: DispatchGroup, _ run: @escaping @Sendable () throws -> Void,
        or suspend: @escaping @Sendable () async throws -> Void
    ) {
        all.enter()
        work.enter()
        let end: @Sendable (Result<Void, any Error>) -> Void = { [self] result in
            if case .failure(let error) = result { failure.withLock { $0 = $0 ?? error } }
            work.leave()
            all.leave()
        }
        switch way {
        case .wait:
            Thread { end(Result { try run() }) }.start()
        case .suspend:
            Task {
                do { end(.success(try await suspend())) } catch { end(.failure(error)) }
            }
        }
    }

    private static func item(_ number: Int, in context: ManagedObjectContext) throws -> Item {
        let found = try Item.findFirst(in: context, where: ObjectPredicate("number == %ld", number))
        guard let found else { throw WorkerFailure(reason: "item \(number) is missing") }
        return found
    }
}

extension ManagedObjectContext {
    /// Merges each save of another context, inside that save.
    fileprivate func mergeSaves(
        of worker: ManagedObjectContext, _ way: ContextPair.Way, _ work: DispatchGroup
    ) -> Observation {
        worker.observe { [self] notification in
            guard case .didSave(let changes) = notification else { return }
            switch way {
            case .wait: performAndWait { mergeChanges(changes) }
            case .suspend:
                work.enter()
                perform {
                    self.mergeChanges(changes)
                    work.leave()
                }
            }
        }
    }
}

/// Where several threads wait until all of them are there.
private final class Meeting: Sendable {
    private let missingCount: Mutex<Int>
    private let isComplete = DispatchSemaphore(value: 0)

    init(of count: Int) { missingCount = Mutex(count) }

    func arrive() {
        let missing = missingCount.withLock { count in
            count -= 1
            return count
        }
        if missing > 0 { isComplete.wait() } else { isComplete.signal() }
    }
}
