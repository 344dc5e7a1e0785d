import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Random models, rows and changes: what the migrated store holds is compared with what follows
/// from the old content by rule. The environment variable TEST_PAIRS is the number of models.
@Suite struct `Random migrations` {
    @Test func `the rows are those that the changes imply (§9.2.30)`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["TEST_PAIRS"].flatMap { Int($0) } ?? 150
        let seed = SeededGenerator.fromEnvironment().seed
        for number in 0..<count {
            var random = SeededGenerator(seed: seed &+ UInt64(number))
            let model = EvolvingModel(using: &random)
            let (changed, changes) = model.changed(using: &random)
            let place = "TEST_SEED=\(seed &+ UInt64(number)) TEST_PAIRS=1: \(changes)"
            do {
                let differences = try migrate(model, to: changed, &random)
                #expect(differences.isEmpty, "\(place)")
                if !differences.isEmpty { return }
            } catch {
                Issue.record("\(place): \(error)")
                return
            }
        }
    }

    @Test func `a mapping through objects gives the same rows as one in place (§9.3.12)`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["TEST_PAIRS"].flatMap { Int($0) } ?? 40
        let seed = SeededGenerator.fromEnvironment().seed
        for number in 0..<count {
            var random = SeededGenerator(seed: seed &+ UInt64(number))
            let model = EvolvingModel(using: &random)
            let (changed, changes) = model.changed(using: &random)
            let place = "TEST_SEED=\(seed &+ UInt64(number)) TEST_PAIRS=1: \(changes)"
            let folder = TemporaryFolder()
            let (first, second) = (folder.url("first.sqlite"), folder.url("second.sqlite"))
            let before = try open(first, model.model())
            try before.performAndWait { [random] in
                var random = random
                try fill(before, model, &random)
            }
            try before.coordinator.removePersistentStore(before.coordinator.persistentStores[0])
            try FileManager.default.copyItem(at: first, to: second)
            let inferred = try MappingModel.inferred(from: model.model(), to: changed.model())
            try MigrationManager.migrateStore(.sqlite(at: second), with: inferred)
            let contents = try [first, second].map { url in
                let after = try open(url, changed.model())
                return try after.performAndWait { try after.contentByRank() }
            }
            let keys = Set(contents[0].keys).union(contents[1].keys)
                .filter { contents[0][$0] != contents[1][$0] }
            let differences = keys.sorted().map {
                "\($0): \(contents[1][$0] ?? "nil"), in place \(contents[0][$0] ?? "nil")"
            }
            #expect(differences.isEmpty, "\(place)")
            if !differences.isEmpty { return }
        }
    }

    /// The lines that differ between the migrated store and the expected content.
    private func migrate(
        _ model: EvolvingModel, to changed: EvolvingModel, _ random: inout SeededGenerator
    ) throws -> [String] {
        let folder = TemporaryFolder()
        let url = folder.url("store.sqlite")
        let before = try open(url, model.model())
        random = try before.performAndWait { [random] in
            var random = random
            try fill(before, model, &random)
            return random
        }
        before.performAndWait { before.reset() }
        let old = try before.performAndWait { try before.content() }
        try before.coordinator.removePersistentStore(before.coordinator.persistentStores[0])
        let after = try open(url, changed.model())
        let found = try after.performAndWait { try after.content() }
        let expected = MigratedContent(old, model, changed).content
        let keys = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }
        var differences = keys.sorted().map {
            "\($0): \(found[$0] ?? "nil"), expected \(expected[$0] ?? "nil")"
        }
        let connection = try Connection(SQLiteConfiguration(path: url.path, mode: .readOnly))
        let check = try connection.statement("PRAGMA integrity_check")
        defer { check.reset() }
        if try check.step(), check.value(at: 0).string != "ok" {
            differences.append(check.value(at: 0).string)
        }
        // Each entity can be written, with keys that no row has.
        try after.performAndWait {
            for entity in after.model.entities {
                try after.insertObject(entityName: entity.name).setMandatoryValues()
            }
            try after.save()
        }
        return differences
    }

    private func open(_ url: URL, _ model: ManagedObjectModel) throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addPersistentStore(.sqlite(at: url))
        return ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    private func fill(
        _ context: ManagedObjectContext, _ model: EvolvingModel,
        _ random: inout SeededGenerator
    ) throws {
        var objects: [Int: [ManagedObject]] = [:]
        for entity in model.entities {
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                let object = try context.insertObject(entityName: entity.name)
                for attribute in model.attributes(of: entity) {
                    if attribute.isOptional, Bool.random(using: &random) { continue }
                    let number = Int.random(in: 0..<9, using: &random)
                    let value: Any =
                        switch attribute.type {
                        case .string: "text \(number)"
                        case .double: Double(number) / 8
                        case .boolean: number > 4
                        default: number
                        }
                    try object.setValue(value, forKey: attribute.name)
                }
                for ancestor in model.lineage(of: entity) {
                    objects[ancestor.id, default: []].append(object)
                }
            }
        }
        for end in model.ends where end.id < end.inverse {
            let members = objects[end.destination] ?? []
            for object in objects[end.entity] ?? [] {
                let count = Int.random(in: 0...3, using: &random)
                let chosen = Array(members.shuffled(using: &random).prefix(count))
                if end.isToMany {
                    try object.setValue(chosen, forKey: end.name)
                } else {
                    try object.setValue(chosen.first, forKey: end.name)
                }
            }
        }
        try context.save()
    }
}

