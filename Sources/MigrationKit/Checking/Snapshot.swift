import ObjectGraph

/// A snapshot's content, with what the plans ask of it.
struct Snapshot: Sendable {
    let contents: StoreContents

    /// The objects for which a condition holds, by entity and format.
    private var matches: [Question: Set<ManagedObjectID>] = [:]

    /// The values of expressions, by entity and format.
    private var computed: [Question: [ManagedObjectID: AttributeValue]] = [:]

    private struct Question: Hashable {
        let entity: String
        let format: String
    }

    /// Reads a snapshot through a context with its own model, on whose queue it is called.
    init(
        _ context: ManagedObjectContext, _ model: ManagedObjectModel, for plans: [EntityPlan]
    ) throws {
        contents = try StoreContents(context, model)
        for source in plans.flatMap(\.sources) {
            if let format = source.condition {
                let request = FetchRequest.every(
                    source.entity, where: try ObjectPredicate(format))
                matches[Question(entity: source.entity, format: format)] =
                    Set(try context.fetchObjectIDs(request))
            }
            for case .computed(let format, let type) in source.origins.values {
                computed[Question(entity: source.entity, format: format)] =
                    try Self.values(of: format, source.entity, context)
                    .mapValues { $0.normalized(to: type) }
            }
        }
    }

    private static func values(
        of format: String, _ entity: String, _ context: ManagedObjectContext
    ) throws -> [ManagedObjectID: AttributeValue] {
        var request = FetchRequest.every(entity)
        request.propertiesToFetch = [
            FetchedProperty(name: "object", expression: .keyPath("objectID")),
            FetchedProperty(name: "value", expression: try ObjectExpression(parsing: format)),
        ]
        var values: [ManagedObjectID: AttributeValue] = [:]
        for row in try context.fetchDictionaries(request) {
            if case .objectID(let id)? = row["object"] { values[id] = row["value"] ?? .null }
        }
        return values
    }

    /// The objects from which rows follow.
    func objects(of source: EntityPlan.Source) -> [StoreContents.Object] {
        let objects = contents.objects[source.entity] ?? []
        guard let format = source.condition else { return objects }
        let matches = matches[Question(entity: source.entity, format: format)] ?? []
        return objects.filter { matches.contains($0.id) }
    }

    /// The value that follows from an object; nil for the objects of a relationship.
    func value(
        _ origin: EntityPlan.Origin, of object: StoreContents.Object, _ entity: String
    ) -> AttributeValue? {
        switch origin {
        case .value(let path, let missing):
            let value = object.values[path] ?? .null
            return value.isNull ? missing : value
        case .computed(let format, _):
            return computed[Question(entity: entity, format: format)]?[object.id] ?? .null
        case .constant(let value): return value
        case .members, .noMembers: return nil
        }
    }
}

extension ObjectExpression {
    /// Reads an expression in the language of predicates.
    fileprivate init(parsing format: String) throws(PredicateFormatError) {
        // Formats are of predicates, so this one compares the expression with something.
        guard case .comparison(let comparison) = try ObjectPredicate("(\(format)) == nil") else {
            preconditionFailure("A comparison is read as one.")
        }
        self = comparison.left
    }
}
