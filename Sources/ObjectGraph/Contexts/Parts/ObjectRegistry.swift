/// The objects of one context by identity, so that there is at most one object for a row
/// (spec §2.4).
///
/// References are strong. A sweep removes unreferenced objects without changes; such an object that
/// is looked up before a sweep starts as a new one does. Strong references cost nothing while an
/// object lives, where weak ones would need a side table each, and none can dangle.
struct ObjectRegistry {
    /// The objects of one table in one store.
    final class Table {
        let rootIndex: Int
        let storeNumber: Int

        /// By primary key.
        let permanent = PagedTable<ManagedObject?>(empty: nil)

        /// By the negated temporary reference.
        let temporary = PagedTable<ManagedObject?>(empty: nil)

        init(rootIndex: Int, storeNumber: Int) {
            self.rootIndex = rootIndex
            self.storeNumber = storeNumber
        }

        // The tables' own deinitializers are generic and take longer.
        deinit {
            permanent.removeAll()
            temporary.removeAll()
        }

        /// The slot of a reference, whether or not it has an object; valid until the next sweep.
        @inline(__always)
        func place(of reference: Int64) -> UnsafeMutablePointer<ManagedObject?> {
            reference >= 0 ? permanent.slot(reference) : temporary.slot(-reference)
        }

        @inline(__always)
        subscript(reference: Int64) -> ManagedObject? {
            get { reference >= 0 ? permanent[reference] : temporary[-reference] }
            set {
                if reference >= 0 {
                    permanent[reference] = newValue
                } else {
                    temporary[-reference] = newValue
                }
            }
        }
    }

    private var tables: [Table?] = []
    private let entityCount: Int

    init(entityCount: Int) {
        self.entityCount = entityCount
    }

    mutating func table(rootIndex: Int, storeNumber: Int) -> Table {
        let position = storeNumber * entityCount + rootIndex
        while tables.count <= position { tables.append(nil) }
        if let table = tables[position] { return table }
        let made = Table(rootIndex: rootIndex, storeNumber: storeNumber)
        tables[position] = made
        return made
    }

    var allTables: [Table] { tables.compactMap(\.self) }

    mutating func removeAll() { tables = [] }

    mutating func removeTables(where isRemoved: (Table) -> Bool) {
        for position in tables.indices {
            if let table = tables[position], isRemoved(table) { tables[position] = nil }
        }
    }
}

extension ObjectRegistry.Table {
    /// Moves the object of a reference to another reference.
    func move(_ reference: Int64, to other: Int64) {
        let source = place(of: reference)
        let destination = place(of: other)
        destination.pointee = source.move()
        source.initialize(to: nil)
    }

    /// Visits every object in the table.
    func forEach(_ body: (ManagedObject) -> Void) {
        permanent.forEach { _, slot in if let object = slot.pointee { body(object) } }
        temporary.forEach { _, slot in if let object = slot.pointee { body(object) } }
    }

    /// Turns a clean unreferenced object into a fault, because its values may be old. No reader can
    /// tell it from a new object.
    func turnIntoFaultIfUnheld(_ slot: UnsafeMutablePointer<ManagedObject?>) {
        guard let state = slot.pointee?.state,
            !state.hasChanges, !state.isFault,
            isKnownUniquelyReferenced(&slot.pointee)
        else { return }
        Self.turnIntoFault(slot)
    }

    // Does not count references for the call: the registry holds the object.
    private static func turnIntoFault(_ slot: UnsafeMutablePointer<ManagedObject?>) {
        let object = UnsafeRawPointer(slot).load(as: Unmanaged<ManagedObject>.self)
        object._withUnsafeGuaranteedRef { $0.turnIntoFault() }
    }

    /// Removes clean unreferenced objects.
    ///
    /// - Returns: How many objects remain, and the primary keys of those removed.
    func sweep() -> (remaining: Int, releasedKeys: [Int64]) {
        var remaining = 0
        var released: [Int64] = []
        func visit(_ key: Int64, _ slot: UnsafeMutablePointer<ManagedObject?>) {
            guard let state = slot.pointee?.state else { return }
            if !state.hasChanges,
                isKnownUniquelyReferenced(&slot.pointee)
            {
                if !state.isFault { Self.turnIntoFault(slot) }
                // A hook may have kept a reference to the object.
                guard isKnownUniquelyReferenced(&slot.pointee) else { return }
                slot.pointee = nil
                released.append(key)
            } else {
                remaining += 1
            }
        }
        permanent.forEach(visit)
        let permanentCount = released.count
        temporary.forEach(visit)
        permanent.removePages { $0 == nil }
        temporary.removePages { $0 == nil }
        released.removeLast(released.count - permanentCount)
        return (remaining, released)
    }
}
