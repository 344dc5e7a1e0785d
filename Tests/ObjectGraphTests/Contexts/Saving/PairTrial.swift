@testable import ObjectGraph

/// A kind of relationship between owners and leaves.
enum LinkKind: String, CaseIterable, Sendable {
    case manyToMany, orderedManyToMany, oneToMany, orderedOneToMany, cascade, manyToOne, oneToOne

    var model: ManagedObjectModel {
        get throws {
            let (leaves, owners): (RelationshipDescription, RelationshipDescription) =
                switch self {
                case .manyToMany, .orderedManyToMany:
                    (
                        .toMany(
                            "leaves", "Leaf", inverse: "owners",
                            isOrdered: self == .orderedManyToMany),
                        .toMany("owners", "Owner", inverse: "leaves")
                    )
                case .oneToMany, .orderedOneToMany, .cascade:
                    (
                        .toMany(
                            "leaves", "Leaf", inverse: "owners",
                            deleteRule: self == .cascade ? .cascade : .nullify,
                            isOrdered: self == .orderedOneToMany),
                        .toOne("owners", "Owner", inverse: "leaves")
                    )
                case .manyToOne:
                    (
                        .toOne("leaves", "Leaf", inverse: "owners"),
                        .toMany("owners", "Owner", inverse: "leaves")
                    )
                case .oneToOne:
                    (
                        .toOne("leaves", "Leaf", inverse: "owners"),
                        .toOne("owners", "Owner", inverse: "leaves")
                    )
                }
            return try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Owner", attributes: [AttributeDescription("name", .string)],
                    relationships: [leaves]),
                EntityDescription(
                    name: "Leaf", attributes: [AttributeDescription("name", .string)],
                    relationships: [owners]),
            ])
        }
    }
}

/// Two owners and two leaves, of which the first ones may be related. One context changes and saves
/// them, then another one that has read the state before.
struct PairTrial: CustomStringConvertible {
    enum Change: String, CaseIterable {
        case link, unlink, moveToOtherLeaf, moveToOtherOwner, deleteOwner, deleteLeaf, renameOwner
        case renameLeaf
    }

    /// What the second context has read before the first one saves.
    enum Knowledge: String, CaseIterable { case nothing, oneObject, everything }

    /// Those that differ for objects that are not related.
    private static let changesOfStrangers: [Change] = [
        .link, .deleteOwner, .deleteLeaf, .renameOwner, .renameLeaf,
    ]

    let kind: LinkKind
    let isRelated: Bool
    let first: Change
    let second: Change
    let policy: MergePolicy.Kind
    let knowledge: Knowledge
    let isInMemory: Bool

    static func all(of kind: LinkKind) -> [PairTrial] {
        var trials: [PairTrial] = []
        for isRelated in [false, true] {
            let changes = isRelated ? Change.allCases : changesOfStrangers
            for first in changes {
                for second in changes {
                    for policy in MergePolicy.Kind.allCases {
                        for knowledge in Knowledge.allCases {
                            // A file takes longer, and what was read matters less there.
                            trials.append(
                                PairTrial(
                                    kind: kind, isRelated: isRelated, first: first,
                                    second: second, policy: policy, knowledge: knowledge,
                                    isInMemory: knowledge != .everything))
                        }
                    }
                }
            }
        }
        return trials
    }

    var description: String {
        "\(kind)\(isRelated ? " related" : ""), \(first) then \(second), \(policy), knows \(knowledge)\(isInMemory ? ", in memory" : "")"
    }

