/// A request for the objects of a class, `Book.fetchRequest()`, with the properties of a
/// `FetchRequest`.
///
/// Its entity is the one that has the class in the model of the context that runs the request.
///
///     var request = Book.fetchRequest()
///     request.predicate = try ObjectPredicate("year < %@", 1980)
///     let titles = try context.fetch(request).map(\.title)
@dynamicMemberLookup
public struct TypedFetchRequest<Object: ManagedObject>: Sendable {
    private var untyped: FetchRequest

    public init(predicate: ObjectPredicate? = nil, sortKeys: [SortKey] = []) {
        // The name is found when the request runs.
        untyped = FetchRequest(entityName: "", predicate: predicate, sortKeys: sortKeys)
    }

    /// The name of the class. It cannot be set: the entity is the one that has the class.
    public var entityName: String { "\(Object.self)" }

    public subscript<Value>(
        dynamicMember property: WritableKeyPath<FetchRequest, Value>
    ) -> Value {
        get { untyped[keyPath: property] }
        set { untyped[keyPath: property] = newValue }
    }

    /// The request with the name of the entity.
    ///
    /// - Throws: `FetchError.unknownEntity` unless exactly one entity of the model has the class.
    public func request(in model: ManagedObjectModel) throws(FetchError) -> FetchRequest {
        var request = untyped
        request.entityName = try model.entity(ofClass: Object.self).name
        return request
    }
}

extension ManagedObjectModel {
    /// The only entity that has the class.
    ///
    /// - Throws: `FetchError.unknownEntity` if there is none, or several.
    func entity(ofClass type: ManagedObject.Type) throws(FetchError) -> Entity {
        guard let entity = onlyEntity(ofClass: type) else { throw .unknownEntity("\(type)") }
        return entity
    }
}

extension ManagedObjectType {
    /// A request for all objects of the class; set its properties to narrow it down.
    public static func fetchRequest() -> TypedFetchRequest<Self> { TypedFetchRequest() }
}

extension ManagedObjectContext {
    /// The objects that match, in the order asked for; see `fetch(_:as:)`.
    ///
    /// - Throws: as `fetch(_:as:)`; `FetchError.unknownEntity` unless exactly one entity has the
    ///   class.
    public func fetch<Object: ManagedObject>(
        _ request: TypedFetchRequest<Object>
    ) throws -> FetchedObjects<Object> {
        try fetch(request.request(in: model), as: Object.self)
    }

    /// How many objects match; see `count(for:)` of a `FetchRequest`.
    ///
    /// - Throws: as `fetch(_:)`.
    public func count<Object: ManagedObject>(
        for request: TypedFetchRequest<Object>
    ) throws -> Int {
        try count(for: request.request(in: model))
    }
}
