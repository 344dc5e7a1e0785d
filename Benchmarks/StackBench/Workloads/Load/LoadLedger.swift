import Measuring
import Synchronization

/// Records all writes that were reported as saved: what the store must hold in the end, and what a
/// read must show.
final class LoadLedger: Sendable {
    /// The number of items in the prepared store, which have the numbers 1…firstItemCount. They are
    /// updated and never deleted.
    let firstItemCount: Int

    // nonisolated(unsafe): the pointer never changes, lives as long as the ledger, and points to
    // atomics.
    private nonisolated(unsafe) let quantities: UnsafeMutablePointer<Atomic<Int32>>
    private let lastNumber: Atomic<Int>
    private let inserted = Atomic<Int>(0)
    private let deletesBegun = Atomic<Int>(0)
    private let deleted = Atomic<Int>(0)

    init(_ items: [ItemRow]) {
        firstItemCount = items.count
        lastNumber = Atomic(items.count)
        quantities = .allocate(capacity: items.count)
        for (index, item) in items.enumerated() {
            (quantities + index).initialize(to: Atomic(item.quantity))
        }
    }

    deinit {
        quantities.deinitialize(count: firstItemCount)
        quantities.deallocate()
    }

    /// The highest number given to an item, saved or not.
    var newestNumber: Int { lastNumber.load(ordering: .relaxed) }

    /// Takes a number for a new item.
    func takeNumber() -> Int64 { Int64(lastNumber.add(1, ordering: .relaxed).newValue) }

    /// The last saved quantity of one of the first items. A read that begins later must show at
    /// least this quantity.
    func quantity(of number: Int64) -> Int32 {
        quantities[Int(number) - 1].load(ordering: .acquiring)
    }

    func didUpdate(_ numbers: [Int64]) {
        for number in numbers { quantities[Int(number) - 1].add(1, ordering: .releasing) }
    }

    func didInsert(_ count: Int) { inserted.add(count, ordering: .releasing) }
    func willDelete(_ count: Int) { deletesBegun.add(count, ordering: .releasing) }
    func didDelete(_ count: Int) { deleted.add(count, ordering: .releasing) }

    /// The number of items ever saved, including the first ones.
    var savedItemCount: Int { firstItemCount + inserted.load(ordering: .acquiring) }

    /// The number of deletes begun, finished or not.
    var begunDeleteCount: Int { deletesBegun.load(ordering: .acquiring) }

    /// The number of items when no operation is running.
    var itemCount: Int { savedItemCount - deleted.load(ordering: .acquiring) }
}