    /// What is wrong after the saves; nil if nothing is.
    func fault() throws -> String? {
        let coordinator = PersistentStoreCoordinator(model: try kind.model)
        var description: PersistentStoreDescription = isInMemory ? .inMemory() : .sqliteInMemory()
        description.tracksHistory = true
        try coordinator.addPersistentStore(description)
        defer {
            for store in coordinator.persistentStores {
                try? coordinator.removePersistentStore(store)
            }
        }
        let (one, other) = (
            ManagedObjectContext(.privateQueue, coordinator: coordinator),
            ManagedObjectContext(.privateQueue, coordinator: coordinator)
        )
        let ids = try one.performAndWait {
            let objects = try ["Owner", "Owner", "Leaf", "Leaf"].enumerated().map {
                try one.insert($0.element, ["name": "\($0.offset)"])
            }
            if isRelated { Self.relate(objects[0], objects[2], true) }
            try one.save()
            return objects.map(\.objectID)
        }
        return try other.performAndWait {
            other.mergePolicy = MergePolicy(policy)
            let objects = ids.map { other.object(with: $0) }
            switch knowledge {
            case .nothing: break
            case .oneObject:
                _ = try objects[0].value(forKey: "name")
                _ = try objects[0].value(forKey: "leaves")
                _ = try objects[3].value(forKey: "name")
            case .everything:
                for object in objects { _ = try object.value(forKey: "name") }
                for object in objects[..<2] { _ = try object.value(forKey: "leaves") }
                for object in objects[2...] { _ = try object.value(forKey: "owners") }
            }
            let saved = Recorder<ObjectChanges>()
            let observation = one.observe {
                if case .didSave(let changes) = $0 { saved.values.append(changes) }
            }
            try one.performAndWait {
                apply(first, to: ids.map { one.object(with: $0) })
                try one.save()
            }
            observation.cancel()
            if let lost = try Self.lost(in: coordinator) { return "the first save left \(lost)" }
            apply(second, to: objects)
            let mine = Recorder<ObjectChanges>()
            let own = other.observe {
                if case .didSave(let changes) = $0 { mine.values.append(changes) }
            }
            defer { own.cancel() }
            do { try other.save() } catch SaveError.mergeConflicts where policy == .error {}
            if let lost = try Self.lost(in: coordinator) { return lost }
            if policy == .error, other.hasChanges { other.rollback() }
            // Objects that this save did not change may be stale until the merge.
            let changed = mine.values.last?.updated ?? []
            if let ghost = try ghost(in: other, changed, coordinator) { return ghost }
            other.mergeChanges(saved.values.last ?? ObjectChanges())
            if let ghost = try ghost(in: other, ids, coordinator) { return "merged, \(ghost)" }
            try other.save()
            if let lost = try Self.lost(in: coordinator) { return "saved again, \(lost)" }
            return nil
        }
    }

    private static func lost(in coordinator: PersistentStoreCoordinator) throws -> String? {
        try StoredReferences(of: coordinator).faults().first
    }

    /// A relationship that shows an object without a row.
    private func ghost(
        in context: ManagedObjectContext, _ ids: [ManagedObjectID],
        _ coordinator: PersistentStoreCoordinator
    ) throws -> String? {
        let fresh = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let stored = try fresh.performAndWait {
            Set(try ["Owner", "Leaf"].flatMap { try fresh.all($0).map(\.objectID) })
        }
        for id in ids where stored.contains(id) {
            let object = context.object(with: id)
            let key = id.entityName == "Owner" ? "leaves" : "owners"
            for other in Self.related(try object.value(forKey: key))
            where !stored.contains(other.objectID) {
                return "the context shows \(other.objectID) at \(id)"
            }
        }
        return nil
    }

    static func related(_ value: Any?) -> [ManagedObject] {
        switch value {
        case let object as ManagedObject: [object]
        case let objects as any Collection<ManagedObject>: Array(objects)
        default: []
        }
    }

    /// Adds or removes a pair, at the end of the owner.
    static func relate(_ owner: ManagedObject, _ leaf: ManagedObject, _ isAddition: Bool) {
        let property = owner.binding.entity.property(named: "leaves")!
        if property.kind == .toOne {
            if isAddition {
                owner.setDestination(leaf, of: property)
            } else if owner.destination(of: property) === leaf {
                owner.setDestination(nil, of: property)
            }
        } else {
            owner.change(leaf, in: property, isAddition: isAddition)
        }
    }

    private func apply(_ change: Change, to objects: [ManagedObject]) {
        let (owner, other, leaf, otherLeaf) = (objects[0], objects[1], objects[2], objects[3])
        let context = owner.managedObjectContext!
        switch change {
        case .link: Self.relate(owner, leaf, true)
        case .unlink: Self.relate(owner, leaf, false)
        case .moveToOtherLeaf:
            Self.relate(owner, leaf, false)
            Self.relate(owner, otherLeaf, true)
        case .moveToOtherOwner:
            Self.relate(owner, leaf, false)
            Self.relate(other, leaf, true)
        case .deleteOwner: context.delete(owner)
        case .deleteLeaf: context.delete(leaf)
        case .renameOwner: try? owner.setValue("mine", forKey: "name")
        case .renameLeaf: try? leaf.setValue("mine", forKey: "name")
        }
    }
}
