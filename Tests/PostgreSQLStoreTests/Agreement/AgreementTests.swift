#if PostgreSQL
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

/// A generated model, the rows of it, and requests, from one seed.
struct ServerAgreementCase: Sendable, CustomTestStringConvertible {
    let nilPercent: Int
    let seed: UInt64
    var testDescription: String { "\(nilPercent) % nils, TEST_SEED=\(seed)" }

    /// With TEST_SEED, only that seed; with TEST_MODELS, as many models. 40 models have 20,000
    /// predicates.
    static let all: [Self] = {
        let environment = ProcessInfo.processInfo.environment
        var generator = SeededGenerator.fromEnvironment()
        if environment["TEST_SEED"] != nil {
            return [0, 30].map { Self(nilPercent: $0, seed: generator.seed) }
        }
        let count = environment["TEST_MODELS"].flatMap { Int($0) } ?? 4
        return (0..<count).map { Self(nilPercent: $0 % 2 * 30, seed: generator.next()) }
    }()

    /// Runs the body on a context of a filled store.
    func run(
        _ body:
            @Sendable (ManagedObjectContext, [String: [ManagedObject]], SeededGenerator) throws
            -> Void
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let schema = TestSchema()
        let context = try schema.coordinator(generator.model(hasFullText: false)).context()
        try context.performAndWait { [generator] in
            var generator = generator
            let objects = try generator.fill(context, nilPercent: nilPercent)
            try body(context, objects, generator)
        }
        withExtendedLifetime(schema) {}
    }
}

@Suite(.onServer) struct `PostgreSQL and the evaluator agree (§7.4)` {
    /// How many predicates SQL states, of all models.
    private static let counts = Mutex((stated: 0, all: 0))

    @Test(arguments: ServerAgreementCase.all)
    func `on predicates over models of all kinds (§7.4.10, §14.8)`(
        _ example: ServerAgreementCase
    ) throws {
        let predicateCount = 500
        try example.run { context, objects, generator in
            var generator = generator
            var predicates = PredicateGenerator(
                context.model, hasNils: example.nilPercent > 0, hasFullText: false,
                objects: objects.mapValues { $0.map(\.objectID) }, generator)
            let layout = StoreLayout(
                postgreSQL: context.model,
                storeIdentifier: objects.values.joined().first!.objectID.storeIdentifier ?? "")
            var (findings, stated) = (0, 0)
            for _ in 0..<predicateCount {
                let entity = generator.pick(context.model.entities)
                let candidates = objects[context.model.entities[entity.rootIndex].name]!
                    .filter { $0.binding.entity.isKind(of: entity) }
                let template = predicates.predicate(entity)
                let predicate = template.withSubstitutionVariables(predicates.variables)
                let filtered = Set(try candidates.filter(predicate).map(\.objectID))
                var request = FetchRequest(entityName: entity.name, predicate: predicate)
                request.includesPropertyValues = false
                let fetched = Set(try context.fetchObjectIDs(request))
                let translation = try? FetchTranslation(
                    request, entity: entity, layout: layout, selection: .keys)
                if translation != nil { stated += 1 }
                guard filtered == fetched else {
                    Issue.record(
                        """
                        \(example) \(entity.name): \(template.predicateFormat) \
                        filter \(filtered.subtracting(fetched)), \
                        fetch \(fetched.subtracting(filtered)), \
                        SQL \(translation?.sql ?? "none") \(translation?.bindings ?? [])
                        """)
                    return
                }
                #expect(try context.count(for: request) == filtered.count)
                if !filtered.isEmpty, filtered.count < candidates.count { findings += 1 }
            }
            // Otherwise the test would prove nothing.
            #expect(findings > predicateCount / 8, "\(example)")
            #expect(stated > predicateCount / 3, "\(example)")
            let (statedByAll, all) = Self.counts.withLock {
                $0.stated += stated
                $0.all += predicateCount
                return $0
            }
            print("SQL states \(statedByAll) of \(all) predicates; the others are evaluated.")
        }
    }

