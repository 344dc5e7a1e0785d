import TestSupport
import Testing

@testable import ObjectGraph

/// Observers that keep what they read have the present values after each step of any program.
@Suite struct `Random programs under observation (§2.3)` {
    @Test(arguments: 0..<8)
    func `no observer's value goes stale (§2.3.11, §2.3.12, §2.3.14)`(_ shard: UInt64) throws {
        let seed = SeededGenerator.fromEnvironment().seed &+ shard
        var generator = SeededGenerator(seed: seed)
        for number in 0..<60 {
            let program = try ObservedProgram(&generator)
            for _ in 0..<40 {
                let step = try program.step(&generator)
                let stale = program.staleValues()
                guard stale.isEmpty else {
                    Issue.record("TEST_SEED=\(seed &- shard), program \(number), \(step): \(stale)")
                    return
                }
            }
        }
    }
}

/// A program over an observed context, its child and a sibling, on one store.
private final class ObservedProgram: @unchecked Sendable {
    // @unchecked Sendable: used only by the thread of the test, on which `performAndWait` runs its
    // blocks.
    private struct Key: Hashable {
        let object: ManagedObject
        let name: String
    }

    private enum Step: CaseIterable {
        case insert, setNumber, setOwner, setCard, arrange, addPair, removePair, delete
        case save, rollback, refresh, refreshAll, merge, undo, redo, endEvent, refetch, batch, reset

        static let frequent: [Step] = [
            .insert, .insert, .setNumber, .setOwner, .setCard, .arrange, .addPair, .save, .save,
            .merge, .undo, .endEvent,
        ]
    }

    private let observed: ManagedObjectContext
    private let others: [ManagedObjectContext]
    private var known: [Key: String] = [:]
    private var observations: [Key: PropertyObservation] = [:]
    private var saves: [ObjectChanges] = []
    private var savesOfOthers: [Observation] = []

    init(_ generator: inout SeededGenerator) throws {
        let coordinator = PersistentStoreCoordinator(
            model: ScriptSchema.model(isOrdered: Bool.random(using: &generator)))
        var description = PersistentStoreDescription.inMemory()
        description.type = .sqlite
        try coordinator.addPersistentStore(description)
        observed = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let child = ManagedObjectContext(.privateQueue, parent: observed)
        others = [child, ManagedObjectContext(.privateQueue, coordinator: coordinator)]
        let policies: [MergePolicy] = [
            .overwrite, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .rollback,
        ]
        for context in [observed] + others {
            let policy = policies.randomElement(using: &generator)!
            let undoes = Bool.random(using: &generator)
            context.performAndWait {
                context.mergePolicy = policy
                if undoes { context.undoManager = UndoManager() }
            }
        }
        savesOfOthers = [
            others[1].observe { [unowned self] in
                if case .didSave(let changes) = $0 { saves.append(changes) }
            }
        ]
    }

    func step(_ generator: inout SeededGenerator) throws -> String {
        // A reset leaves little to observe.
        let step = (Step.allCases + Step.frequent).randomElement(using: &generator)!
        let numbers = (0..<3).map { _ in Int.random(in: 0..<1000, using: &generator) }
        let context = numbers[0] % 3 == 0 ? others[numbers[0] / 3 % 2] : observed
        try context.performAndWait { try perform(step, numbers, in: context) }
        try observed.performAndWait {
            for name in ["Person", "Item", "Card", "Group"] {
                for object in try observed.all(name) { try observe(object) }
            }
        }
        return "\(step)\(numbers)"
    }

    private func perform(_ step: Step, _ numbers: [Int], in context: ManagedObjectContext) throws {
        func pick(_ entity: String, _ position: Int) throws -> ManagedObject? {
            let all = try context.all(entity, by: "number").filter { !$0.isDeleted }
            return all.isEmpty ? nil : all[numbers[position] % all.count]
        }
        let entities = ["Person", "Item", "Box", "Card", "Group"]
        let target = try pick(entities[numbers[1] % 5], 2)
        let person = try pick("Person", 1)
        switch step {
        case .insert:
            let entity = entities[numbers[1] % 5]
            try context.insert(entity, ["number": numbers[2] % 7, "text": "text"])
        case .setNumber: try target?.setValue(numbers[2] % 3, forKey: "number")
        case .setOwner: try pick("Item", 2)?.setValue(person, forKey: "owner")
        case .setCard: try person?.setValue(pick("Card", 2), forKey: "card")
        case .arrange:
            guard let person else { return }
            let items = try person.value(forKey: "items") as! any Collection<ManagedObject>
            let rearranged = items.sorted { $0.reference < $1.reference }.dropLast(numbers[2] % 2)
            try person.setValue(
                items is Set<ManagedObject> ? Set(rearranged) : Array(rearranged), forKey: "items")
        case .addPair, .removePair:
            guard let person, let group = try pick("Group", 2) else { return }
            if step == .addPair {
                person.add(group, to: ScriptSchema.groups)
            } else {
                person.remove(group, from: ScriptSchema.groups)
            }
        case .delete: if let target { context.delete(target) }
        case .save: try? context.save()
        case .rollback: context.rollback()
        case .refresh: if let target { context.refresh(target, mergeChanges: numbers[0] % 2 == 0) }
        case .refreshAll: context.refreshAllObjects()
        case .merge: if let last = saves.last { context.mergeChanges(last) }
        case .undo: context.undo()
        case .redo: context.redo()
        case .endEvent: context.processPendingChanges()
        case .refetch:
            var request = FetchRequest(entityName: "Person")
            request.shouldRefreshRefetchedObjects = true
            _ = try context.fetch(request, as: ManagedObject.self)
        case .batch:
            let request = BatchUpdateRequest(
                entityName: "Item",
                propertiesToUpdate: ["number": .constant(.integer(Int64(numbers[2] % 4)))])
            try context.execute(request, mergingInto: [observed])
        case .reset: context.reset()
        }
    }

    // MARK: - Observing

    private func observe(_ object: ManagedObject) throws {
        for property in object.entity.attributes.map(\.name)
            + object.entity.relationships.map(\.name)
        {
            let key = Key(object: object, name: property)
            guard observations[key] == nil else { continue }
            known[key] = read(key)
            observations[key] = try object.observe(property) { [unowned self] _ in
                known[key] = read(key)
            }
        }
    }

    func staleValues() -> [String] {
        observed.performAndWait {
            // A commit of another context that was not merged changes what a fault reads, but no
            // object here is a fault: each observer has read its value.
            known.compactMap { key, value in
                let present = read(key)
                return present == value
                    ? nil : "\(key.name) of \(key.object): \(value), is \(present)"
            }
        }
    }

    private func read(_ key: Key) -> String {
        guard key.object.managedObjectContext != nil else { return "detached" }
        switch try? key.object.value(forKey: key.name) {
        case let members as Set<ManagedObject>: return members.map(identity).sorted().description
        case let members as [ManagedObject]: return members.map(identity).description
        case let object as ManagedObject: return identity(object)
        case let value: return "\(value ?? "nil")"
        }
    }

    // The identifier of an object changes when it is saved.
    private func identity(_ object: ManagedObject) -> String { "\(ObjectIdentifier(object))" }
}
