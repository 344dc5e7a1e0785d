import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// A model, its rows and its predicates, made from one seed.
struct AgreementCase: Sendable, CustomTestStringConvertible {
    let nilPercent: Int
    let seed: UInt64
    var testDescription: String { "\(nilPercent) % nils, TEST_SEED=\(seed)" }

    /// Enough models for 20,000 predicates, half of them with rows without nils. With TEST_SEED,
    /// only that seed.
    static let all: [AgreementCase] = {
        var generator = SeededGenerator.fromEnvironment()
        if ProcessInfo.processInfo.environment["TEST_SEED"] != nil {
            return [0, 30].map { AgreementCase(nilPercent: $0, seed: generator.seed) }
        }
        return (0..<40).map { AgreementCase(nilPercent: $0 % 2 * 30, seed: generator.next()) }
    }()

    static let predicateCount = 500
}

@Suite struct `The evaluators agree (§7.4)` {
    /// The results are the same for rows without nils, and for rows with nils except where SQL's
    /// answer is unknown.
    @Test(arguments: AgreementCase.all)
    func `on 20,000 predicates over models of all kinds (§7.4.10, §14.8)`(
        _ example: AgreementCase
    ) throws {
        try compare(example, predicateCount: AgreementCase.predicateCount)
    }

    /// The store evaluates rows; `filter` evaluates objects.
    @Test(arguments: AgreementCase.all.prefix(10))
    func `in stores in memory (§7.4.10)`(_ example: AgreementCase) throws {
        try compare(example, inMemory: true, predicateCount: AgreementCase.predicateCount)
    }

    /// Only the entities that a predicate reaches are read.
    @Test(arguments: AgreementCase.all.prefix(4))
    func `in stores of one's own (§7.4.10, §11.6.2)`(_ example: AgreementCase) throws {
        registerStores()
        try compare(
            example, ownStore: PersistentStoreDescription(type: "Dictionary"),
            predicateCount: AgreementCase.predicateCount)
    }

    /// Compares, for random predicates, the results of `filter` on all objects with those of a
    /// fetch.
    private func compare(
        _ example: AgreementCase, inMemory: Bool = false,
        ownStore: PersistentStoreDescription? = nil, predicateCount: Int
    ) throws {
        var generator = SeededGenerator(seed: example.seed)
        let store = try StoreFixture(generator.model(), inMemory: inMemory, ownStore: ownStore)
        try store.run { [generator] context in
            var generator = generator
            let objects = try generator.fill(context, nilPercent: example.nilPercent)
            var predicates = PredicateGenerator(
                context.model, hasNils: example.nilPercent > 0,
                objects: objects.mapValues { $0.map(\.objectID) }, generator)
            var findings = 0
            for _ in 0..<predicateCount {
                let entity = generator.pick(context.model.entities)
                let candidates = objects[context.model.entities[entity.rootIndex].name]!
                    .filter { $0.binding.entity.isKind(of: entity) }
                let template = predicates.predicate(entity)
                let format = template.predicateFormat
                guard try ObjectPredicate(format) == template else {
                    Issue.record("\(example) prints as \(format), which reads as another")
                    return
                }
                let predicate = template.withSubstitutionVariables(predicates.variables)
                let filtered = Set(try candidates.filter(predicate).map(\.objectID))
                var request = FetchRequest(entityName: entity.name, predicate: predicate)
                request.includesPropertyValues = false
                let fetched = Set(try context.fetchObjectIDs(request))
                guard filtered == fetched else {
                    Issue.record(
                        "\(example) \(entity.name): \(format) filter \(filtered.subtracting(fetched)), fetch \(fetched.subtracting(filtered))"
                    )
                    return
                }
                if !filtered.isEmpty, filtered.count < candidates.count { findings += 1 }
            }
            // Otherwise the test would prove nothing.
            #expect(findings > predicateCount / 8, "\(example)")
        }
    }

    /// SQLite nests a chain of terms, to at most 1,000 levels.
    @Test(arguments: [("AND", "!=", 0...4), ("OR", "==", 5...9)])
    func `on more terms than SQLite nests`(
        _ connective: String, _ relation: String, _ values: ClosedRange<Int>
    ) throws {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Number", attributes: [AttributeDescription("value", .integer64)])
            ]))
        let format = (5..<3_005).map { "value \(relation) \($0)" }
            .joined(separator: " \(connective) ")
        let predicate = try ObjectPredicate(format)
        try store.run { context in
            let objects = try (0..<10).map { try context.insert("Number", ["value": $0]) }
            try context.save()
            let request = FetchRequest(entityName: "Number", predicate: predicate)
            let fetched = try context.fetch(request, as: ManagedObject.self)
            let expected = Set(objects[values])
            #expect(Set(fetched) == expected)
            #expect(try Set(objects.filter(predicate)) == expected)
        }
    }

    @Test(arguments: AgreementCase.all.prefix(10))
    func `on the order of rows (§14.9)`(_ example: AgreementCase) throws {
        var generator = SeededGenerator(seed: example.seed)
        let store = try StoreFixture(generator.model())
        try store.run { [generator] context in
            var generator = generator
            let objects = try generator.fill(context, nilPercent: example.nilPercent)
            for _ in 0..<40 {
                let entity = generator.pick(context.model.entities)
                let keys = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                    generator.sortKey(entity, context.model)
                }
                let sort = try CompiledSort(keys, entity: entity, model: context.model)
                let request = FetchRequest(entityName: entity.name, sortKeys: keys)
                let found = try context.fetch(request, as: ManagedObject.self)
                #expect(!found.isEmpty && found.count <= objects.values.joined().count)
                for (first, second) in zip(found, found.dropFirst())
                where sort.compare(ObjectSubject(object: first), ObjectSubject(object: second)) > 0
                {
                    Issue.record("\(example) \(keys): \(first), \(second)")
                    return
                }
            }
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func sortKey(_ entity: Entity, _ model: ManagedObjectModel) -> SortKey {
        var (entity, path) = (entity, "")
        let toOnes = entity.properties.filter { $0.kind == .toOne }
        if let property = toOnes.randomElement(using: &self), chance(30) {
            (entity, path) = (model.destination(of: property.relationship!), property.name + ".")
        }
        let attribute = pick(
            entity.properties.filter {
                !$0.isPlace && !$0.isComposite && $0.attributeType != nil
            })
        let isText = ValueKind(attribute.attributeType!) == .string
        let key = ObjectExpression.keyPath(path + attribute.name)
        return SortKey(
            isText && chance(20) ? .function("length:", [key]) : key, ascending: chance(50),
            comparison: .binary
        ).comparing(isText ? pick([.binary, .caseInsensitive, .localizedStandard]) : .binary)
    }
}

extension SortKey {
    /// The key with this comparison of strings; numbers have only one order.
    fileprivate func comparing(_ comparison: Comparison) -> SortKey {
        guard case .keyPath = expression else { return self }
        return SortKey(expression, ascending: isAscending, comparison: comparison)
    }
}
