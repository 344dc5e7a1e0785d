/// The registered objects of one context by identity, and their bindings.
///
/// Registers their rows with the stores above, so that these keep them.
struct IdentityMap {
    typealias Table = ObjectRegistry.Table

    // No method calls a hook or the context, so access to the context's `identityMap` is exclusive
    // without a check.

    private var registry: ObjectRegistry
    private let entityCount: Int

    /// The stores above; nil below a parent, whose own registration keeps the rows.
    private var stores: (any StoreChannel)?

    /// By store number and entity index.
    private var bindings: [EntityBinding?] = []
    private(set) var lastInsertion: LastInsertion?

    /// How many objects were registered since the last sweep, and the number that makes a sweep
    /// due.
    private var registeredCount = 0
    private var sweepLimit = Self.smallestSweepLimit
    private var isSweeping = false

    /// The coordinator's count of changes up to which this map has followed removals of stores.
    private var storeChangeCount: Int

    private static let smallestSweepLimit = 1024

    init(of coordinator: PersistentStoreCoordinator, below stores: (any StoreChannel)?) {
        self.stores = stores
        entityCount = coordinator.model.entities.count
        registry = ObjectRegistry(entityCount: entityCount)
        storeChangeCount = coordinator.storeChangeCount.load(ordering: .relaxed)
    }

    // MARK: - Objects

    var tables: [Table] { registry.allTables }

    var objects: [ManagedObject] {
        var objects: [ManagedObject] = []
        for table in tables { table.forEach { objects.append($0) } }
        return objects
    }

    @inline(__always)
    mutating func table(rootIndex: Int, storeNumber: Int) -> Table {
        registry.table(rootIndex: rootIndex, storeNumber: storeNumber)
    }

    @inline(__always)
    private mutating func table(of object: ManagedObject) -> Table {
        table(rootIndex: object.binding.rootIndex, storeNumber: object.binding.storeNumber)
    }

    /// Registers an object under its reference, and replaces the object registered there, if any.
    @inline(__always)
    mutating func register(_ object: ManagedObject) {
        let table = table(of: object)
        if object.reference >= 0, table[object.reference] == nil {
            stores?.register(
                object.reference, root: table.rootIndex, storeNumber: table.storeNumber)
        }
        table[object.reference] = object
        registeredCount += 1
    }

    /// Registers an object whose reference is not in the table yet.
    mutating func register(_ object: ManagedObject, in table: Table) {
        table[object.reference] = object
        registeredCount += 1
        if object.reference >= 0 {
            stores?.register(
                object.reference, root: table.rootIndex, storeNumber: table.storeNumber)
        }
    }

    /// Counts objects that were put into a table under these primary keys, and registers their rows
    /// above.
    mutating func noteRegistrations(_ keys: [Int64], in table: Table) {
        registeredCount += keys.count
        guard !keys.isEmpty else { return }
        stores?.register(keys, root: table.rootIndex, storeNumber: table.storeNumber)
    }

    /// Moves the object of a temporary reference, if there is one, to its primary key.
    func renew(_ key: PermanentKey, in table: Table) {
        guard let object = table[key.temporary] else { return }
        table[key.temporary] = nil
        object.reference = key.permanent
        table[key.permanent] = object
        stores?.register(
            [key.permanent], root: table.rootIndex, storeNumber: table.storeNumber)
    }

    /// Registers new objects under the primary keys that they were given. Objects that are not
    /// inserted after all, such as duplicates, get their temporary references back.
    mutating func register(_ keys: [AssignedKey]) {
        var table: Table?
        var registered: [Int64] = []
        func registerRun() {
            guard let table, !registered.isEmpty else { return }
            stores?.register(registered, root: table.rootIndex, storeNumber: table.storeNumber)
        }
        for key in keys {
            guard key.object.isToBeInserted else {
                key.object.reference = key.temporary
                continue
            }
            let place = TableKey(key.object)
            if table?.rootIndex != place.rootIndex || table?.storeNumber != place.storeNumber {
                registerRun()
                table = registry.table(
                    rootIndex: place.rootIndex, storeNumber: place.storeNumber)
                registered = []
            }
            table!.move(key.temporary, to: key.permanent)
            registered.append(key.permanent)
        }
        registerRun()
    }

    mutating func remove(_ object: ManagedObject) {
        let table = table(of: object)
        if object.reference >= 0, table[object.reference] != nil {
            unregister([object.reference], of: table)
        }
        table[object.reference] = nil
    }

    /// Removes all objects. The next sweep depends on objects registered from now on.
    mutating func removeAll() {
        unregisterAll()
        registry.removeAll()
        registeredCount = 0
        sweepLimit = Self.smallestSweepLimit
    }

    // MARK: - The stores above

