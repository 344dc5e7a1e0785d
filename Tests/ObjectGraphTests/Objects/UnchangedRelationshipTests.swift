import TestSupport
import Testing

@testable import ObjectGraph

/// A program changes a relationship and changes it back.
@Suite struct `Relationships that are set away and back (§2.11, §5.1)` {
    enum Way: String, CaseIterable {
        case assignment, members, otherEnd, unreadMembers, withUndo

        func apply(to owner: ManagedObject, _ leaf: ManagedObject) throws {
            switch self {
            case .assignment, .withUndo: try Self.assign("leaves", of: owner)
            case .otherEnd: try Self.assign("owners", of: leaf)
            case .members, .unreadMembers:
                if self == .members { _ = try owner.value(forKey: "leaves") }
                PairTrial.relate(owner, leaf, false)
                PairTrial.relate(owner, leaf, true)
            }
        }

        private static func assign(_ key: String, of object: ManagedObject) throws {
            let old = try object.value(forKey: key)
            switch old {
            case is [ManagedObject]: try object.setValue([ManagedObject](), forKey: key)
            case is Set<ManagedObject>: try object.setValue(Set<ManagedObject>(), forKey: key)
            default: try object.setValue(nil, forKey: key)
            }
            try object.setValue(old, forKey: key)
        }
    }

    /// A store with an owner of a leaf.
    private struct Fixture {
        let store: StoreFixture
        let owner: ManagedObjectID
        let leaf: ManagedObjectID

        init(_ kind: LinkKind) throws {
            store = try StoreFixture(kind.model, tracksHistory: true)
            (owner, leaf) = try store.run { context in
                let objects = (try context.insert("Owner"), try context.insert("Leaf"))
                PairTrial.relate(objects.0, objects.1, true)
                try context.save()
                return (objects.0.objectID, objects.1.objectID)
            }
        }

        func versions() throws -> [[String?]] {
            try store.sql("SELECT Z_OPT FROM ZOWNER") + store.sql("SELECT Z_OPT FROM ZLEAF")
        }

        func transactionCount() throws -> Int {
            var count = 0
            try store.coordinator.enumerateHistory(PersistentHistoryRequest(after: nil)) { _ in
                count += 1
            }
            return count
        }
    }

    @Test(arguments: LinkKind.allCases, Way.allCases)
    func `count as unchanged in a save, at both ends (§2.11.9, §5.1.13)`(
        _ kind: LinkKind, _ way: Way
    ) throws {
        let fixture = try Fixture(kind)
        let (versions, count) = (try fixture.versions(), try fixture.transactionCount())
        let context = fixture.store.makeContext()
        try context.performAndWait {
            if way == .withUndo { context.undoManager = UndoManager() }
            let owner = context.object(with: fixture.owner)
            let leaf = context.object(with: fixture.leaf)
            try way.apply(to: owner, leaf)
            #expect(!owner.hasPersistentChangedValues && !leaf.hasPersistentChangedValues)
            let saved = Recorder<ObjectChanges>()
            let observation = context.observe {
                if case .didSave(let changes) = $0 { saved.values.append(changes) }
            }
            try context.save()
            observation.cancel()
            #expect(saved.values.allSatisfy { $0.updated.isEmpty })
            #expect(try PairTrial.related(owner.value(forKey: "leaves")) == [leaf])
        }
        #expect(try fixture.versions() == versions)
        #expect(try fixture.transactionCount() == count)
        #expect(try StoredReferences(of: fixture.store.coordinator).faults().isEmpty)
    }

    @Test(arguments: LinkKind.allCases)
    func `do not conflict with what others have saved (§5.1.13, §5.3.1)`(_ kind: LinkKind) throws {
        let fixture = try Fixture(kind)
        let context = fixture.store.makeContext()
        try context.performAndWait {
            let owner = context.object(with: fixture.owner)
            _ = try owner.value(forKey: "name")
            _ = try context.object(with: fixture.leaf).value(forKey: "name")
            try fixture.store.run { other in
                for id in [fixture.owner, fixture.leaf] {
                    try other.object(with: id).setValue("theirs", forKey: "name")
                }
                try other.save()
            }
            try Way.assignment.apply(to: owner, context.object(with: fixture.leaf))
            try context.save()
        }
    }

    @Test(arguments: LinkKind.allCases, Way.allCases)
    func `do not reach the parent context (§4.2.2, §5.1.13)`(_ kind: LinkKind, _ way: Way) throws {
        let fixture = try Fixture(kind)
        let parent = fixture.store.makeContext()
        let child = ManagedObjectContext(.privateQueue, parent: parent)
        try child.performAndWait {
            if way == .withUndo { child.undoManager = UndoManager() }
            try way.apply(
                to: child.object(with: fixture.owner), child.object(with: fixture.leaf))
            try child.save()
        }
        parent.performAndWait { #expect(!parent.hasChanges) }
    }

    @Test(arguments: [LinkKind.orderedManyToMany, .orderedOneToMany])
    func `an order that comes back is no change either (§2.11.9)`(_ kind: LinkKind) throws {
        let fixture = try Fixture(kind)
        try fixture.store.run { context in
            let owner = context.object(with: fixture.owner)
            PairTrial.relate(owner, try context.insert("Leaf"), true)
            try context.save()
            let versions = try fixture.versions()
            let leaves = try #require(owner.value(forKey: "leaves") as? [ManagedObject])
            try owner.setValue(Array(leaves.reversed()), forKey: "leaves")
            try owner.setValue(leaves, forKey: "leaves")
            try context.save()
            #expect(try fixture.versions() == versions)
            try owner.setValue(Array(leaves.reversed()), forKey: "leaves")
            try context.save()
            #expect(try fixture.versions() != versions)
            context.reset()
            let stored = try context.object(with: fixture.owner).value(forKey: "leaves")
            #expect(
                (stored as? [ManagedObject])?.map(\.objectID) == leaves.reversed().map(\.objectID))
        }
    }

    @Test func `a pair that others have added meanwhile is removed (§2.11.9)`() throws {
        let fixture = try Fixture(.manyToMany)
        let context = fixture.store.makeContext()
        try context.performAndWait {
            let owner = context.object(with: fixture.owner)
            let leaf = context.object(with: fixture.leaf)
            PairTrial.relate(owner, leaf, false)
            try context.save()
            PairTrial.relate(owner, leaf, true)
            try fixture.store.run { other in
                let (owner, leaf) = (
                    other.object(with: fixture.owner), other.object(with: fixture.leaf)
                )
                PairTrial.relate(owner, leaf, true)
                try other.save()
            }
            context.refreshAllObjects()
            PairTrial.relate(owner, leaf, false)
            try context.save()
            let removed = try PairTrial.related(owner.value(forKey: "leaves"))
            #expect(removed.isEmpty)
        }
        #expect(try fixture.store.sql("SELECT count(*) FROM Z_1OWNERS") == [["0"]])
    }
}