    /// Rows that are equal for all sort keys are in the order of their keys.
    @Test(arguments: ServerAgreementCase.all)
    func `on the order of rows (§14.9)`(_ example: ServerAgreementCase) throws {
        try example.run { context, objects, generator in
            var generator = generator
            for _ in 0..<60 {
                let entity = generator.pick(context.model.entities)
                let keys = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                    generator.serverSortKey(entity, context.model)
                }
                let sort = try CompiledSort(keys, entity: entity, model: context.model)
                var request = FetchRequest(entityName: entity.name, sortKeys: keys)
                request.fetchOffset = generator.pick([0, 0, 2])
                request.fetchLimit = generator.pick([0, 0, 5])
                let found = try context.fetchObjectIDs(request)
                let all = objects[context.model.entities[entity.rootIndex].name]!
                    .filter { $0.binding.entity.isKind(of: entity) }
                    .sorted { first, second in
                        let order = sort.compare(
                            ObjectSubject(object: first), ObjectSubject(object: second))
                        return order == 0
                            ? first.objectID.reference < second.objectID.reference : order < 0
                    }
                    .map(\.objectID).dropFirst(request.fetchOffset)
                let expected = request.fetchLimit > 0 ? all.prefix(request.fetchLimit) : all
                guard found == Array(expected) else {
                    Issue.record("\(example) \(entity.name) \(keys): \(found), \(expected)")
                    return
                }
            }
        }
    }

    /// The same dictionaries as those of a store in memory with rows from the same seed.
    @Test(arguments: ServerAgreementCase.all)
    func `on groups and their aggregates (§3.7)`(_ example: ServerAgreementCase) throws {
        try example.run { context, _, generator in
            var generator = generator
            let coordinator = PersistentStoreCoordinator(model: context.model)
            try coordinator.addPersistentStore(.inMemory())
            let other = coordinator.context()
            var filler = SeededGenerator(seed: example.seed)
            _ = try filler.model(hasFullText: false)
            try other.performAndWait { [filler] in
                var filler = filler
                _ = try filler.fill(other, nilPercent: example.nilPercent)
            }
            for _ in 0..<60 {
                let request = generator.groups(generator.pick(context.model.entities))
                let found = try context.fetchDictionaries(request)
                let expected = try other.performAndWait { try other.fetchDictionaries(request) }
                guard found.counted == expected.counted else {
                    Issue.record("\(example) \(request): \(found), \(expected)")
                    return
                }
            }
        }
    }
}

extension Array where Element: Hashable {
    fileprivate var counted: [Element: Int] { reduce(into: [:]) { $0[$1, default: 0] += 1 } }
}

extension SeededGenerator {
    fileprivate mutating func serverSortKey(
        _ entity: Entity, _ model: ManagedObjectModel
    ) -> SortKey {
        var (entity, path) = (entity, "")
        let toOnes = entity.properties.filter { $0.kind == .toOne }
        if let property = toOnes.randomElement(using: &self), chance(30) {
            (entity, path) = (model.destination(of: property.relationship!), property.name + ".")
        }
        let attribute = pick(attributes(of: entity))
        let isText = ValueKind(attribute.attributeType!) == .string
        return SortKey(
            path + attribute.name, ascending: chance(50),
            comparison: isText
                ? pick([.binary, .binary, .caseInsensitive, .localizedStandard]) : .binary)
    }

    /// Groups by one or two attributes, with aggregates. Sums of other numbers than small integers
    /// depend on the order of the rows.
    fileprivate mutating func groups(_ entity: Entity) -> FetchRequest {
        var request = FetchRequest(entityName: entity.name)
        request.propertiesToGroupBy = (0..<pick([1, 1, 2])).map { _ in
            pick(attributes(of: entity)).name
        }
        request.propertiesToGroupBy = request.propertiesToGroupBy.reduce(into: []) {
            if !$0.contains($1) { $0.append($1) }
        }
        request.propertiesToFetch = request.propertiesToGroupBy.map {
            FetchedProperty(name: $0, expression: .keyPath($0))
        }
        for (number, name) in ["count:", "min:", "max:"].enumerated() where chance(60) {
            let attribute = pick(
                attributes(of: entity).filter { ValueKind($0.attributeType!) != .data })
            request.propertiesToFetch.append(
                FetchedProperty(
                    name: "value\(number)",
                    expression: .function(name, [.keyPath(attribute.name)])))
        }
        request.propertiesToFetch += ["sum:", "average:"].map {
            FetchedProperty(
                name: "the \($0.dropLast())", expression: .function($0, [.keyPath("small")]))
        }
        if chance(30) {
            request.havingPredicate = .comparison(
                .init(
                    .function("count:", [.evaluatedObject]), .greaterThan, .constant(.integer(1))))
        }
        if chance(30) {
            request.predicate = .comparison(
                .init(.keyPath("small"), .greaterThan, .constant(.integer(0))))
        }
        return request
    }

    private func attributes(of entity: Entity) -> [Property] {
        entity.properties.filter { !$0.isPlace && !$0.isComposite && $0.attributeType != nil }
    }
}
#endif
