import Foundation

@testable import ObjectGraph

// What a script of lists does. Each step names itself in the log.
extension ListScript {
    func groups(of context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.all("Group", by: "place")
    }

    private func items(of context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.all("Item", by: "key").filter { !$0.isDeleted }
    }

    // MARK: - Items

    func insertItem(in context: ManagedObjectContext, _ groups: [ManagedObject]) throws {
        number += 1
        let item = try context.insert(chance(4) ? "Sub" : "Item", ["key": number])
        for _ in 0..<6 { try change(item, groups) }
        note("insert \(number)")
    }

    private func change(_ item: ManagedObject, _ groups: [ManagedObject]) throws {
        func set(_ value: Any?, _ key: String) throws { try item.setValue(value, forKey: key) }
        func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
        switch number(9) {
        case 0, 1: try set(chance(5) ? nil : number(6), "rank")
        case 2, 3:
            let names = [nil, "a", "A", "ab", "Äb", "b", "B c", "c", "", "zz top"]
            try set(names.randomElement(using: &generator)!, "name")
        case 4: try set(chance(2), "flag")
        case 5:
            try set(
                chance(5) ? nil : Date(timeIntervalSinceReferenceDate: Double(number(5))), "when")
        case 6:
            let place: [String: Any] = ["row": number(4), "col": ["x", "y"][number(2)]]
            try set(chance(4) ? nil : place, "place")
        case 7: try set(chance(5) ? nil : Double(number(7)) / 2, "weight")
        default: try set(chance(5) ? nil : groups.randomElement(using: &generator), "group")
        }
    }

    private func changeSome(of context: ManagedObjectContext, deletes: Bool) throws {
        note(context === view ? "view:" : context === other ? "other:" : "child:")
        let (items, groups) = (try items(of: context), try groups(of: context))
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            guard let item = items.randomElement(using: &generator), !item.isDeleted else {
                continue
            }
            if deletes, chance(4) {
                note("delete \(item.attribute("key"))")
                context.delete(item)
            } else {
                note("change \(item.attribute("key"))")
                try change(item, groups)
            }
        }
    }

    func changeView() throws {
        try view.performAndWait { try changeSome(of: view, deletes: false) }
    }

    func deleteItems() throws {
        try view.performAndWait {
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                guard let item = try items(of: view).randomElement(using: &generator) else {
                    return
                }
                note("delete \(item.attribute("key"))")
                view.delete(item)
            }
        }
    }

    /// Renames or deletes a group, of the view or elsewhere.
    func changeGroup(isDeletion: Bool) throws {
        let isElsewhere = !isDeletion && chance(2)
        let context = isElsewhere ? other : view
        try merging(isElsewhere) {
            try context.performAndWait {
                if isElsewhere { context.refreshAllObjects() }
                let groups = try groups(of: context).filter { !$0.isDeleted }
                guard let group = groups.randomElement(using: &generator) else { return }
                if isDeletion {
                    guard groups.count > 2 else { return }
                    note("delete group \(group.attribute("place"))")
                    context.delete(group)
                    // Before others give it another item.
                    return try save(context, "view")
                }
                let title = [nil, "g1", "g2", "G3", "h"].randomElement(using: &generator)!
                note("group \(group.attribute("place")) is \(title ?? "nil")")
                try group.setValue(title, forKey: "title")
                if isElsewhere { try save(context, "other") }
            }
        }
        if isDeletion, let middle { try middle.performAndWait { try save(middle, "middle") } }
    }

    // MARK: - Saving

    private func save(_ context: ManagedObjectContext, _ name: String) throws {
        do {
            try context.save()
            note("\(name) saves")
        } catch {
            note("\(name) cannot save: \("\(error)".prefix(80))")
            context.rollback()
        }
    }

    func saveView() throws {
        try view.performAndWait { try save(view, "view") }
        guard let middle, chance(2) else { return }
        try middle.performAndWait { try save(middle, "middle") }
    }

    /// Has the view merge what the other context saves meanwhile.
    private func merging(_ isNeeded: Bool = true, _ body: () throws -> Void) throws {
        guard isNeeded else { return try body() }
        let saved = Recorder<ObjectChanges>()
        let observation = other.observe {
            if case .didSave(let changes) = $0 { saved.values.append(changes) }
        }
        try body()
        observation.cancel()
        for changes in saved.values {
            if let middle {
                ManagedObjectContext.mergeChanges(changes, into: [middle, view])
            } else if !mergesAutomatically {
                view.performAndWait { view.mergeChanges(changes) }
            }
        }
    }

    func saveOther() throws {
        let resets = chance(3)
        try merging {
            try other.performAndWait {
                resets ? other.reset() : other.refreshAllObjects()
                try changeSome(of: other, deletes: true)
                if chance(2) { try insertItem(in: other, groups(of: other)) }
                try save(other, "other")
            }
        }
    }

    func saveChild() throws {
        let child = ManagedObjectContext(.privateQueue, parent: view)
        try child.performAndWait {
            try changeSome(of: child, deletes: true)
            try insertItem(in: child, groups(of: child))
            try save(child, "child")
        }
    }

    func executeBatch() throws {
        let contexts = [middle, view].compactMap(\.self)
        let (old, new) = (
            Int.random(in: 0..<6, using: &generator), Int.random(in: 0..<6, using: &generator)
        )
        try other.performAndWait {
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                note("batch update of rank \(old) to \(new)")
                try other.execute(
                    BatchUpdateRequest(
                        entityName: "Item", predicate: ObjectPredicate("rank == %@", old),
                        propertiesToUpdate: ["rank": .constant(.integer(Int64(new)))]),
                    mergingInto: contexts)
            case 1:
                note("batch delete of rank \(old)")
                try other.execute(
                    BatchDeleteRequest(
                        fetchRequest: FetchRequest(
                            entityName: "Item", predicate: ObjectPredicate("rank == %@", old))),
                    mergingInto: contexts)
            default:
                note("batch insert of \(number + 1)")
                number += 1
                try other.execute(
                    BatchInsertRequest(
                        entityName: "Item",
                        objects: [["key": .integer(Int64(number)), "rank": .integer(3)]]),
                    mergingInto: contexts)
            }
        }
    }

    func refresh() throws {
        let (refreshesAll, merges) = (chance(2), chance(2))
        try view.performAndWait {
            if refreshesAll {
                note("refresh all")
                view.refreshAllObjects()
            } else if let item = try items(of: view).randomElement(using: &generator) {
                note("refresh \(item.attribute("key")), merging \(merges)")
                view.refresh(item, mergeChanges: merges)
            }
        }
    }
}
