import Testing

@testable import ObjectGraph

/// Two contexts change related objects, one after the other, each knowing only the state before.
@Suite struct `References to rows that are gone (§1.5, §5.3)` {
    @Test(arguments: LinkKind.allCases)
    func `no order of two saves leaves one, whatever the policy (§5.3.8, §5.3.9, §5.3.11)`(
        _ kind: LinkKind
    ) throws {
        var found: [String] = []
        for trial in PairTrial.all(of: kind) {
            if let fault = try trial.fault() { found.append("\(trial): \(fault)") }
        }
        #expect(found.isEmpty, "\(found.count): \(found.prefix(20).joined(separator: "\n"))")
    }

    @Test(arguments: LinkKind.allCases)
    func `a deleted object that is related to others loses them again (§5.3.12)`(
        _ kind: LinkKind
    ) throws {
        let store = try StoreFixture(kind.model)
        try store.run { context in
            let (owner, leaf) = (try context.insert("Owner"), try context.insert("Leaf"))
            try context.save()
            context.delete(leaf)
            context.processPendingChanges()
            PairTrial.relate(owner, leaf, true)
            try context.save()
            #expect(try PairTrial.related(owner.value(forKey: "leaves")).isEmpty)
            let faults = try StoredReferences(of: store.coordinator).faults()
            #expect(faults.isEmpty)
        }
    }

    @Test(arguments: LinkKind.allCases, [false, true])
    func
        `a deleted object that takes a newer row loses what others have related (§5.3.12, §4.4.13)`(
            _ kind: LinkKind, isMerged: Bool
        ) throws
    {
        let store = try StoreFixture(kind.model)
        try store.run { context in
            let (owner, leaf) = (try context.insert("Owner"), try context.insert("Leaf"))
            try context.save()
            let ids = (owner.objectID, leaf.objectID)
            context.delete(leaf)
            context.processPendingChanges()
            let other = store.makeContext()
            try other.performAndWait {
                PairTrial.relate(other.object(with: ids.0), other.object(with: ids.1), true)
                try other.save()
            }
            if isMerged {
                context.mergeChanges(ObjectChanges(updated: [ids.0, ids.1]))
            } else {
                context.refreshAllObjects()
            }
            try context.save()
            #expect(try PairTrial.related(owner.value(forKey: "leaves")).isEmpty)
            let faults = try StoredReferences(of: store.coordinator).faults()
            #expect(faults.isEmpty)
        }
    }

    @Test(arguments: [MergePolicy.mergeByPropertyObjectTrump, .overwrite])
    func `what a policy takes from another owner is a change of that owner (§5.4.12, §10.4.4)`(
        _ policy: MergePolicy
    ) throws {
        let store = try StoreFixture(LinkKind.oneToMany.model, tracksHistory: true)
        let ids = try store.run { context in
            let objects = try ["Owner", "Owner", "Owner", "Leaf"].map { try context.insert($0) }
            PairTrial.relate(objects[0], objects[3], true)
            try context.save()
            return objects.map(\.objectID)
        }
        let other = store.makeContext()
        try other.performAndWait {
            other.mergePolicy = policy
            PairTrial.relate(other.object(with: ids[2]), other.object(with: ids[3]), true)
            try store.run { context in
                PairTrial.relate(context.object(with: ids[1]), context.object(with: ids[3]), true)
                try context.save()
            }
            try other.save()
        }
        var named: [ManagedObjectID] = []
        try store.coordinator.enumerateHistory(PersistentHistoryRequest(after: nil)) {
            named = $0.changes!.filter { $0.updatedProperties?.contains("leaves") == true }
                .map(\.changedObjectID)
        }
        #expect(Set(named).isSuperset(of: ids[1...2]))
        #expect(try store.sql("SELECT Z_OPT FROM ZOWNER ORDER BY Z_PK") == [["2"], ["3"], ["2"]])
    }