/// The content that a migrated store should have, from that of the old one.
private struct MigratedContent {
    private(set) var content: [String: String] = [:]
    private let old: [String: String]
    private let model: EvolvingModel
    private let changed: EvolvingModel

    /// The objects that remain: keys by the identity of their concrete entity.
    private var keys: [Int: [String]] = [:]

    init(_ old: [String: String], _ model: EvolvingModel, _ changed: EvolvingModel) {
        self.old = old
        self.model = model
        self.changed = changed
        for entity in model.entities where changed.entity(entity.id) != nil {
            let prefix = entity.name + " "
            keys[entity.id] = old.keys.filter { $0.hasPrefix(prefix) && !$0.contains(".") }
                .map { String($0.dropFirst(prefix.count)) }
        }
        for entity in changed.entities { addAttributes(of: entity) }
        for end in changed.ends where end.id < end.inverse { addPairs(of: end) }
    }

    private mutating func addAttributes(of entity: EvolvingModel.Entity) {
        guard let former = model.entity(entity.id) else { return }
        let formerAttributes = model.attributes(of: former)
        for key in keys[entity.id] ?? [] {
            content["\(entity.name) \(key)"] = ""
            for attribute in changed.attributes(of: entity) {
                let known = formerAttributes.first { $0.id == attribute.id }
                let value = known.flatMap { old["\(former.name) \(key).\($0.name)"] }
                let usesDefault = known == nil || !attribute.isOptional
                content["\(entity.name) \(key).\(attribute.name)"] =
                    value ?? (usesDefault ? attribute.defaultValue.map(text) : nil)
            }
        }
    }

    private func text(_ value: AttributeValue) -> String {
        switch value {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .boolean(let flag): flag ? "1" : "0"
        default: "?"
        }
    }

    /// The objects of an entity and its descendants: names in the new model, by key.
    private func family(_ entity: Int) -> [String: String] {
        var found: [String: String] = [:]
        for member in changed.entities
        where changed.lineage(of: member).contains(where: { $0.id == entity }) {
            for key in keys[member.id] ?? [] { found[key] = "\(member.name) \(key)" }
        }
        return found
    }

