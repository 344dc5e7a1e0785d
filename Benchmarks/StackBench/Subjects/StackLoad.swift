import Foundation
import ObjectGraph
import Stacks
import Synchronization

/// A stack under load: each writer has a worker context; the first reader has the view, the others
/// have worker contexts.
final class StackLoad: LoadSubject, StackCounting {
    /// The number of items that the view shows, like a list, and therefore reads without the store.
    static let shownItemCount = 1_000

    let stack: any PersistenceStack
    private let items: ItemDirectory
    private let view: StackViewReader

    convenience init(_ kind: StackKind, _ configuration: SubjectConfiguration) throws {
        try self.init(try kind.make(try .loading(configuration)))
    }

    init(_ stack: any PersistenceStack) throws {
        self.stack = stack
        let view = try stack.viewContext
        items = ItemDirectory(try Self.identifiers(in: view))
        self.view = try StackViewReader(view, items, shownItemCount: Self.shownItemCount)
    }

    private static func identifiers(
        in context: ManagedObjectContext
    ) throws -> [ManagedObjectID] {
        var request = FetchRequest(entityName: "Item", sortKeys: [.ascending("number")])
        request.includesPropertyValues = false
        let fetch = request
        return try context.performAndWait { try context.fetchObjectIDs(fetch) }
    }

    func makeWriter() throws -> any LoadWriter {
        StackWriter(stack, try stack.makeWorkerContext(), items)
    }

    func makeReader(_ index: Int) throws -> any LoadReader {
        index == 0 ? view : StackReader(try stack.makeWorkerContext(), items)
    }

    var promisesFreshReads: Bool {
        [.immediately, .afterMerge].contains(stack.kind.visibility)
    }

    /// Waits for pending merges and refetches if the stack leaves that to the app.
    func shownQuantities() throws -> [Int64: Int32]? {
        if !promisesFreshReads { try stack.refreshViewAndWait() }
        return view.shownQuantities()
    }

    func settings(_ pragmas: [String]) throws -> [[String]] { try stack.settings(pragmas) }

    func close() throws { try stack.close() }
}

extension StackConfiguration {
    /// The stack configuration of a load.
    static func loading(_ configuration: SubjectConfiguration) throws -> Self {
        configuration.stack(on: try Item.makeModel([.indexedNumber]))
    }
}

/// The identifiers of the items by number.
final class ItemDirectory: Sendable {
    private let identifiers: Mutex<[ManagedObjectID?]>

    init(_ identifiers: [ManagedObjectID]) {
        self.identifiers = Mutex(identifiers)
    }

    /// Nil for an item that is not saved.
    subscript(number: Int64) -> ManagedObjectID? {
        identifiers.withLock { identifiers in
            let index = Int(number) - 1
            return identifiers.indices.contains(index) ? identifiers[index] : nil
        }
    }

    func add(_ added: [(number: Int64, identifier: ManagedObjectID)]) {
        identifiers.withLock { identifiers in
            for (number, identifier) in added {
                let missing = Int(number) - identifiers.count
                if missing > 0 { identifiers += Array(repeating: nil, count: missing) }
                identifiers[Int(number) - 1] = identifier
            }
        }
    }

    func remove(_ numbers: [Int64]) {
        identifiers.withLock { identifiers in
            for number in numbers { identifiers[Int(number) - 1] = nil }
        }
    }
}

/// Writes in a worker context and saves down to the disk.
private final class StackWriter: LoadWriter, @unchecked Sendable {
    // @unchecked Sendable: used by one thread at a time, which waits for its context's queue.

    private let stack: any PersistenceStack
    private let context: ManagedObjectContext
    private let items: ItemDirectory
    /// The identifiers of the last insert.
    private var identifiers: [ManagedObjectID] = []

    init(
        _ stack: any PersistenceStack, _ context: ManagedObjectContext, _ items: ItemDirectory
    ) {
        self.stack = stack
        self.context = context
        self.items = items
    }

    func insert(_ rows: [ItemRow]) throws -> WriteResult {
        let result = try save {
            let inserted = rows.map { row in
                let item = Item(context: self.context)
                item.take(row)
                return item
            }
            // Before the save: in a context below others, an object gets its permanent ID late.
            try self.context.obtainPermanentIDs(for: inserted)
            self.identifiers = inserted.map(\.objectID)
        }
        if result == .saved {
            items.add(zip(rows, identifiers).map { ($0.number, $1) })
        }
        return result
    }

