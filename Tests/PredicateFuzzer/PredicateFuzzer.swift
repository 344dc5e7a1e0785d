@testable import ObjectGraph

/// Passes libFuzzer's inputs to the parser of predicate formats, and parsed predicates to the
/// printer and both evaluators.
///
/// `scripts/fuzz` builds and runs it.
@main
enum PredicateFuzzer {
    static func main() { Fuzzing.run() }

    fileprivate static func check(_ format: String) {
        guard let predicate = parse(format) else { return }
        let printed = predicate.predicateFormat
        let read = parse(printed)
        precondition(read == predicate, "\(format) prints as \(printed), which reads as another")
        if let compiled = try? CompiledPredicate(predicate, entity: entity, model: model) {
            _ = compiled.matches(Nothing())
        }
        _ = try? FetchTranslation(
            FetchRequest(entityName: "Thing", predicate: predicate), entity: entity,
            layout: StoreLayout(model, storeIdentifier: "S"),
            selection: .count)
    }

    /// Parses past the cache of formats. The leak sanitizer does not follow references with tag
    /// bits, as strings and enums have them, and would report what the cache keeps.
    private static func parse(_ format: String) -> ObjectPredicate? {
        try? ObjectPredicate(readOnce: format)
    }

    fileprivate static let model = try! ManagedObjectModel(entities: [
        EntityDescription(
            name: "Thing",
            attributes: [
                AttributeDescription("a", .integer32), AttributeDescription("b", .double),
                AttributeDescription("s", .string), AttributeDescription("d", .date),
            ],
            relationships: [
                .toOne("one", "Thing", inverse: "many"),
                .toMany("many", "Thing", inverse: "one", isOrdered: true),
            ])
    ])
    fileprivate static var entity: Entity { model.entities[0] }
}

/// An object without values. Its relationships lead to objects of the same kind, to a depth of two.
private struct Nothing: PredicateSubject {
    var depth = 0

    private static let scope = ObjectIDScope(
        storeIdentifier: nil, storeNumber: 0, entity: PredicateFuzzer.entity,
        root: PredicateFuzzer.entity)

    var objectID: ManagedObjectID { ManagedObjectID(scope: Self.scope, reference: 1) }
    func value(of property: Property) -> AttributeValue { property.kind == .toOne ? .null : "5" }
    func destination(of property: Property) -> Nothing? {
        depth < 2 ? Nothing(depth: depth + 1) : nil
    }
    func destinations(of property: Property) -> [Nothing] {
        destination(of: property).map { [$0, $0] } ?? []
    }
}

func check(_ input: UnsafeBufferPointer<UInt8>) {
    PredicateFuzzer.check(String(decoding: input, as: UTF8.self))
}
