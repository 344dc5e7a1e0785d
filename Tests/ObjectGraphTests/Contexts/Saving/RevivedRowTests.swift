import TestSupport
import Testing

@testable import ObjectGraph

/// Rows that are inserted again after a saved deletion, and contexts that have read them before.
@Suite struct `Rows that are inserted again (§5.3)` {
    enum Way: CaseIterable { case undo, undoInChild, policy, undoTwice }

    /// Deletes the row and inserts it again with a count of 500.
    private func revive(_ id: ManagedObjectID, _ way: Way, in store: StoreFixture) throws {
        let context = store.makeContext()
        let child = ManagedObjectContext(.privateQueue, parent: context)
        switch way {
        case .undo, .undoTwice:
            try context.performAndWait {
                context.undoManager = UndoManager()
                for _ in 0..<(way == .undo ? 1 : 2) {
                    context.delete(context.object(with: id))
                    try context.save()
                    context.undo()
                    (context.object(with: id) as! Note).count = 500
                    try context.save()
                }
            }
        case .undoInChild:
            try child.performAndWait {
                child.undoManager = UndoManager()
                child.delete(child.object(with: id))
                try child.save()
                try context.performAndWait { try context.save() }
                child.undo()
                (child.object(with: id) as! Note).count = 500
                try child.save()
                try context.performAndWait { try context.save() }
            }
        case .policy:
            try context.performAndWait {
                context.mergePolicy = .mergeByPropertyObjectTrump
                (context.object(with: id) as! Note).count = 500
                let other = store.makeContext()
                try other.performAndWait {
                    other.delete(other.object(with: id))
                    try other.save()
                }
                try context.save()
            }
        }
    }

    @Test(arguments: Way.allCases, [false, true])
    func `a save that is based on the row before is a conflict (§5.3.10)`(
        way: Way, inMemory: Bool
    ) throws {
        let store = try StoreFixture(notebookModel, inMemory: inMemory)
        let id = try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            return note.objectID
        }
        let stale = store.makeContext()
        try stale.performAndWait {
            let note = try #require(try stale.existingObject(with: id) as? Note)
            note.count += 1
            try revive(id, way, in: store)
            let error = #expect(throws: SaveError.self) { try stale.save() }
            #expect(error?.code == 133020)
        }
        let count = try store.makeContext().count(of: id)
        #expect(count == 500)
    }

    @Test func `a row that is inserted again twice has another version each time (§5.3.10)`() throws
    {
        let store = try undoable()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            var versions: [UInt32] = []
            for _ in 0..<3 {
                context.delete(note)
                try context.save()
                context.undo()
                try context.save()
                versions.append(try #require(note.row?.version))
            }
            #expect(versions == versions.sorted() && Set(versions).count == 3 && versions[0] > 2)
        }
    }
}

extension ManagedObjectContext {
    fileprivate func count(of id: ManagedObjectID) throws -> Int? {
        try performAndWait { (try existingObject(with: id) as? Note)?.count }
    }
}
