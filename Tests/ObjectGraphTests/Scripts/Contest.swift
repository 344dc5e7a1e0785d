import TestSupport

@testable import ObjectGraph

/// A random run over contexts that share a store, with the model of the scripts.
final class Contest: @unchecked Sendable {
    // @unchecked Sendable: used only by the thread of the test, on which `performAndWait` runs its
    // blocks.

    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    let seed: UInt64
    private let skipped: Set<Int>
    private(set) var steps: [String] = []
    private var generator: SeededGenerator
    private var coordinators: [PersistentStoreCoordinator] = []
    private var contexts: [ManagedObjectContext] = []
    private var observations: [Observation] = []
    private var saved: [ObjectChanges] = []
    private var next: Int64 = 0

    /// - Parameter skipped: The positions of steps that are left out. The others stay the same.
    init(seed: UInt64, skipping skipped: Set<Int> = []) {
        self.seed = seed
        self.skipped = skipped
        generator = SeededGenerator(seed: seed)
    }

    deinit {
        for coordinator in coordinators {
            for store in coordinator.persistentStores {
                try? coordinator.removePersistentStore(store)
            }
        }
    }

    /// The number of steps, without the saves at the end.
    var stepCount: Int { Int(10 + seed / 1000 % 40) }

    func run() throws {
        let folder = TemporaryFolder()
        try open(in: folder)
        try on(contexts[0]) { context in
            for entity in ["Person", "Person", "Item", "Box", "Card", "Group", "Group"] {
                try self.insert(entity, in: context)
            }
            try context.save()
        }
        var copy = try HistoryCopy(of: coordinators[0])
        for position in 0..<stepCount {
            generator = SeededGenerator(seed: seed &+ UInt64(position + 1) &* 0x9E37_79B9_7F4A_7C15)
            if skipped.contains(position) { continue }
            let level = number(contexts.count)
            let context = contexts[level]
            let step = number(24)
            steps.append("\(level) (\(context.mergePolicy.kind)): \(step)")
            if step < 6 {
                try save(context)
                if number(4) == 0 {
                    try check(copy)
                    copy = try HistoryCopy(of: coordinators[0])
                }
            } else {
                try on(context) { try self.change(step, in: $0) }
            }
        }
        for context in contexts { try save(context) }
        try check(copy)
    }

    private func open(in folder: TemporaryFolder) throws {
        let isOrdered = number(2) == 0
        let kind = number(6)
        for _ in 0..<(kind == 0 ? 2 : 1) {
            let coordinator = PersistentStoreCoordinator(
                model: ScriptSchema.model(isOrdered: isOrdered))
            var description: PersistentStoreDescription =
                switch kind {
                case 0: .sqlite(at: folder.url("contest.sqlite"))
                case 1, 2: .inMemory()
                default: .sqliteInMemory()
                }
            if kind == 0 { description.pragmas["synchronous"] = "OFF" }
            description.tracksHistory = true
            try coordinator.addPersistentStore(description)
            coordinators.append(coordinator)
        }
        steps.append("store \(kind), \(isOrdered ? "ordered" : "unordered")")
        for _ in 0..<2 + number(2) {
            let context = ManagedObjectContext(
                .privateQueue, coordinator: coordinators[number(coordinators.count)])
            let policy = MergePolicy(MergePolicy.Kind.allCases[number(5)])
            let retains = number(2) == 0
            try on(context) {
                $0.mergePolicy = policy
                $0.retainsRegisteredObjects = retains
            }
            contexts.append(context)
            observations.append(
                // The contest owns the context: otherwise neither would ever be released.
                context.observe { [unowned self] in
                    if case .didSave(let changes) = $0 { saved.append(changes) }
                })
        }
    }

    private func on(
        _ context: ManagedObjectContext, _ body: @Sendable (ManagedObjectContext) throws -> Void
    ) throws {
        try context.performAndWait { try body(context) }
    }

    private func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    // MARK: - Steps

    private func insert(_ entity: String, in context: ManagedObjectContext) throws {
        next += 1
        try context.insert(entity, ["number": next, "text": "\(next)"])
    }

