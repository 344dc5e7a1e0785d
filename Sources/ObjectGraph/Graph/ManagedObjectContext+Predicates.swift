// Predicates asked of objects, without a fetch.

extension ManagedObjectContext {
    /// The predicate ready for objects of the entity; fetches within it are run now.
    func compiled(_ predicate: ObjectPredicate, _ entity: Entity) throws -> CompiledPredicate {
        try CompiledPredicate(
            predicate.replacingFetches(results), entity: entity, model: model)
    }

    private func results(
        of request: FetchRequest, countOnly: Bool
    ) throws -> ObjectExpression {
        if countOnly { return .constant(.integer(Int64(try count(for: request)))) }
        guard let name = request.propertiesToFetch.first?.name else {
            return .aggregate(
                try fetchObjectIDs(request).map { .constant(.objectID($0)) })
        }
        return .aggregate(
            try fetchDictionaries(request).compactMap { $0[name].map { .constant($0) } })
    }
}

extension ManagedObject {
    /// Whether the predicate holds for the object, unsaved changes included.
    ///
    /// Queue: the context's. Cost: compiles the predicate, and fires faults on its key paths; for many objects `filter`
    /// compiles it once.
    /// - Throws: `FetchError` for keys that the entity lacks and other mistakes in the predicate.
    public final func satisfies(_ predicate: ObjectPredicate) throws -> Bool {
        try context.compiled(predicate, binding.entity).matches(ObjectSubject(object: self))
    }
}

extension Sequence where Element: ManagedObject {
    /// The objects for which the predicate holds, in their order; unsaved changes included.
    ///
    /// Queue: that of the objects' context. Cost: no statement but for faults on the key paths of the predicate.
    /// - Throws: `FetchError` for keys that an object's entity lacks and other mistakes in the predicate.
    public func filter(_ predicate: ObjectPredicate) throws -> [Element] {
        var found: [Element] = []
        var known: (entityIndex: Int, compiled: CompiledPredicate)?
        for object in self {
            let entity = object.binding.entity
            if known?.entityIndex != entity.index {
                known = (entity.index, try object.context.compiled(predicate, entity))
            }
            if known!.compiled.matches(ObjectSubject(object: object)) { found.append(object) }
        }
        return found
    }
}
