@testable import ObjectGraph

// A pinned context sees one state, whatever the contexts of the script do (spec §4.7).
extension ScriptRun {
    /// A context beside those of the script, and what it saw when it was pinned.
    struct Observer {
        let context: ManagedObjectContext
        var seen: [String] = []
    }

    /// Moves the observer to the newest generation, which it must see as an unpinned context does.
    func pinObserver(_ choice: Int) throws {
        guard hasGenerations else { return }
        let context = observer.context
        try context.performAndWait {
            switch context.queryGenerationToken == nil ? 0 : choice % 4 {
            case 0: try context.setQueryGeneration(from: .current)
            case 1: try context.save()
            case 2: context.mergeChanges(ObjectChanges())
            default: context.reset()
            }
            context.refreshAllObjects()
        }
        observer.seen = try Self.everything(in: context)
        let newest = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let expected = try Self.everything(in: newest)
        try require(
            observer.seen == expected, "the observer sees \(observer.seen), not \(expected)")
    }

    /// Compares what the observer sees now, by itself or in another context with its token.
    func compareObserver(_ choice: Int) throws {
        guard hasGenerations else { return }
        let own = observer.context
        let token = own.performAndWait { own.queryGenerationToken }
        guard token != nil else { return }
        var context = own
        if choice % 3 == 1 { own.performAndWait { own.refreshAllObjects() } }
        if choice % 3 == 2 {
            let other = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            try other.performAndWait { try other.setQueryGeneration(from: token) }
            context = other
        }
        let seen = try Self.everything(in: context)
        try require(
            seen == observer.seen, "the pinned observer sees \(seen), not \(observer.seen)")
    }

    /// All objects with their values and related objects.
    private static func everything(in context: ManagedObjectContext) throws -> [String] {
        try context.performAndWait {
            try ["Person", "Item", "Card", "Group"].flatMap { entity in
                try context.fetch(FetchRequest(entityName: entity), as: ManagedObject.self)
                    .map(describe).sorted()
            }
        }
    }

    private static func describe(_ object: ManagedObject) throws -> String {
        let properties = object.binding.entity.properties.filter { !$0.isHidden }
        let values = try properties.map { property in
            switch try object.value(forKey: property.name) {
            case let related as ManagedObject: "\(related.objectID)"
            case let members as any Collection<ManagedObject>:
                "\(members.map { "\($0.objectID)" }.sorted())"
            case let value?: "\(value)"
            case nil: "nil"
            }
        }
        return "\(object.objectID) \(values)"
    }
}
