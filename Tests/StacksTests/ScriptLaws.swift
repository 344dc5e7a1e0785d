import ObjectGraph
import Stacks
import TestSupport
import Testing

@Suite(.serialized) struct `Laws: the same script ends in the same rows` {
    private static let generator = SeededGenerator.fromEnvironment()

    @Test(arguments: LawCase.all)
    func `a random script leaves the rows that it should (§11.6.13)`(_ lawCase: LawCase)
        async throws
    {
        var generator = Self.generator
        let script = Script(stepCount: 80, using: &generator)
        let test = try StackUnderTest(lawCase)

        for step in script.steps {
            let action = step.action
            if step.isInView {
                try await test.prepareView()
                try await test.writeInView { try action.perform(in: $0) }
            } else {
                try test.write { try action.perform(in: $0) }
            }
        }

        let seed: Comment = "TEST_SEED=\(generator.seed)"
        #expect(try test.read { try Row.all(in: $0) } == script.rows, seed)
        #expect(try await test.readView { try Row.all(in: $0) } == script.rows, seed)
        if lawCase.place == .file {
            #expect(try test.readFile { try Row.all(in: $0) } == script.rows, seed)
        }
    }
}

/// A publication with its relationships, or an author or topic by name.
private struct Row: Sendable, Hashable, Comparable {
    var entity: String
    var name: String
    var loanCount = 0
    var author: String?
    var topics: Set<String> = []

    static func < (first: Row, second: Row) -> Bool {
        (first.entity, first.name) < (second.entity, second.name)
    }

    static func all(in context: ManagedObjectContext) throws -> [Row] {
        let publications = try context.all(Publication.self, by: "title").map {
            Row(
                entity: $0.objectID.entityName, name: $0.title, loanCount: $0.loanCount,
                author: $0.author?.name, topics: Set($0.topics.map(\.name)))
        }
        let authors = try context.all(Author.self, by: "name").map {
            Row(entity: "Author", name: $0.name)
        }
        let topics = try context.all(Topic.self, by: "name").map {
            Row(entity: "Topic", name: $0.name)
        }
        return (publications + authors + topics).sorted()
    }
}

/// A random sequence of changes, each possible after those before it, and the rows that they must
/// leave.
private struct Script {
    struct Step {
        var action: Action
        var isInView: Bool
    }

    enum Action: Sendable {
        case insert(entity: String, name: String)
        case lend(publication: String)
        case attribute(publication: String, author: String?)
        case tag(publication: String, topics: Set<String>)
        case delete(entity: String, name: String)
    }

    private(set) var steps: [Step] = []
    private var model: [String: Row] = [:]

    /// The rows after the last step, sorted.
    var rows: [Row] { model.values.sorted() }

    init(stepCount: Int, using generator: inout SeededGenerator) {
        for number in 0..<stepCount {
            let action = randomAction(number, using: &generator)
            apply(action)
            steps.append(Step(action: action, isInView: Bool.random(using: &generator)))
        }
    }

    private func randomAction(_ number: Int, using generator: inout SeededGenerator) -> Action {
        let insert = Action.insert(
            entity: ["Book", "Magazine", "Author", "Topic"].randomElement(using: &generator)!,
            name: "n\(number)")
        let publication = names("Book", "Magazine").randomElement(using: &generator)
        guard let publication, Int.random(in: 0..<3, using: &generator) > 0 else { return insert }
        switch Int.random(in: 0..<7, using: &generator) {
        case 0, 1: return .lend(publication: publication)
        case 2, 3:
            let authors = names("Author").map { Optional($0) } + [nil]
            return .attribute(
                publication: publication, author: authors.randomElement(using: &generator)!)
        case 4, 5:
            let topics = names("Topic").filter { _ in Bool.random(using: &generator) }
            return .tag(publication: publication, topics: Set(topics))
        default:
            let row = rows.randomElement(using: &generator)!
            return .delete(entity: row.entity, name: row.name)
        }
    }

    private func names(_ entities: String...) -> [String] {
        rows.filter { entities.contains($0.entity) }.map(\.name)
    }

    private mutating func apply(_ action: Action) {
        switch action {
        case .insert(let entity, let name): model[name] = Row(entity: entity, name: name)
        case .lend(let publication): model[publication]!.loanCount += 1
        case .attribute(let publication, let author): model[publication]!.author = author
        case .tag(let publication, let topics): model[publication]!.topics = topics
        case .delete(let entity, let name):
            model[name] = nil
            switch entity {
            case "Author": model = model.filter { $0.value.author != name }
            case "Topic": for key in model.keys { model[key]!.topics.remove(name) }
            default: break
            }
        }
    }
}

extension Script.Action {
    func perform(in context: ManagedObjectContext) throws {
        switch self {
        case .insert(let entity, let name):
            switch entity {
            case "Author": context.insertAuthor(name)
            case "Topic": context.insertTopic(name)
            case "Magazine": Magazine(context: context).title = name
            default: context.insertBook(name)
            }
        case .lend(let title): try Self.publication(title, in: context).loanCount += 1
        case .attribute(let title, let author):
            try Self.publication(title, in: context).author = author.map { try context.author($0) }
        case .tag(let title, let topics):
            try Self.publication(title, in: context).topics = Set(
                topics.map { try context.topic($0) })
        case .delete(let entity, let name):
            let request = FetchRequest(
                entityName: entity,
                predicate: .comparison(
                    .init(.keyPath(Self.nameKey(entity)), .equal, .constant(.string(name)))))
            for object in try context.fetch(request) { context.delete(object) }
        }
    }

    private static func nameKey(_ entity: String) -> String {
        entity == "Author" || entity == "Topic" ? "name" : "title"
    }

    private static func publication(
        _ title: String, in context: ManagedObjectContext
    ) throws -> Publication {
        try #require(
            try context.all(Publication.self, where: "title", is: .string(title)).first)
    }
}
