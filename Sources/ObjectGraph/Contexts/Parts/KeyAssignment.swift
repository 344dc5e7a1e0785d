/// The primary keys given to new objects, which are taken back if the save fails.
struct KeyAssignment {
    private(set) var keys: [AssignedKey] = []

    /// Gives new objects primary keys, and keys that were taken back to the same objects again
    /// (spec §5.1, step 6).
    ///
    mutating func assign(to objects: [ManagedObject], from stores: any StoreChannel) throws {
        for key in keys { key.object.reference = key.permanent }
        let model = stores.coordinator.model
        var start = 0
        while start < objects.count {
            // The keys for a run of objects of one table are reserved together.
            let table = TableKey(objects[start])
            var end = start
            var count = 0
            while end < objects.count, TableKey(objects[end]) == table {
                if objects[end].reference < 0 { count += 1 }
                end += 1
            }
            var key = try stores.reserveKeys(
                count, root: model.entities[table.rootIndex], storeNumber: table.storeNumber
            ).lowerBound
            for object in objects[start..<end] where object.reference < 0 {
                keys.append(
                    AssignedKey(object: object, temporary: object.reference, permanent: key))
                object.reference = key
                key += 1
            }
            start = end
        }
    }

    func takeBack() {
        for key in keys { key.object.reference = key.temporary }
    }
}

/// A primary key given to an object, with the temporary reference that it replaces.
struct AssignedKey {
    // Unowned, which avoids reference counting: the holder of the keys also holds the objects.
    unowned(unsafe) let object: ManagedObject
    let temporary: Int64
    let permanent: Int64
}

/// Names the table of an object.
struct TableKey: Hashable {
    let rootIndex: Int
    let storeNumber: Int

    init(_ object: ManagedObject) {
        rootIndex = object.binding.rootIndex
        storeNumber = object.binding.storeNumber
    }
}

/// The primary key that replaces an object's temporary reference.
struct PermanentKey: Sendable {
    let scope: ObjectIDScope
    let temporary: Int64
    let permanent: Int64
}
