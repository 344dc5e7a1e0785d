@testable import ObjectGraph

// Comparing the contexts and the store with the reference.
extension ScriptRun {
    func compareChanges(in level: Int) throws {
        let (own, context) = (reference.levels[level], contexts[level])
        let inserted = numbers(of: context.insertedObjects.subtracting(context.deletedObjects))
        let deleted = numbers(of: context.deletedObjects.subtracting(context.insertedObjects))
        let updated = numbers(of: context.updatedObjects)
        let expected = own.inserted.subtracting(own.deleted)
        try require(inserted == expected, "inserted \(inserted), should be \(expected)")
        try require(
            deleted == own.deleted.subtracting(own.inserted),
            "deleted \(deleted), should be \(own.deleted.subtracting(own.inserted))")
        let expectedUpdates = own.updated.subtracting(own.deleted).subtracting(own.inserted)
        try require(
            updated == expectedUpdates, "updated \(updated), should be \(expectedUpdates)")
    }

    func compareEverything(in level: Int) throws {
        for number in reference.entities.indices {
            if reference.isUsable(number, in: level) {
                try compare(number, in: level)
                guard reference.isUndisputed(number, in: level) else { continue }
                try compareContents(of: number, in: level)
            } else if let id = ids[number] {
                try require(
                    contexts[level].registeredObject(for: id)?.isDeleted ?? true
                        || (try? contexts[level].existingObject(with: id)) == nil,
                    "\(number) should not be there")
            }
        }
    }

    func compare(_ number: Int, in level: Int) throws {
        let object = engine(number, level)
        let expected = reference.view(number, in: level)!.values
        var keys = ["number", "text"]
        switch reference.entities[number] {
        case .person: keys.append("card")
        case .item, .box: keys.append("owner")
        case .card: keys.append("holder")
        case .group: break
        }
        for key in keys {
            let value: ReferenceGraph.Value =
                switch try object.value(forKey: key) {
                case let number as any BinaryInteger: .integer(Int64(number))
                case let text as String: .text(text)
                case let object as ManagedObject:
                    .object(numbers[object.objectID] ?? -1)
                default: .null
                }
            let wanted = expected[key, default: .null]
            // The value of a reference to a vanished object is open.
            if case .object(let target) = wanted, !reference.isUsable(target, in: level) {
                continue
            }
            try require(
                value == wanted,
                "context \(level): \(number).\(key) is \(value), should be \(wanted)")
        }
    }

    func compareContents(of number: Int, in level: Int) throws {
        let object = engine(number, level)
        func contents(_ key: String) throws -> [Int] {
            let members = try object.value(forKey: key) as! any Collection<ManagedObject>
            return members.map { numbers[$0.objectID] ?? -1 }
                .filter { reference.isUndisputed($0, in: level) }
        }
        let pairs = reference.pairs(in: level).filter {
            reference.isUndisputed($0.person, in: level)
                && reference.isUndisputed($0.group, in: level)
        }
        switch reference.entities[number] {
        case .person:
            let items = reference.items(of: number, in: level)
                .filter { reference.isUndisputed($0, in: level) }
            let found = try contents("items")
            try require(
                Set(found) == Set(items) && found.count == items.count,
                "\(number).items is \(found), should be \(items)")
            try require(
                found == items || !reference.isOrdered
                    || reference.isOrderOpen(number, in: level),
                "\(number).items is in the order \(found), should be in \(items)")
            let groups = Set(pairs.filter { $0.person == number }.map(\.group))
            let foundGroups = Set(try contents("groups"))
            try require(
                foundGroups == groups, "\(number).groups is \(foundGroups), should be \(groups)")
        case .group:
            let members = Set(pairs.filter { $0.group == number }.map(\.person))
            let found = Set(try contents("members"))
            try require(found == members, "\(number).members is \(found), should be \(members)")
        default: break
        }
    }

    /// Compares the keys and pairs in the store with the rows to which they lead.
    func compareReferences() throws {
        let faults = try StoredReferences(of: coordinator).faults()
        try require(faults.isEmpty, "stored \(faults)")
    }

    /// Compares the stored rows with those of the reference, without contexts and row cache.
    func compareStore() throws {
        step = "in the store"
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let expected = reference.entities.indices.filter { reference.rows[$0] != nil }
        try context.performAndWait {
            var found: [Int] = []
            for entity in ["Person", "Item", "Card", "Group"] {
                var request = FetchRequest(entityName: entity)
                request.propertiesToFetch = [
                    FetchedProperty(name: "id", expression: .evaluatedObject), "number", "text",
                ]
                for row in try context.fetchDictionaries(request) {
                    guard case .objectID(let id)? = row["id"], let number = numbers[id] else {
                        throw Difference(step: step, message: "a row \(row) that nobody saved")
                    }
                    found.append(number)
                    let values = reference.rows[number]?.values ?? [:]
                    let stored: [ReferenceGraph.Value] = ["number", "text"].map {
                        switch row[$0] {
                        case .integer(let number)?: .integer(number)
                        case .string(let text)?: .text(text)
                        default: .null
                        }
                    }
                    try require(
                        stored == [
                            values["number", default: .null], values["text", default: .null],
                        ],
                        "\(number) is stored as \(stored), should be \(values)")
                }
            }
            try require(found.sorted() == expected, "stored \(found.sorted()), not \(expected)")
            for person in expected where reference.entities[person] == .person {
                let object = context.object(with: ids[person]!)
                let items = try object.value(forKey: "items") as! any Collection<ManagedObject>
                let stored = items.map { numbers[$0.objectID] ?? -1 }
                let wanted = reference.items(of: person, in: nil)
                try require(
                    reference.isOrdered ? stored == wanted : Set(stored) == Set(wanted),
                    "\(person).items is stored as \(stored), should be \(wanted)")
            }
        }
    }
}