    /// Makes another channel the one above. Registrations stay: every channel of a context passes
    /// them on to the same coordinator.
    mutating func use(_ stores: any StoreChannel) { self.stores = stores }

    /// Reports to the stores above that the context no longer has the rows of these objects.
    func unregister(_ keys: [Int64], of table: Table) {
        stores?.unregister(keys, root: table.rootIndex, storeNumber: table.storeNumber)
    }

    /// Reports to the stores above that the context has no rows any more.
    func unregisterAll() {
        for table in tables {
            var keys: [Int64] = []
            keys.reserveCapacity(max(0, registeredCount))
            table.permanent.forEach { key, slot in if slot.pointee != nil { keys.append(key) } }
            unregister(keys, of: table)
        }
    }

    // MARK: - Sweeping

    /// Whether many objects were registered since the last sweep.
    var hasGrown: Bool { registeredCount > sweepLimit }

    /// Begins to remove unreferenced objects.
    ///
    /// - Returns: The tables to sweep; nil during a sweep, if a hook of a leaving object asks for
    ///   another.
    mutating func beginSweep() -> [Table]? {
        if isSweeping { return nil }
        isSweeping = true
        return tables
    }

    mutating func endSweep(remainingCount: Int) {
        isSweeping = false
        registeredCount = remainingCount
        sweepLimit = max(Self.smallestSweepLimit, remainingCount * 2)
    }

    // MARK: - Bindings

    /// The binding of an entity and store; nil if it has not been made.
    @inline(__always)
    func binding(_ entityIndex: Int, _ storeNumber: Int) -> EntityBinding? {
        let position = storeNumber * entityCount + entityIndex
        return position < bindings.count ? bindings[position] : nil
    }

    /// Keeps a binding for the objects of a store, even if the store was removed meanwhile.
    mutating func add(_ binding: EntityBinding, storeNumber: Int) {
        let position = storeNumber * entityCount + binding.entity.index
        while bindings.count <= position { bindings.append(nil) }
        bindings[position] = binding
    }

    mutating func noteInsertion(_ insertion: LastInsertion) { lastInsertion = insertion }

    func setStalenessInterval(isSet: Bool) {
        for binding in bindings { binding?.hasStalenessInterval = isSet }
    }

    // MARK: - Removed stores

    /// - Returns: Whether stores may have been removed since the last call.
    mutating func follow(storeChangeCount count: Int) -> Bool {
        guard count != storeChangeCount else { return false }
        storeChangeCount = count
        return true
    }

    /// Removes the objects and bindings of removed stores. Their identifiers are no longer found.
    mutating func removeStores(where isRemoved: (Int) -> Bool) {
        for table in tables where isRemoved(table.storeNumber) {
            table.forEach { _ in registeredCount -= 1 }
        }
        registry.removeTables { isRemoved($0.storeNumber) }
        for position in bindings.indices where isRemoved(position / entityCount) {
            bindings[position] = nil
        }
        lastInsertion = nil
    }
}

extension IdentityMap {
    /// Throws if an object or binding is not kept where it belongs.
    func checkInvariants() throws(BrokenInvariant) {
        for table in tables {
            var misplaced: [ManagedObject] = []
            func visit(_ reference: Int64, _ slot: UnsafeMutablePointer<ManagedObject?>) {
                guard let object = slot.pointee else { return }
                // A save gives new objects their primary keys before it registers them under these.
                let isKnown =
                    object.reference == reference || reference < 0 && object.isInserted
                if !isKnown || object.state.isDetached
                    || object.binding.rootIndex != table.rootIndex
                    || !isNumber(object.binding.storeNumber, of: table.storeNumber)
                {
                    misplaced.append(object)
                }
            }
            table.permanent.forEach(visit)
            table.temporary.forEach { visit(-$0, $1) }
            try BrokenInvariant.require(
                misplaced.isEmpty, "\(misplaced) are registered where they do not belong.")
        }
        for (position, binding) in bindings.enumerated() {
            guard let binding else { continue }
            try BrokenInvariant.require(
                binding.entity.index == position % entityCount
                    && isNumber(binding.storeNumber, of: position / entityCount),
                "The binding of \(binding.entity.name) is kept for another entity or store.")
        }
        try BrokenInvariant.require(
            sweepLimit >= Self.smallestSweepLimit, "The sweep limit is \(sweepLimit).")
    }

    /// Whether a binding is of a store. A binding made after the store was removed has the number
    /// 0.
    private func isNumber(_ bound: Int, of storeNumber: Int) -> Bool {
        bound == storeNumber || bound == 0
    }
}

/// The class and binding of the last new object, since the next one is often like it.
struct LastInsertion {
    let type: ObjectIdentifier

    // Unowned, which avoids reference counting: the identity map keeps the binding, and forgets the
    // last insertion when it removes bindings.
    unowned(unsafe) let binding: EntityBinding
    let storeChangeCount: Int
}
