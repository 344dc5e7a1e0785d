/// A managed object in JSON, or in what another encoder writes (spec §2.14).
///
///     decoder.userInfo[.managedObjectContext] = context
///     let book = try decoder.decode(Managed<Book>.self, from: data).object
///
/// Decoding finds the object by its unique values, or makes one; the model says which keys it has.
/// A failure throws a `DecodingError` with the coding path and leaves the context as it was.
/// If a JSON object has a key twice, `JSONDecoder` uses the first value and reports nothing;
/// `JSONDecoder.requireUniqueKeys(in:)` refuses such a text.
/// Queue: the context's. Cost: a fetch for each uniqueness constraint that the data have values
/// for.
public struct Managed<Object: ManagedObject> {
    public var object: Object

    public init(_ object: Object) { self.object = object }
}

/// A list of managed objects in JSON, or in what another encoder writes (spec §2.14).
///
///     decoder.userInfo[.managedObjectContext] = context
///     let books = try decoder.decode(ManagedList<Book>.self, from: data).objects
///
/// A list is found, made and refused as a whole, as `Managed` is: one fetch for each constraint,
/// however many objects there are.
public struct ManagedList<Object: ManagedObject> {
    public var objects: [Object]

    public init(_ objects: [Object]) { self.objects = objects }
}

extension CodingUserInfoKey {
    /// The context that decoded objects belong to, a `ManagedObjectContext`.
    public static let managedObjectContext = Self(rawValue: "ObjectGraph.managedObjectContext")!

    /// The name of the entity of objects whose class is not that of one entity, a `String`.
    public static let managedEntityName = Self(rawValue: "ObjectGraph.managedEntityName")!

    /// Whether decoding throws for keys that no property has, a `Bool`. If not, it ignores them.
    public static let refusesUnknownKeys = Self(rawValue: "ObjectGraph.refusesUnknownKeys")!

    /// How many relationships away from an encoded object others are encoded with all their values,
    /// an `Int` of 0...100; 1 unless set.
    public static let relationshipDepth = Self(rawValue: "ObjectGraph.relationshipDepth")!
}

extension Managed: Decodable {
    public init(from decoder: any Decoder) throws {
        object = try DecodedGraph<Object>(decoder).object(from: decoder)
    }
}

extension ManagedList: Decodable {
    public init(from decoder: any Decoder) throws {
        objects = try DecodedGraph<Object>(decoder).objects(from: decoder)
    }
}

extension Managed: Encodable {
    public func encode(to encoder: any Encoder) throws {
        try EncodedObject(object, as: Object.self, in: encoder).encode(to: encoder)
    }
}

extension ManagedList: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for object in objects {
            try container.encode(EncodedObject(object, as: Object.self, in: encoder))
        }
    }
}