    private func any(_ entity: String, in context: ManagedObjectContext) throws -> ManagedObject? {
        let all = try context.all(entity, by: "number")
        return all.isEmpty ? nil : all[number(all.count)]
    }

    private func some(_ entity: String, in context: ManagedObjectContext) throws -> [ManagedObject]
    {
        try context.all(entity, by: "number").shuffled(using: &generator).prefix(number(4)).map {
            $0
        }
    }

    private func change(_ step: Int, in context: ManagedObjectContext) throws {
        let entities = ["Person", "Item", "Card", "Group"]
        func set(_ key: String, of entity: String, to value: Any?) throws {
            guard let object = try any(entity, in: context) else { return }
            steps.append("    \(name(object)).\(key) = \(value.map(describe) ?? "nil")")
            try object.setValue(value, forKey: key)
        }
        switch step {
        case 6: try insert((entities + ["Box"])[number(5)], in: context)
        case 7, 8: try set("text", of: entities[number(4)], to: "\(number(100))")
        case 9, 10:
            let owner = number(4) == 0 ? nil : try any("Person", in: context)
            try set("owner", of: "Item", to: owner)
        case 11: try set("items", of: "Person", to: try some("Item", in: context))
        case 12:
            let card = number(4) == 0 ? nil : try any("Card", in: context)
            try set("card", of: "Person", to: card)
        case 13:
            let holder = number(4) == 0 ? nil : try any("Person", in: context)
            try set("holder", of: "Card", to: holder)
        case 14: try set("groups", of: "Person", to: Set(try some("Group", in: context)))
        case 15: try set("members", of: "Group", to: Set(try some("Person", in: context)))
        case 16:
            guard let person = try any("Person", in: context),
                let group = try any("Group", in: context)
            else { return }
            steps.append("    pair \(name(person)) \(name(group))")
            person.add(group, to: ScriptSchema.groups)
        case 17, 18, 19:
            guard let object = try any(entities[number(4)], in: context) else { return }
            steps.append("    delete \(name(object))")
            context.delete(object)
        case 20:
            // A deletion that is refreshed would not cut what others have related meanwhile.
            if context.deletedObjects.isEmpty { context.refreshAllObjects() }
        case 21:
            guard !saved.isEmpty, context.deletedObjects.isEmpty else { return }
            context.mergeChanges(saved[number(saved.count)])
        case 22:
            if number(3) == 0 { context.rollback() }
        default:
            if number(3) == 0 { context.reset() }
        }
    }

    private func name(_ object: ManagedObject) -> String {
        "\(object.objectID.entityName)\(object.reference)"
    }

    private func describe(_ value: Any) -> String {
        switch value {
        case let object as ManagedObject: name(object)
        case let objects as any Collection<ManagedObject>: "\(objects.map(name).sorted())"
        default: "\(value)"
        }
    }

    private func save(_ context: ManagedObjectContext) throws {
        try on(context) { context in
            do { try context.save() } catch let error as SaveError {
                self.steps.append("    \(error)".prefix(200).description)
                context.rollback()
            }
        }
        let references = try StoredReferences(of: coordinators[0])
        if let fault = references.faults().first { throw Difference(description: fault) }
    }

    // MARK: - What holds

    private func check(_ copy: HistoryCopy?) throws {
        if let difference = try copy?.difference() {
            throw Difference(description: "the history: \(difference)")
        }
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinators[0])
        try on(context) { context in
            for key in ["items", "groups"] {
                for person in try context.all("Person") {
                    let members = try person.value(forKey: key) as! any Collection<ManagedObject>
                    let request = FetchRequest(
                        entityName: "Person",
                        predicate: try ObjectPredicate(
                            "SELF == %@ AND \(key).@count == %@", person, members.count))
                    guard try context.count(for: request) == 1 else {
                        throw Difference(
                            description:
                                "\(self.name(person)) has \(members.count) \(key), SQL counts others"
                        )
                    }
                }
            }
        }
    }
}
