import Foundation
import TestSupport

@testable import ObjectGraph

/// Runs a script on contexts and on the reference side by side.
final class ScriptRun: @unchecked Sendable {
    // @unchecked Sendable: used only by the thread of the test, on which `performAndWait` runs its
    // blocks.

    /// A difference, and the step that shows it.
    struct Difference: Error, CustomStringConvertible {
        let step: String
        let message: String
        var description: String { "\(step): \(message)" }
    }

    private let contexts: [ManagedObjectContext]
    private let coordinator: PersistentStoreCoordinator
    private var reference: ReferenceGraph
    private var step = ""

    /// By context, then by object number: the objects that the script holds.
    private var held: [[Int: ManagedObject]]
    private var ids: [Int: ManagedObjectID] = [:]
    private var numbers: [ManagedObjectID: Int] = [:]
    private var saves: [(level: Int, objects: SavedObjects)] = []
    private let observations: [Observation]
    private let posted: [Posted]

    /// The changes that a context posted about its last save.
    private final class Posted: @unchecked Sendable {
        // @unchecked Sendable: posted to on the thread of the test.
        var changes: ObjectChanges?
    }

    init(_ script: Script) throws {
        coordinator = PersistentStoreCoordinator(
            model: ScriptSchema.model(isOrdered: script.isOrdered))
        var description = PersistentStoreDescription.inMemory()
        if !script.isInMemoryStore { description.type = .sqlite }
        try coordinator.addPersistentStore(description)
        var contexts: [ManagedObjectContext] = []
        for place in script.arrangement {
            let context =
                place.parent.map { ManagedObjectContext(.privateQueue, parent: contexts[$0]) }
                ?? ManagedObjectContext(.privateQueue, coordinator: coordinator)
            context.performAndWait {
                context.mergePolicy = MergePolicy(place.policy)
                // The reference does not read unreferenced objects again.
                context.retainsRegisteredObjects = true
                if place.hasUndo { context.undoManager = UndoManager() }
            }
            contexts.append(context)
        }
        self.contexts = contexts
        reference = ReferenceGraph(script.arrangement, isOrdered: script.isOrdered)
        held = contexts.map { _ in [:] }
        posted = contexts.map { _ in Posted() }
        observations = zip(contexts, posted).map { context, posted in
            context.observe {
                if case .didSave(let changes) = $0 { posted.changes = changes }
            }
        }
    }

    func run(_ script: Script) throws {
        for step in script.steps {
            self.step = "\(step)"
            try perform(step, in: step.numbers[0] % contexts.count)
            try checkInvariants()
        }
        for level in contexts.indices {
            step = "at the end, context \(level)"
            renew(level)
            try on(level) { try self.compareEverything(in: level) }
        }
        try compareStore()
    }

    // Does not enter a queue: that would deliver permanent keys earlier than the context asks for
    // them.
    private func checkInvariants() throws {
        for (level, context) in contexts.enumerated() {
            do { try context.checkInvariants() } catch {
                throw Difference(step: step, message: "context \(level): \(error)")
            }
        }
    }

    private func on<Result: Sendable>(
        _ level: Int, _ body: @Sendable () throws -> Result
    ) throws -> Result {
        try contexts[level].performAndWait(body)
    }