    private mutating func addPairs(of end: EvolvingModel.End) {
        let inverse = changed.end(end.inverse)!
        let (owners, members) = (family(end.entity), family(end.destination))
        var lists = lists(of: end.id, owners, members)
        var inverseLists = self.lists(of: end.inverse, members, owners)
        // A to-one end keeps the first object, and the other end follows.
        if !end.isToMany {
            lists = lists.mapValues { Array($0.prefix(1)) }
            inverseLists = filter(inverseLists) { lists[$1]?.contains($0) ?? false }
        }
        if !inverse.isToMany {
            inverseLists = inverseLists.mapValues { Array($0.prefix(1)) }
            lists = filter(lists) { inverseLists[$1]?.contains($0) ?? false }
        }
        add(lists, end, owners, members)
        add(inverseLists, inverse, members, owners)
    }

    private func filter(
        _ lists: [String: [String]], _ isKept: (_ owner: String, _ member: String) -> Bool
    ) -> [String: [String]] {
        lists.reduce(into: [:]) { kept, list in
            kept[list.key] = list.value.filter { isKept(list.key, $0) }
        }
    }

    /// The keys of the members by the key of the owner, in their old order.
    private func lists(
        of id: Int, _ owners: [String: String], _ members: [String: String]
    ) -> [String: [String]] {
        guard let former = model.end(id) else { return [:] }
        var lists: [String: [String]] = [:]
        for entity in model.entities
        where model.lineage(of: entity).contains(where: { $0.id == former.entity }) {
            for key in keys[entity.id] ?? [] where owners[key] != nil {
                guard let text = old["\(entity.name) \(key).\(former.name)"] else { continue }
                // A to-one relationship has the entity before the key.
                let words = text.split(separator: " ").map(String.init)
                let list = former.isToMany ? words : [words[1]]
                lists[key] = list.filter { members[$0] != nil }
            }
        }
        return lists
    }

    private mutating func add(
        _ lists: [String: [String]], _ end: EvolvingModel.End, _ owners: [String: String],
        _ members: [String: String]
    ) {
        for (owner, list) in lists where !list.isEmpty {
            let place = "\(owners[owner]!).\(end.name)"
            if end.isToMany {
                let sorted = end.isOrdered ? list : list.sorted { Int($0)! < Int($1)! }
                content[place] = sorted.map { "\($0) " }.joined()
            } else {
                content[place] = members[list[0]]
            }
        }
    }
}

extension ManagedObject {
    /// Gives each mandatory attribute without a value one.
    fileprivate func setMandatoryValues() throws {
        for property in binding.entity.properties
        where property.kind != .toMany && !property.isOptional && property.relationship == nil {
            if try value(forKey: property.name) == nil, let value = property.defaultValue {
                setAttribute(value, at: property.index)
            }
        }
    }
}

extension ManagedObjectContext {
    /// The values of all objects, each named by its rank among those of its entity.
    fileprivate func contentByRank() throws -> [String: String] {
        var names: [ManagedObjectID: String] = [:]
        var all: [ManagedObject] = []
        for entity in model.entities {
            var request = FetchRequest(entityName: entity.name)
            request.includesSubentities = false
            let objects = try fetch(request, as: ManagedObject.self)
                .sorted { $0.objectID.reference < $1.objectID.reference }
            for (rank, object) in objects.enumerated() {
                names[object.objectID] = "\(entity.name) \(rank)"
            }
            all += objects
        }
        var content: [String: String] = [:]
        for object in all {
            let name = names[object.objectID]!
            content[name] = ""
            for property in object.binding.entity.properties where !property.isHidden {
                let value: String?
                switch property.kind {
                case .attribute:
                    let stored = object.attributeValue(of: property)
                    value = stored.isNull ? nil : "\(stored)"
                case .toOne: value = object.destination(of: property).map { names[$0.objectID]! }
                case .toMany:
                    let members = object.orderedDestinations(of: property)
                        .map { names[$0.objectID]! }
                    value =
                        property.relationship!.isOrdered
                        ? "\(members)" : "\(members.sorted())"
                }
                content["\(name).\(property.name)"] = value
            }
        }
        return content
    }
}
