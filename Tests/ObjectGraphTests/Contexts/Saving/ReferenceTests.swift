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
        try expectOnePair(in: store)
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
        try expectOnePair(in: store)
    }

    @Test(arguments: MergePolicy.Kind.allCases)
    func `an end that is set to what a stale row has is looked for in the store (§5.3.13)`(
        _ kind: MergePolicy.Kind
    ) throws {
        let store = try StoreFixture(LinkKind.oneToOne.model)
        let ids = try savedPair(in: store)
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

    @Test(arguments: MergePolicy.Kind.allCases.filter { $0 != .error })
    func `an object that was found gone and is back keeps both ends (§5.3.10, §5.3.13)`(
        _ kind: MergePolicy.Kind
    ) throws {
        let store = try StoreFixture(LinkKind.oneToOne.model)
        let (reviving, other) = (store.makeContext(), store.makeContext())
        let ids = try savedPair(in: store)
        try reviving.performAndWait {
            reviving.mergePolicy = .mergeByPropertyObjectTrump
            try reviving.object(with: ids.owner).setValue("renamed", forKey: "name")
        }
        try other.performAndWait {
            other.mergePolicy = MergePolicy(kind)
            try other.object(with: ids.leaf).setValue("renamed", forKey: "name")
        }
        try delete(ids.owner, in: store)
        try other.performAndWait {
            let owner = other.object(with: ids.owner)
            #expect(try owner.value(forKey: "name") == nil && owner.isDeleted)
            try reviving.performAndWait { try reviving.save() }
            try other.save()
            #expect(!owner.isDeleted && owner.managedObjectContext != nil)
        }
        try expectOnePair(in: store)
    }

    @Test
    func
        `an object that is changed by a gone member alone loses a deleted end too (§5.3.8, §5.3.13)`()
        throws
    {
        let store = try StoreFixture(ScriptSchema.model(isOrdered: false))
        let ids = try store.run { context in
            let objects = try ["Person", "Card", "Group"].map { try context.insert($0) }
            try objects[2].setValue("all", forKey: "text")
            try context.save()
            return objects.map(\.objectID)
        }
        let other = store.makeContext()
        try other.performAndWait {
            let person = try other.all("Person")[0]
            // The group stays a fault, so that only the save finds it gone.
            try person.setValue(Set([other.object(with: ids[2])]), forKey: "groups")
            try store.run { context in
                context.delete(context.object(with: ids[2]))
                try context.object(with: ids[1]).setValue(
                    context.object(with: ids[0]), forKey: "holder")
                try context.save()
            }
            other.delete(other.object(with: ids[1]))
            try other.save()
        }
        let faults = try StoredReferences(of: store.coordinator).faults()
        #expect(faults.isEmpty)
    }

    @Test func `a deleted end leaves an object that was found gone and is back (§5.3.10, §5.3.13)`()
        throws
    {
        let store = try StoreFixture(LinkKind.oneToOne.model)
        let (reviving, other) = (store.makeContext(), store.makeContext())
        let ids = try store.run { context in
            let (owner, leaf) = (try context.insert("Owner"), try context.insert("Leaf"))
            try context.save()
            return (owner: owner.objectID, leaf: leaf.objectID)
        }
        reviving.performAndWait {
            reviving.mergePolicy = .mergeByPropertyObjectTrump
            PairTrial.relate(
                reviving.object(with: ids.owner), reviving.object(with: ids.leaf), true)
        }
        other.performAndWait {
            other.mergePolicy = .overwrite
            other.delete(other.object(with: ids.leaf))
            other.processPendingChanges()
        }
        try delete(ids.owner, in: store)
        try other.performAndWait {
            let owner = other.object(with: ids.owner)
            #expect(try owner.value(forKey: "name") == nil && owner.isDeleted)
            try reviving.performAndWait { try reviving.save() }
            try other.save()
        }
        let faults = try StoredReferences(of: store.coordinator).faults()
        #expect(faults.isEmpty)
        #expect(try store.sql("SELECT COUNT(*) FROM ZOWNER") == [["1"]])
    }

    @Test func `an object that was found gone and is back gives up its changes (§5.3.10, §5.3.13)`()
        throws
    {
        let store = try StoreFixture(LinkKind.oneToOne.model)
        let ids = try savedPair(in: store)
        let free = try store.run { context in
            let leaf = try context.insert("Leaf")
            try context.save()
            return leaf.objectID
        }
        let (reviving, other) = (store.makeContext(), store.makeContext())
        try reviving.performAndWait {
            reviving.mergePolicy = .mergeByPropertyObjectTrump
            try reviving.object(with: ids.owner).setValue("renamed", forKey: "name")
        }
        try delete(ids.owner, in: store)
        try other.performAndWait {
            other.mergePolicy = .overwrite
            let leaf = other.object(with: free)
            try leaf.setValue("renamed", forKey: "name")
            try other.object(with: ids.owner).setValue(leaf, forKey: "leaves")
            try reviving.performAndWait { try reviving.save() }
            other.refresh(other.object(with: ids.leaf), mergeChanges: false)
            other.delete(other.object(with: ids.leaf))
            try other.save()
        }
        let faults = try StoredReferences(of: store.coordinator).faults()
        #expect(faults.isEmpty)
        let owners = try store.sql("SELECT Z_PK, ZLEAVES FROM ZOWNER WHERE ZLEAVES NOT NULL")
        #expect(try store.sql("SELECT ZOWNERS, Z_PK FROM ZLEAF WHERE ZOWNERS NOT NULL") == owners)
    }

    @Test(arguments: [LinkKind.manyToMany, .orderedManyToMany])
    func `a deletion removes pairs although a merge reports another one (§4.4.11, §5.3.11)`(
        _ kind: LinkKind
    ) throws {
        let store = try StoreFixture(kind.model)
        let ids = try savedPair(in: store)
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

    /// Found gone before the save, and back when it happens.
    @Test(arguments: MergePolicy.Kind.allCases)
    func `the policy decides on a deleted object that is back (§5.3.10, §5.3.11)`(
        _ kind: MergePolicy.Kind
    ) throws {
        let store = try StoreFixture(ScriptSchema.model(isOrdered: false))
        let ids = try store.run { context in
            let (person, card) = (try context.insert("Person"), try context.insert("Card"))
            try card.setValue(person, forKey: "holder")
            try context.save()
            return (person: person.objectID, card: card.objectID)
        }
        let (reviving, other) = (store.makeContext(), store.makeContext())
        try reviving.performAndWait {
            reviving.mergePolicy = .overwrite
            try reviving.object(with: ids.card).setValue("changed", forKey: "text")
        }
        try other.performAndWait {
            other.mergePolicy = MergePolicy(kind)
            other.delete(try other.all("Card")[0])
        }
        try store.run { context in
            context.delete(context.object(with: ids.card))
            try context.save()
        }
        try other.performAndWait { other.delete(try other.all("Person")[0]) }
        try reviving.performAndWait { try reviving.save() }
        other.performAndWait {
            do {
                try other.save()
                #expect(kind != .error)
            } catch {
                #expect(kind == .error)
            }
        }
        #expect(try StoredReferences(of: store.coordinator).faults().isEmpty)
        let isDeleted = kind == .overwrite || kind == .mergeByPropertyObjectTrump
        #expect(try store.sql("SELECT Z_PK FROM ZCARD").isEmpty == isDeleted)
    }

    @Test func `a cascade deletes an object that is back (§5.3.10, §5.3.12)`() throws {
        let store = try StoreFixture(ScriptSchema.model(isOrdered: false))
        let ids = try store.run { context in
            let (person, item) = (try context.insert("Person"), try context.insert("Item"))
            try context.save()
            return (person: person.objectID, item: item.objectID)
        }
        let (reviving, other) = (store.makeContext(), store.makeContext())
        try reviving.performAndWait {
            reviving.mergePolicy = .overwrite
            try reviving.object(with: ids.item).setValue(
                reviving.object(with: ids.person), forKey: "owner")
        }
        try other.performAndWait {
            other.mergePolicy = .overwrite
            let item = other.object(with: ids.item)
            #expect(try item.value(forKey: "text") == nil)
            try store.run { context in
                context.delete(context.object(with: ids.item))
                try context.save()
            }
            other.mergeChanges(ObjectChanges(deleted: [ids.item]))
            #expect(item.isDeleted)
            try reviving.performAndWait { try reviving.save() }
            other.delete(other.object(with: ids.person))
            try other.save()
        }
        #expect(try store.sql("SELECT Z_PK FROM ZITEM").isEmpty)
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

    /// An owner and a leaf that are related.
    private func savedPair(
        in store: StoreFixture
    ) throws -> (owner: ManagedObjectID, leaf: ManagedObjectID) {
        try store.run { context in
            let (owner, leaf) = (try context.insert("Owner"), try context.insert("Leaf"))
            PairTrial.relate(owner, leaf, true)
            try context.save()
            return (owner.objectID, leaf.objectID)
        }
    }

    private func delete(_ id: ManagedObjectID, in store: StoreFixture) throws {
        try store.run { context in
            context.delete(context.object(with: id))
            try context.save()
        }
    }

    private func expectOnePair(in store: StoreFixture) throws {
        let owners = try store.sql("SELECT Z_PK, ZLEAVES FROM ZOWNER WHERE ZLEAVES NOT NULL")
        let leaves = try store.sql("SELECT ZOWNERS, Z_PK FROM ZLEAF")
        #expect(owners == leaves && owners.count == 1)
    }
}