    private func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        guard condition else { throw Difference(step: step, message: message()) }
    }

    // MARK: - Steps

    private func perform(_ step: Script.Step, in level: Int) throws {
        let numbers = step.numbers
        func object(_ position: Int, _ isWanted: (ReferenceGraph.Entity) -> Bool) -> Int? {
            let all = reference.entities.indices.filter {
                isWanted(reference.entities[$0]) && reference.isUsable($0, in: level)
            }
            return all.isEmpty ? nil : all[numbers[position] % all.count]
        }
        switch step.kind {
        case .insert:
            let entity = ReferenceGraph.Entity.allCases[numbers[1] % 5]
            let number = reference.insert(entity, in: level)
            try on(level) {
                let object = try self.contexts[level].insertObject(entityName: entity.rawValue)
                self.hold(object, number, level)
                if entity == .group { try object.setValue("group", forKey: "text") }
            }
            if entity == .group { reference.set("text", of: number, to: .text("group"), in: level) }
        case .setNumber:
            guard let target = object(1, { _ in true }) else { return }
            try set("number", of: target, to: .integer(Int64(numbers[2] % 5)), in: level)
        case .setText:
            guard let target = object(1, { _ in true }) else { return }
            let value = numbers[2] % 4
            try set("text", of: target, to: value == 0 ? .null : .text("\(value)"), in: level)
        case .setOwner:
            if reference.isOrdered { renew(level) }
            guard let target = object(1, \.isItem) else { return }
            let owner = numbers[3] % 4 == 0 ? nil : object(2) { $0 == .person }
            try setDestination("owner", of: target, to: owner, in: level)
        case .arrange:
            renew(level)
            guard let person = object(1, { $0 == .person }) else { return }
            let items = rearranged(
                reference.items(of: person, in: level), with: object(2, \.isItem),
                by: numbers[3])
            try arrange(items, of: person, in: level)
        case .setCard:
            guard let target = object(1, { $0 == .person }) else { return }
            let card = numbers[3] % 4 == 0 ? nil : object(2) { $0 == .card }
            try setDestination("card", of: target, to: card, in: level)
        case .addPair, .removePair:
            guard let person = object(1, { $0 == .person }), let group = object(2, { $0 == .group })
            else { return }
            if reference.levels[level].hasUndo { renew(level) }
            let isAddition = step.kind == .addPair
            try both {
                $0.setPair(.init(person: person, group: group), isAddition: isAddition, in: level)
            } engine: {
                try self.on(level) {
                    let (person, group) = (self.engine(person, level), self.engine(group, level))
                    if isAddition {
                        person.add(group, to: ScriptSchema.groups)
                    } else {
                        person.remove(group, from: ScriptSchema.groups)
                    }
                }
            }
        case .delete:
            renew(level)
            guard let target = object(1, { _ in true }) else { return }
            try both {
                $0.delete(target, in: level)
                $0.endEvent(in: level)
            } engine: {
                try self.on(level) {
                    self.contexts[level].delete(self.engine(target, level))
                    self.contexts[level].processPendingChanges()
                }
            }
        case .save: try save(level)
        case .rollback:
            try both {
                $0.rollback(level)
            } engine: {
                try self.on(level) { self.contexts[level].rollback() }
            }
        case .refresh:
            guard let target = object(1, { _ in true }) else { return }
            let merges = numbers[2] % 2 == 0
            try both {
                $0.refresh(target, mergingChanges: merges, in: level)
            } engine: {
                try self.on(level) {
                    self.contexts[level].refresh(self.engine(target, level), mergeChanges: merges)
                }
            }
        case .refreshAll: renew(level)
        case .merge: try merge(numbers[1], into: level)
        case .read:
            guard let target = object(1, { _ in true }) else { return }
            reference.realise(target, in: level)
            try on(level) { try self.compare(target, in: level) }
        case .fetch: try fetch(numbers[1], in: level)
        case .obtainIDs: try obtainIDs(level)
        case .endEvent:
            try both {
                $0.endEvent(in: level)
            } engine: {
                try self.on(level) { self.contexts[level].processPendingChanges() }
            }
        case .undo, .redo:
            guard reference.levels[level].hasUndo else { return }
            renew(level)
            let isUndo = step.kind == .undo
            try both {
                if isUndo { $0.undo(in: level) } else { $0.redo(in: level) }
            } engine: {
                try self.on(level) {
                    if isUndo { self.contexts[level].undo() } else { self.contexts[level].redo() }
                }
            }
        }
        try on(level) { try self.compareChanges(in: level) }
    }

    /// Runs the same step on both sides, unless its result in the reference is unclear.
    private func both(
        _ change: (inout ReferenceGraph) -> Void, engine: () throws -> Void
    ) throws {
        var changed = reference
        change(&changed)
        guard !changed.isUnclear else { return }
        reference = changed
        try engine()
    }

    private func set(
        _ key: String, of object: Int, to value: ReferenceGraph.Value, in level: Int
    ) throws {
        try both {
            $0.set(key, of: object, to: value, in: level)
        } engine: {
            try self.on(level) {
                let object = self.engine(object, level)
                switch value {
                case .integer(let number): try object.setValue(number, forKey: key)
                case .text(let text): try object.setValue(text, forKey: key)
                default: try object.setValue(nil, forKey: key)
                }
            }
        }
    }

    private func setDestination(
        _ key: String, of object: Int, to destination: Int?, in level: Int
    ) throws {
        // The effect of later events on an order depends on when it was read.
        let endsEvent = reference.isOrdered && key == "owner"
        try both {
            $0.setDestination(key, of: object, to: destination, in: level)
            if endsEvent { $0.endEvent(in: level) }
        } engine: {
            try self.on(level) {
                let destination = destination.map { self.engine($0, level) }
                try self.engine(object, level).setValue(destination, forKey: key)
                if endsEvent { self.contexts[level].processPendingChanges() }
            }
        }
    }

    /// The list after appending, inserting, moving or removing the item, or another list.
    private func rearranged(_ items: [Int], with item: Int?, by number: Int) -> [Int] {
        let others = items.filter { $0 != item }
        guard let item else { return others }
        let place = number / 5 % (others.count + 1)
        return switch number % 5 {
        case 0: others
        case 1: others + [item]
        case 2: [item] + others[place...].reversed()
        default: others[..<place] + [item] + others[place...]
        }
    }

    private func arrange(_ items: [Int], of person: Int, in level: Int) throws {
        try both {
            $0.arrange(items, of: person, in: level)
            if $0.isOrdered { $0.endEvent(in: level) }
        } engine: {
            try self.on(level) {
                let items = items.map { self.engine($0, level) }
                try self.engine(person, level).setValue(items, forKey: "items")
                if self.reference.isOrdered { self.contexts[level].processPendingChanges() }
                if self.reference.isUndisputed(person, in: level) {
                    try self.compareContents(of: person, in: level)
                }
            }
        }
    }

    /// Refreshes all objects in the context and its ancestors, topmost first.
    private func renew(_ level: Int) {
        var chain = [level]
        while let parent = reference.levels[chain[0]].parent { chain.insert(parent, at: 0) }
        for level in chain {
            reference.refreshAll(level)
            contexts[level].performAndWait { self.contexts[level].refreshAllObjects() }
        }
    }

    private func save(_ level: Int) throws {
        // The parent then has the newest pairs, and notices which of them the child changes.
        if let parent = reference.levels[level].parent,
            reference.levels[parent].hasUndo || reference.isOrdered
                || !reference.levels[level].deleted.isEmpty
        {
            renew(parent)
        }
        var changed = reference
        let expected = changed.save(level)
        guard !changed.isUnclear else { return }
        let parent = reference.levels[level].parent
        reference = changed
        posted[level].changes = nil
        for number in reference.entities.indices { _ = held[level][number] }
        let outcome: ReferenceGraph.SaveOutcome = try on(level) {
            let inserted = self.insertedNumbers(level)
            do {
                try self.contexts[level].save()
            } catch SaveError.validation {
                return .invalid
            } catch SaveError.mergeConflicts {
                return .conflict
            } catch SaveError.unknownObjects {
                return .unknownObjects
            }
            self.noteIDs(inserted, level)
            guard let changes = self.posted[level].changes else { return .nothing }
            let saved = ReferenceGraph.SaveOutcome.saved(self.numbers(of: changes))
            // A save without changes posts none.
            return expected == .nothing && saved == .saved(SavedObjects()) ? .nothing : saved
        }
        try require(outcome == expected, "saved \(outcome), should be \(expected)")
        guard case .saved(let objects) = outcome else { return }
        saves.append((level, objects))
        guard let parent else { return }
        // This records their identifiers in the parent.
        try on(parent) { for number in objects.inserted { _ = self.engine(number, parent) } }
        try on(parent) { try self.compareChanges(in: parent) }
    }

    private func merge(_ position: Int, into level: Int) throws {
        let candidates = saves.filter {
            $0.level != level && reference.levels[$0.level].parent == reference.levels[level].parent
        }
        guard !candidates.isEmpty else { return }
        let saved = candidates[position % candidates.count].objects
        try both {
            $0.merge(saved, into: level)
        } engine: {
            try self.on(level) {
                for number in saved.deleted { _ = self.engine(number, level) }
                func ids(_ numbers: Set<Int>) -> [ManagedObjectID] { numbers.map { self.ids[$0]! } }
                self.contexts[level].mergeChanges(
                    ObjectChanges(
                        inserted: ids(saved.inserted), updated: ids(saved.updated),
                        deleted: ids(saved.deleted)))
            }
        }
    }

    private func obtainIDs(_ level: Int) throws {
        try on(level) {
            let inserted = self.insertedNumbers(level)
            try self.contexts[level].obtainPermanentIDs(for: Array(inserted.keys))
            self.noteIDs(inserted, level)
            try self.require(
                inserted.keys.allSatisfy { !$0.objectID.isTemporaryID },
                "temporary identifiers remain")
        }
    }

    private func fetch(_ choice: Int, in level: Int) throws {
        let (name, family): (String, Set<ReferenceGraph.Entity>) = [
            ("Person", [.person]), ("Item", [.item, .box]), ("Box", [.box]), ("Card", [.card]),
            ("Group", [.group]),
        ][choice % 5]
        let number = choice % 3 == 0 ? nil : Int64(choice % 4)
        var changed = reference
        let expected = changed.fetch(family, number: number, in: level)
        guard !changed.isUnclear else { return }
        reference = changed
        try on(level) {
            let request = try FetchRequest(
                entityName: name,
                predicate: number.map { try ObjectPredicate("number == %@", $0) })
            let found = try self.contexts[level].fetch(request, as: ManagedObject.self)
            let foundNumbers = found.compactMap { self.numbers[$0.objectID] }
            try self.require(
                Set(foundNumbers) == expected && foundNumbers.count == found.count,
                "fetched \(foundNumbers.sorted()), should be \(expected.sorted())")
            let count = try self.contexts[level].count(for: request)
            try self.require(count == expected.count, "counted \(count), not \(expected.count)")
            let ids = try self.contexts[level].fetchObjectIDs(request)
            try self.require(
                Set(ids.compactMap { self.numbers[$0] }) == expected, "fetched other identifiers")
        }
    }

    // MARK: - Comparing

    private func compareChanges(in level: Int) throws {
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

    private func compareEverything(in level: Int) throws {
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

    private func compare(_ number: Int, in level: Int) throws {
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

    private func compareContents(of number: Int, in level: Int) throws {
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

    /// Compares the stored rows with those of the reference, without contexts and row cache.
    private func compareStore() throws {
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

    // MARK: - Objects and numbers

    private func hold(_ object: ManagedObject, _ number: Int, _ level: Int) {
        held[level][number] = object
        note(object.objectID, number)
    }

    /// New objects with their numbers, before their identifiers change. Not all are held: undo may
    /// have inserted one again.
    private func insertedNumbers(_ level: Int) -> [ManagedObject: Int] {
        contexts[level].insertedObjects.reduce(into: [:]) { $0[$1] = numbers[$1.objectID] }
    }

    private func noteIDs(_ inserted: [ManagedObject: Int], _ level: Int) {
        let objects = inserted.map { (number: $1, object: $0) } + held[level].map { ($0, $1) }
        for (number, object) in objects where object.managedObjectContext != nil {
            note(object.objectID, number)
        }
    }

    private func note(_ id: ManagedObjectID, _ number: Int) {
        numbers[id] = number
        ids[number] = id
    }

    /// The object in the context, which is held from now on.
    private func engine(_ number: Int, _ level: Int) -> ManagedObject {
        if let object = held[level][number], object.managedObjectContext != nil { return object }
        let object = contexts[level].object(with: ids[number]!)
        held[level][number] = object
        return object
    }

    private func numbers(of objects: Set<ManagedObject>) -> Set<Int> {
        Set(objects.map { numbers[$0.objectID] ?? -1 })
    }

    private func numbers(of changes: ObjectChanges) -> SavedObjects {
        func numbers(_ ids: [ManagedObjectID]) -> Set<Int> {
            Set(ids.map { self.numbers[$0] ?? -1 })
        }
        return SavedObjects(
            inserted: numbers(changes.inserted), updated: numbers(changes.updated),
            deleted: numbers(changes.deleted))
    }
}

extension MergePolicy {
    fileprivate convenience init(_ policy: ReferenceGraph.Policy) {
        self.init(Kind(rawValue: policy.rawValue)!)
    }
}
