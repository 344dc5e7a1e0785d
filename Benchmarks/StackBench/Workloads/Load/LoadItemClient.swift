import Measuring
import Reports

/// A client of a load: does the operations of the mix on items and checks the answers.
final class LoadItemClient: LoadClient, @unchecked Sendable {
    // @unchecked Sendable: one thread uses it during a phase; its creator uses it only between
    // phases.

    /// What the client counted.
    struct Tally {
        var conflicts = 0
        /// Reads that showed less than what was saved before they began.
        var staleReads = 0

        static func + (first: Tally, second: Tally) -> Tally {
            Tally(
                conflicts: first.conflicts + second.conflicts,
                staleReads: first.staleReads + second.staleReads)
        }
    }

    /// Enough for the unluckiest writer; more tries mean that none ever succeeds.
    private static let maximumTries = 10_000

    private let writer: (any LoadWriter)?
    private let reader: (any LoadReader)?
    private let ledger: LoadLedger
    private let operations: [LoadOperation]
    private let saveSize: Int
    /// The items to insert, with new numbers.
    private let templates: [ItemRow]
    // A pointer, because exclusivity checks on a class's variables would cost more than the work.
    // It never changes, lives as long as the client, and one thread uses it.
    private let state: UnsafeMutablePointer<State>

    private struct State {
        /// By operation; a pointer for the same reason.
        let keys: UnsafeMutablePointer<KeyChooser?>
        /// The numbers of one update, reused so that choosing keys does not allocate.
        var numbers: [Int64]
        /// The numbers of items that this client has inserted and not deleted.
        var ownNumbers: ArraySlice<Int64> = []
        var tally = Tally()
    }

    var tally: Tally { state.pointee.tally }

    /// - Parameter index: the index of the client among the `count` clients of its kind.
    init(
        writer: (any LoadWriter)? = nil, reader: (any LoadReader)? = nil, _ plan: LoadPlan,
        _ ledger: LoadLedger, templates: [ItemRow], saveSize: Int,
        index: Int, count: Int, sharesKeys: Bool, seed: UInt64
    ) {
        self.writer = writer
        self.reader = reader
        self.ledger = ledger
        self.templates = templates
        self.saveSize = saveSize
        operations = plan.mix.map(\.operation)
        var random = SeededGenerator(seed: seed)
        let isWriter = writer != nil
        let keys: [KeyChooser?] = plan.mix.map { part in
            let seed = random.next()
            guard part.operation.takesKeys, part.operation.isWriting == isWriter else { return nil }
            return KeyChooser(
                part.keys, keyCount: ledger.firstItemCount, seed: seed,
                client: (index, count), isPartitioned: isWriter && !sharesKeys)
        }
        let choosers = UnsafeMutablePointer<KeyChooser?>.allocate(capacity: keys.count)
        choosers.initialize(from: keys, count: keys.count)
        state = .allocate(capacity: 1)
        state.initialize(
            to: State(keys: choosers, numbers: Array(repeating: 0, count: saveSize)))
    }

    deinit {
        state.pointee.keys.deinitialize(count: operations.count)
        state.pointee.keys.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    func perform(_ index: Int) throws {
        switch operations[index] {
        case .insert: try insert()
        case .update: try update(index)
        case .delete: try delete()
        case .read: try read(index)
        case .page: try page(index)
        case .count: try count()
        }
    }

    // MARK: Writing

    private func insert() throws {
        let items = (0..<saveSize).map { _ in
            let number = ledger.takeNumber()
            var item = templates[Int(number) % templates.count]
            item.number = number
            return item
        }
        try write { try $0.insert(items) }
        ledger.didInsert(items.count)
        state.pointee.ownNumbers.append(contentsOf: items.map(\.number))
    }

    private func update(_ index: Int) throws {
        for place in 0..<saveSize {
            state.pointee.numbers[place] = Int64(state.pointee.keys[index]!.next())
        }
        let numbers = state.pointee.numbers
        try write { try $0.update(numbers) }
        ledger.didUpdate(numbers)
    }

    private func delete() throws {
        guard state.pointee.ownNumbers.count >= saveSize else { return try insert() }
        let oldest = Array(state.pointee.ownNumbers.prefix(saveSize))
        state.pointee.ownNumbers.removeFirst(saveSize)
        ledger.willDelete(oldest.count)
        try write { try $0.delete(oldest) }
        ledger.didDelete(oldest.count)
    }

    /// Repeats the write until it is saved.
    private func write(_ body: (any LoadWriter) throws -> WriteResult) throws {
        for _ in 0..<Self.maximumTries {
            if try body(writer!) == .saved { return }
            state.pointee.tally.conflicts += 1
        }
        throw EndlessConflict(tries: Self.maximumTries)
    }

    // MARK: Reading

    private func read(_ index: Int) throws {
        let number = Int64(state.pointee.keys[index]!.next(newest: ledger.newestNumber))
        guard number <= ledger.firstItemCount else {
            // Not saved yet, or deleted: there is nothing to check.
            _ = try reader!.read(number)
            return
        }
        let saved = ledger.quantity(of: number)
        guard let found = try reader!.read(number), found >= saved else {
            state.pointee.tally.staleReads += 1
            return
        }
    }

    private func page(_ index: Int) throws {
        let number = Int64(state.pointee.keys[index]!.next())
        let found = try reader!.page(from: number)
        // The first items are never deleted, so a page must have all of them in its range.
        let last = min(number + Int64(LoadPage.itemCount) - 1, Int64(ledger.firstItemCount))
        let isRight =
            found.starts(with: number...last)
            && zip(found, found.dropFirst()).allSatisfy { $0 < $1 }
        if !isRight { state.pointee.tally.staleReads += 1 }
    }

    private func count() throws {
        let saved = ledger.savedItemCount
        let found = try reader!.count()
        // Read the deletes now: items that are being deleted may be missing.
        if found < saved - ledger.begunDeleteCount { state.pointee.tally.staleReads += 1 }
    }
}

struct EndlessConflict: Error, CustomStringConvertible {
    var tries: Int

    var description: String { "a write conflicted in each of \(tries) tries" }
}
