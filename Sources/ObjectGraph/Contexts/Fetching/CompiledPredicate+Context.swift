// Evaluating predicates on objects, without a fetch.

extension CompiledPredicate {
    /// Compiles the predicate for objects of the entity, and runs the fetches within it now.
    convenience init(
        _ predicate: ObjectPredicate, _ entity: Entity, in context: ManagedObjectContext
    ) throws {
        let predicate = try predicate.replacingFetches { request, countOnly in
            try request.result(in: context, countOnly: countOnly)
        }
        try self.init(predicate, entity: entity, model: context.model)
    }
}

extension FetchRequest {
    fileprivate func result(
        in context: ManagedObjectContext, countOnly: Bool
    ) throws -> ObjectExpression {
        if countOnly { return .constant(.integer(Int64(try context.count(for: self)))) }
        guard let name = propertiesToFetch.first?.name else {
            return .aggregate(
                try context.fetchObjectIDs(self).map { .constant(.objectID($0)) })
        }
        return .aggregate(
            try context.fetchDictionaries(self).compactMap { $0[name].map { .constant($0) } })
    }
}

extension ManagedObject {
    /// Whether the predicate holds for the object, unsaved changes included.
    ///
    /// Queue: the context's. Cost: compiles the predicate, and fires faults on its key paths;
    /// `filter` compiles it once for many objects.
    /// - Throws: `FetchError` for keys that the entity lacks and other mistakes in the predicate.
    public final func satisfies(_ predicate: ObjectPredicate) throws -> Bool {
        try compiled(predicate).matches(ObjectSubject(object: self))
    }

    /// Compiles the predicate for the object's entity. A detached object cannot run fetches within
    /// it.
    fileprivate final func compiled(_ predicate: ObjectPredicate) throws -> CompiledPredicate {
        if let context = managedObjectContext {
            return try CompiledPredicate(predicate, binding.entity, in: context)
        }
        let id = objectID
        return try CompiledPredicate(
            predicate.replacingFetches { _, _ in throw FetchError.noSuchObject(id) },
            entity: binding.entity, model: binding.model)
    }
}

extension Sequence where Element: ManagedObject {
    /// The objects for which the predicate holds, in their order; unsaved changes included.
    ///
    /// Queue: that of the objects' context. Cost: no statement, except for faults on the
    /// predicate's key paths.
    /// - Throws: `FetchError` for keys that an object's entity lacks and other mistakes in the
    ///   predicate.
    @inlinable
    public func filter(_ predicate: ObjectPredicate) throws -> [Element] {
        var filter = ObjectFilter(predicate)
        var found: [Element] = []
        for object in self where try filter.includes(object) { found.append(object) }
        return found
    }
}

/// Evaluates a predicate on one object after the other, compiled for the entity of the last one.
@usableFromInline
struct ObjectFilter {
    private let predicate: ObjectPredicate
    private var entity: Entity?
    private var compiled: CompiledPredicate?

    @usableFromInline
    init(_ predicate: ObjectPredicate) { self.predicate = predicate }

    @usableFromInline
    mutating func includes(_ object: ManagedObject) throws -> Bool {
        if object.binding.entity !== entity { try compile(for: object) }
        return compiled.unsafelyUnwrapped.matches(ObjectSubject(object: object))
    }

    @inline(never)
    private mutating func compile(for object: ManagedObject) throws {
        compiled = try object.compiled(predicate)
        entity = object.binding.entity
    }
}
