import Foundation

/// The content of a results controller: objects in order, divided into sections.
///
/// Positions, identities and sections are found in O(log n), so an event costs what it changes and
/// not what the list holds. Loaded objects are held; the others are identities. A fetch in batches is
/// shown as it was found, and has no items until something needs them.
struct ResultList {
    /// An object of the list.
    struct Item {
        /// The identity; temporary until a save assigns a key.
        var key: EntityKey
        let storeNumber: Int

        /// The object, if the list holds it: new objects, and all of a list without batches.
        var object: ManagedObject?

        /// A digest of the sort values and the section that gave the object its place; nil if
        /// unknown.
        var stamp: Int?
    }

    /// Where an item is, independent of changes elsewhere.
    typealias Handle = RankedList<Item>.Handle
    typealias SectionHandle = RankedList<String>.Handle

    var items = RankedList<Item>()

    /// The fetch that the list shows; nil as soon as it has items.
    private(set) var fetched: FetchedBatches?

    /// The names, weighted by the number of objects.
    var sections: RankedList<String>
    /// Of each item, by its identity; nil until one is looked for, since a list that only shows
    /// objects needs none.
    private var handles: [RowIdentity: Handle]?
    var sectionHandles: [String: SectionHandle] = [:]

    /// Whether the list is divided by a section key. Otherwise it has one section, "".
    let hasSections: Bool

    /// The items whose object has no row yet, or a temporary identifier still.
    var unsaved: Set<Handle> = []

    /// Whether the list holds all its objects. Otherwise it holds those without a row only.
    private let holdsObjects: Bool

    /// A list that shows a fetch whose objects all have keys.
    ///
    /// - Parameter runs: The sections in order; nil without a section key.
    init(showing batches: FetchedBatches, sections runs: [SectionRun]?) {
        fetched = batches
        holdsObjects = false
        hasSections = runs != nil
        sections = RankedList()
        setSections(runs, count: batches.count)
    }

    /// - Parameter list: The items in order.
    /// - Parameter runs: The sections in order; nil without a section key.
    /// - Parameter holdsObjects: Whether all items have their objects.
    init(_ list: [Item], sections runs: [SectionRun]?, holdsObjects: Bool) {
        self.holdsObjects = holdsObjects
        hasSections = runs != nil
        sections = RankedList()
        setSections(runs, count: list.count)
        items = RankedList(list.lazy.map { ($0, 1) })
        // Handles of a new list are positions.
        for (position, item) in list.enumerated()
        where item.key.key < 0 || item.object?.isInserted == true {
            unsaved.insert(Handle(position))
        }
    }

    private mutating func setSections(_ runs: [SectionRun]?, count: Int) {
        let runs = runs ?? [SectionRun(name: "", count: count)]
        sections = RankedList(runs.lazy.map { ($0.name, $0.count) })
        for (position, run) in runs.enumerated() {
            sectionHandles[run.name] = SectionHandle(position)
        }
    }

    /// Makes the items of a list that shows a fetch. Cost: O(n); waits for the identities that
    /// another thread still reads.
    ///
    /// - Returns: The objects of the batches read last, with their items.
    /// - Throws: the error that has ended the reading of identities.
    mutating func makeItems() throws -> [ResultBatch] {
        guard let fetched else { return [] }
        let keys = try fetched.currentKeys()
        let made = keys.keys.map {
            Item(key: $0, storeNumber: keys.storeNumber, object: nil, stamp: nil)
        }
        items = RankedList(made.lazy.map { ($0, 1) })
        handles = nil
        self.fetched = nil
        return fetched.loadedBatches.map {
            ResultBatch(
                items: Array(made[$0.start..<$0.start + $0.objects.count]), objects: $0.objects,
                prefetched: $0.prefetched)
        }
    }

    var count: Int { fetched?.count ?? items.count }

    /// The item of an identity; nil if the list has none. Cost: O(n) for the first one, then O(1).
    mutating func handle(of identity: RowIdentity) -> Handle? {
        if let handles { return handles[identity] }
        var made: [RowIdentity: Handle] = [:]
        made.reserveCapacity(items.count)
        items.forEach { made[RowIdentity($1)] = $0 }
        handles = made
        return made[identity]
    }

    // MARK: - Items

    mutating func insert(_ object: ManagedObject, stamp: Int?, at position: Int) -> Handle {
        let isUnsaved = object.isInserted || object.reference < 0
        let handle = items.insert(
            Item(
                key: EntityKey(object), storeNumber: object.binding.storeNumber,
                object: holdsObjects || isUnsaved ? object : nil, stamp: stamp),
            at: position)
        handles?[RowIdentity(object)] = handle
        if isUnsaved { unsaved.insert(handle) }
        return handle
    }

    mutating func remove(_ handle: Handle) {
        handles?[RowIdentity(items[handle])] = nil
        unsaved.remove(handle)
        items.remove(handle)
    }

    /// Gives items the keys that their objects have got.
    ///
    /// An object without a row is held until it has one: if it is deleted before, its context no
    /// longer finds it by the key.
    /// - Returns: The items that changed, with their old keys.
    mutating func renewKeys() -> [(handle: Handle, old: EntityKey)] {
        var renewed: [(handle: Handle, old: EntityKey)] = []
        for handle in unsaved {
            guard let object = items[handle].object, object.reference >= 0 else { continue }
            let item = items[handle]
            if item.key.key < 0 {
                handles?[RowIdentity(item)] = nil
                handles?[RowIdentity(object)] = handle
                items[handle].key = EntityKey(object)
                renewed.append((handle, item.key))
            }
            guard !object.isInserted, !object.isDeleted, !object.state.isDetached else { continue }
            unsaved.remove(handle)
            if !holdsObjects { items[handle].object = nil }
        }
        return renewed
    }

    // MARK: - Index paths

    func indexPath(ofPosition position: Int) -> IndexPath {
        let (section, offset) = sections.location(ofWeight: position)
        return IndexPath(item: offset, section: sections.position(of: section))
    }

    func indexPath(of handle: Handle) -> IndexPath {
        indexPath(ofPosition: items.position(of: handle))
    }

    /// The position in the whole list; nil if there is no such object.
    func position(at indexPath: IndexPath) -> Int? {
        guard indexPath.count == 2, (0..<sections.count).contains(indexPath.section) else {
            return nil
        }
        let section = sections.handle(at: indexPath.section)
        guard (0..<sections.weight(of: section)).contains(indexPath.item) else { return nil }
        return sections.weight(before: section) + indexPath.item
    }

    /// The positions of the objects of a section; none if there is no such section.
    func positions(inSection name: String) -> Range<Int> {
        guard let section = sectionHandles[name] else { return 0..<0 }
        let start = sections.weight(before: section)
        return start..<start + sections.weight(of: section)
    }
}

/// The objects of some items, and what was prefetched with them.
struct ResultBatch {
    let items: [ResultList.Item]
    let objects: [ManagedObject]
    let prefetched: [ManagedObject]
}

/// A number of consecutive objects with one section name.
struct SectionRun: Sendable, Equatable, Codable {
    let name: String
    var count: Int
}

/// The identity of a row among all rows of a hierarchy of entities.
struct RowIdentity: Hashable {
    private let storeNumber: Int
    private let key: Int64

    init(_ item: ResultList.Item) {
        storeNumber = item.storeNumber
        key = item.key.key
    }

    init(_ object: ManagedObject) {
        storeNumber = object.binding.storeNumber
        key = object.reference
    }

    init(_ scope: ObjectIDScope, _ reference: Int64) {
        storeNumber = scope.storeNumber
        key = reference
    }
}