    @Test(arguments: [LinkKind.manyToMany, .orderedManyToMany])
    func `what is inserted again has the pairs that were added, and no others (§5.3.9, §10.4.4)`(
        _ kind: LinkKind
    ) throws {
        let store = try StoreFixture(kind.model)
        let other = store.makeContext()
        try other.performAndWait {
            other.mergePolicy = .mergeByPropertyObjectTrump
            let objects = try ["Owner", "Leaf", "Leaf", "Leaf"].map { try other.insert($0) }
            for leaf in objects[1...2] { PairTrial.relate(objects[0], leaf, true) }
            try other.save()
            _ = try objects[0].value(forKey: "leaves")
            let id = objects[0].objectID
            try store.run { context in
                context.delete(context.object(with: id))
                try context.save()
            }
            PairTrial.relate(objects[0], objects[3], true)
            try other.save()
            #expect(try PairTrial.related(objects[0].value(forKey: "leaves")) == [objects[3]])
        }
        #expect(try store.sql("SELECT count(*) FROM ZOWNER") == [["1"]])
        #expect(try store.sql("SELECT Z_OPT FROM ZLEAF ORDER BY Z_PK") == [["2"], ["2"], ["2"]])
    }

    @Test func `both ends of a one-to-one relationship agree after a refresh and a save (§5.3.13)`()
        throws
    {
        let store = try StoreFixture(LinkKind.oneToOne.model)
        try store.run { context in
            let objects = try ["Owner", "Owner", "Leaf"].map { try context.insert($0) }
            try context.save()
            let ids = objects.map(\.objectID)
            PairTrial.relate(objects[0], objects[2], true)
            let other = store.makeContext()
            try other.performAndWait {
                PairTrial.relate(other.object(with: ids[1]), other.object(with: ids[2]), true)
                try other.save()
            }
            context.refreshAllObjects()
            try context.save()
        }
        try store.expectOnePair()
    }

    @Test
    func
        `both ends of a one-to-one relationship agree if one is written for another change (§5.3.13)`()
        throws
    {
        let store = try StoreFixture(LinkKind.oneToOne.model)
        try store.run { context in
            let objects = try ["Owner", "Owner", "Leaf"].map { try context.insert($0) }
            PairTrial.relate(objects[0], objects[2], true)
            try context.save()
            let ids = objects.map(\.objectID)
            try objects[0].setValue("renamed", forKey: "name")
            let other = store.makeContext()
            try other.performAndWait {
                PairTrial.relate(other.object(with: ids[1]), other.object(with: ids[2]), true)
                try other.save()
            }
            context.refresh(objects[2], mergeChanges: false)
            // The row that the owner has read already leads to the leaf.
            try objects[2].setValue(objects[0], forKey: "owners")
            context.refreshAllObjects()
            try context.save()
        }
        try store.expectOnePair()
    }

    @Test(arguments: MergePolicy.Kind.allCases)
    func `an end that is set to what a stale row has is looked for in the store (§5.3.13)`(
        _ kind: MergePolicy.Kind
    ) throws {
        let store = try StoreFixture(LinkKind.oneToOne.model)
        let ids = try store.savedPair()
        let other = store.makeContext()
        try other.performAndWait {
            other.mergePolicy = MergePolicy(kind)
            let (owner, leaf) = (other.object(with: ids.owner), other.object(with: ids.leaf))
            #expect(try owner.value(forKey: "leaves") != nil)
            try store.run { context in
                context.delete(context.object(with: ids.owner))
                try context.save()
            }
            other.refresh(leaf, mergeChanges: false)
            // The row that the owner has read leads to the leaf, but it is gone.
            try leaf.setValue(owner, forKey: "owners")
            try other.save()
        }
        let faults = try StoredReferences(of: store.coordinator).faults()
        #expect(faults.isEmpty)
    }

    @Test(arguments: [LinkKind.manyToMany, .orderedManyToMany], [false, true])
    func `a fault that gets a newer row reads its members again (§5.3.8)`(
        _ kind: LinkKind, isFetched: Bool
    ) throws {
        let store = try StoreFixture(kind.model)
        let ids = try store.run { context in
            let (owner, leaf) = (try context.insert("Owner"), try context.insert("Leaf"))
            try context.save()
            return (owner: owner.objectID, leaf: leaf.objectID)
        }
        let other = store.makeContext()
        try other.performAndWait {
            other.mergePolicy = .mergeByPropertyStoreTrump
            let (owner, leaf) = (try other.all("Owner")[0], other.object(with: ids.leaf))
            PairTrial.relate(owner, try other.insert("Leaf"), true)
            let leaves = owner.binding.entity.property(named: "leaves")!
            #expect(owner.members(of: leaves).count == 1)
            #expect(owner.isFault)
            other.delete(leaf)
            other.processPendingChanges()
            try store.run { context in
                PairTrial.relate(
                    context.object(with: ids.owner), context.object(with: ids.leaf), true)
                try context.save()
            }
            if isFetched { _ = try other.all("Owner") } else { _ = try owner.value(forKey: "name") }
            // The store wins: the leaf stays, and the owner, of which this context has the newest
            // row, goes with its pair.
            other.delete(owner)
            try other.save()
            #expect(try other.count(for: FetchRequest(entityName: "Leaf")) == 2)
        }
        let faults = try StoredReferences(of: store.coordinator).faults()
        #expect(faults.isEmpty)
    }

