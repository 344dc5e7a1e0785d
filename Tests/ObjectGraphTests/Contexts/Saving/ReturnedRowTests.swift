import Testing

@testable import ObjectGraph

/// Another context deletes a row, and a third one inserts it again.
@Suite struct `Objects whose rows were found gone and are back (§5.3)` {
    @Test(arguments: MergePolicy.Kind.allCases.filter { $0 != .error })
    func `an object that was found gone and is back keeps both ends (§5.3.10, §5.3.13)`(
        _ kind: MergePolicy.Kind
    ) throws {
        let store = try StoreFixture(LinkKind.oneToOne.model)
        let (reviving, other) = (store.makeContext(), store.makeContext())
        let ids = try store.savedPair()
        try reviving.performAndWait {
            reviving.mergePolicy = .mergeByPropertyObjectTrump
            try reviving.object(with: ids.owner).setValue("renamed", forKey: "name")
        }
        try other.performAndWait {
            other.mergePolicy = MergePolicy(kind)
            try other.object(with: ids.leaf).setValue("renamed", forKey: "name")
        }
        try store.delete(ids.owner)
        try other.performAndWait {
            let owner = other.object(with: ids.owner)
            #expect(try owner.value(forKey: "name") == nil && owner.isDeleted)
            try reviving.performAndWait { try reviving.save() }
            try other.save()
            #expect(!owner.isDeleted && owner.managedObjectContext != nil)
        }
        try store.expectOnePair()
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
        try store.delete(ids.owner)
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
        let ids = try store.savedPair()
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
        try store.delete(ids.owner)
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

    /// Found gone before the save, and back when it happens.
    @Test(arguments: MergePolicy.Kind.allCases, [false, true])
    func `the policy decides on a deleted object that is back (§5.3.10, §5.3.11)`(
        _ kind: MergePolicy.Kind, isPinned: Bool
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
        try other.performAndWait {
            if isPinned { try other.setQueryGeneration(from: .current) }
            let person = try other.all("Person")[0]
            // It would be a conflict too, which takes a pinned context to the newest generation.
            if !isPinned { other.delete(person) }
        }
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
}