    func update(_ numbers: [Int64]) throws -> WriteResult {
        try save {
            for number in numbers { try self.context.newestItem(self.items[number])?.quantity += 1 }
        }
    }

    func delete(_ numbers: [Int64]) throws -> WriteResult {
        let result = try save {
            for number in numbers {
                if let item = try self.context.newestItem(self.items[number]) {
                    self.context.delete(item)
                }
            }
        }
        if result == .saved { items.remove(numbers) }
        return result
    }

    /// Changes and saves in one turn of the context's queue. So writers that share a context never
    /// save part of another's changes.
    private func save(_ change: @Sendable () throws -> Void) throws -> WriteResult {
        try context.performAndWait {
            try change()
            do {
                try stack.saveToDisk(context)
                return .saved
            } catch SaveError.mergeConflicts {
                context.rollback()
                return .conflict
            }
        }
    }
}

/// Reads in a worker context, refreshing each item first.
private final class StackReader: LoadReader, Sendable {
    private let context: ManagedObjectContext
    private let items: ItemDirectory

    init(_ context: ManagedObjectContext, _ items: ItemDirectory) {
        self.context = context
        self.items = items
    }

    func read(_ number: Int64) throws -> Int32? {
        guard let identifier = items[number] else { return nil }
        return try context.performAndWait { try context.newestItem(identifier)?.readAll() }
    }

    func page(from number: Int64) throws -> [Int64] {
        try context.performAndWait { try context.fetchPage(from: number) }
    }

    func count() throws -> Int {
        try context.performAndWait { try context.countItems() }
    }
}

/// Reads in the view, which holds the items that it shows. Only merges update them.
private final class StackViewReader: LoadReader, @unchecked Sendable {
    // @unchecked Sendable: the shown objects are used only on their context's queue.

    private let context: ManagedObjectContext
    private let items: ItemDirectory
    private var shown: [Item] = []

    init(
        _ context: ManagedObjectContext, _ items: ItemDirectory, shownItemCount: Int
    ) throws {
        self.context = context
        self.items = items
        try context.performAndWait {
            var request = FetchRequest(entityName: "Item", sortKeys: [.ascending("number")])
            request.fetchLimit = shownItemCount
            request.returnsObjectsAsFaults = false
            shown = Array(try context.fetch(request, as: Item.self))
        }
    }

    func read(_ number: Int64) throws -> Int32? {
        guard let identifier = items[number] else { return nil }
        return try context.performAndWait {
            do {
                return (try context.existingObject(with: identifier) as? Item)?.readAll()
            } catch FetchError.noSuchObject {
                return nil
            }
        }
    }

    func page(from number: Int64) throws -> [Int64] {
        try context.performAndWait { try context.fetchPage(from: number) }
    }

    func count() throws -> Int {
        try context.performAndWait { try context.countItems() }
    }

    /// Runs after the merges of all saves that have returned.
    func shownQuantities() -> [Int64: Int32] {
        context.performAndWait {
            Dictionary(uniqueKeysWithValues: shown.map { ($0.number, $0.quantity) })
        }
    }
}

extension ManagedObjectContext {
    /// An item with the current values of the parent or the store, unless it has pending changes
    /// here; nil if it was deleted.
    func newestItem(_ identifier: ManagedObjectID?) throws -> Item? {
        guard let identifier else { return nil }
        if let item = registeredObject(for: identifier), !item.isFault, !item.hasChanges {
            refresh(item, mergeChanges: false)
        }
        do {
            return try existingObject(with: identifier) as? Item
        } catch FetchError.noSuchObject {
            return nil
        }
    }

    fileprivate func fetchPage(from number: Int64) throws -> [Int64] {
        var request = FetchRequest(
            entityName: "Item", predicate: try ObjectPredicate("number >= %lld", number),
            sortKeys: [.ascending("number")])
        request.fetchLimit = LoadPage.itemCount
        request.returnsObjectsAsFaults = false
        return try fetch(request, as: Item.self).map { item in
            item.readAll()
            return item.number
        }
    }

    fileprivate func countItems() throws -> Int {
        try count(
            for: FetchRequest(
                entityName: "Item", predicate: try ObjectPredicate("quantity >= 0")))
    }
}