    @Test(arguments: [LinkKind.manyToMany, .orderedManyToMany])
    func `a deletion removes pairs although a merge reports another one (§4.4.11, §5.3.11)`(
        _ kind: LinkKind
    ) throws {
        let store = try StoreFixture(kind.model)
        let ids = try store.savedPair()
        try store.run { context in
            context.delete(context.object(with: ids.leaf))
            context.processPendingChanges()
            context.mergeChanges(ObjectChanges(deleted: [ids.leaf]))
            try context.save()
        }
        let faults = try StoredReferences(of: store.coordinator).faults()
        #expect(faults.isEmpty)
    }

    @Test(arguments: [LinkKind.manyToMany, .orderedManyToMany])
    func `a pair that others have stored is removed, though it was added here too (§5.3.11)`(
        _ kind: LinkKind
    ) throws {
        let store = try StoreFixture(kind.model)
        let ids = try store.run { context in
            let (owner, leaf) = (try context.insert("Owner"), try context.insert("Leaf"))
            try context.save()
            return (owner: owner.objectID, leaf: leaf.objectID)
        }
        let other = store.makeContext()
        try other.performAndWait {
            other.mergePolicy = .overwrite
            let (owner, leaf) = (other.object(with: ids.owner), other.object(with: ids.leaf))
            #expect(try PairTrial.related(owner.value(forKey: "leaves")).isEmpty)
            PairTrial.relate(owner, leaf, true)
            try store.run { context in
                PairTrial.relate(
                    context.object(with: ids.owner), context.object(with: ids.leaf), true)
                try context.save()
            }
            #expect(try PairTrial.related(leaf.value(forKey: "owners")).count == 1)
            PairTrial.relate(owner, leaf, false)
            other.delete(leaf)
            try other.save()
        }
        let faults = try StoredReferences(of: store.coordinator).faults()
        #expect(faults.isEmpty)
    }

    @Test func `a deny rule sees what others have related (§5.3.11)`() throws {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Owner",
                    relationships: [.toMany("leaves", "Leaf", inverse: "owners", deleteRule: .deny)]
                ),
                EntityDescription(
                    name: "Leaf", relationships: [.toOne("owners", "Owner", inverse: "leaves")]),
            ]))
        let (owner, leaf) = try store.run { context in
            let objects = (try context.insert("Owner"), try context.insert("Leaf"))
            try context.save()
            return (objects.0.objectID, objects.1.objectID)
        }
        let other = store.makeContext()
        try other.performAndWait {
            other.mergePolicy = .mergeByPropertyObjectTrump
            let mine = other.object(with: owner)
            #expect(try PairTrial.related(mine.value(forKey: "leaves")).isEmpty)
            try store.run { context in
                PairTrial.relate(context.object(with: owner), context.object(with: leaf), true)
                try context.save()
            }
            other.delete(mine)
            #expect(try other.validationErrors().count == 1)
            #expect(mine.isDeleted && other.hasChanges)
        }
    }
}

extension StoreFixture {
    /// Saves an owner and a leaf that are related.
    func savedPair() throws -> (owner: ManagedObjectID, leaf: ManagedObjectID) {
        try run { context in
            let (owner, leaf) = (try context.insert("Owner"), try context.insert("Leaf"))
            PairTrial.relate(owner, leaf, true)
            try context.save()
            return (owner.objectID, leaf.objectID)
        }
    }

    func delete(_ id: ManagedObjectID) throws {
        try run { context in
            context.delete(context.object(with: id))
            try context.save()
        }
    }

    func expectOnePair() throws {
        let owners = try sql("SELECT Z_PK, ZLEAVES FROM ZOWNER WHERE ZLEAVES NOT NULL")
        let leaves = try sql("SELECT ZOWNERS, Z_PK FROM ZLEAF")
        #expect(owners == leaves && owners.count == 1)
    }
}
