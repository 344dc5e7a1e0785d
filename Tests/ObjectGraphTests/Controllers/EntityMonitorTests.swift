import ObjectGraph
import TestSupport
import Testing

@Suite struct `EntityMonitor (§13.1)` {
    private final class Delegate: EntityMonitorDelegate {
        var calls: [String] = []

        func entityMonitor(
            _ monitor: EntityMonitor<TestSupport.Author>,
            didInsert objects: Set<TestSupport.Author>
        ) { note("insert", objects) }

        func entityMonitor(
            _ monitor: EntityMonitor<TestSupport.Author>,
            didUpdate objects: Set<TestSupport.Author>
        ) { note("update", objects) }

        func entityMonitor(
            _ monitor: EntityMonitor<TestSupport.Author>,
            didDelete objects: Set<TestSupport.Author>
        ) { note("delete", objects) }

        private func note(_ what: String, _ objects: Set<TestSupport.Author>) {
            calls.append("\(what) \(objects.map(\.name).sorted().joined(separator: " "))")
        }

        func take() -> [String] {
            defer { calls = [] }
            return calls
        }
    }

    private let fixture: ContextFixture

    init() throws { fixture = try ContextFixture() }

    private func insert(_ name: String, _ context: ManagedObjectContext) -> TestSupport.Author {
        let author = TestSupport.Author(context: context)
        author.name = name
        return author
    }

    @Test func `reports inserts, updates and deletes of a class after each save (§13.1.6)`() throws
    {
        let context = fixture.context()
        try context.performAndWait {
            let delegate = Delegate()
            let monitor = try EntityMonitor<TestSupport.Author>(in: context)
            monitor.delegate = delegate
            let (lem, leGuin) = (insert("Lem", context), insert("Le Guin", context))
            let topic = Topic(context: context)
            topic.name = "art"
            context.processPendingChanges()
            #expect(delegate.take().isEmpty)
            try context.save()
            #expect(delegate.take() == ["insert Le Guin Lem"])
            lem.name = "Stanisław Lem"
            context.delete(leGuin)
            try context.save()
            #expect(delegate.take() == ["update Stanisław Lem", "delete Le Guin"])
            topic.name = "biology"
            try context.save()
            #expect(delegate.take().isEmpty)
        }
    }

    @Test func `or at the end of each event (§13.1.7)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let delegate = Delegate()
            let monitor = try EntityMonitor<TestSupport.Author>(in: context, frequency: .onChange)
            monitor.delegate = delegate
            let lem = insert("Lem", context)
            context.processPendingChanges()
            #expect(delegate.take() == ["insert Lem"])
            try context.save()
            #expect(delegate.take().isEmpty)
            context.delete(lem)
            context.processPendingChanges()
            #expect(delegate.take() == ["delete Lem"])
        }
    }

    @Test func `only objects that match, and a mistake in the condition is refused (§13.1.8)`()
        throws
    {
        let context = fixture.context()
        try context.performAndWait {
            let delegate = Delegate()
            let monitor = try EntityMonitor<TestSupport.Author>(
                in: context, where: try ObjectPredicate("name BEGINSWITH 'L'"))
            monitor.delegate = delegate
            _ = (insert("Lem", context), insert("Asimov", context))
            try context.save()
            #expect(delegate.take() == ["insert Lem"])
            #expect(throws: FetchError.unknownKeyPath("title", entity: "Author")) {
                try EntityMonitor<TestSupport.Author>(
                    in: context, where: try ObjectPredicate("title == 'x'"))
            }
        }
    }
}
