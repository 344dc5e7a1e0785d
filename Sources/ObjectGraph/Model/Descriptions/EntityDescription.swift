/// A kind of object in a model: its name, its class and its properties.
///
/// A description is a plain value; `ManagedObjectModel` checks a set of them against each other.
public struct EntityDescription: Sendable {
    /// Unique in the model; case-sensitive. Begins with a letter and goes on with letters, digits and underscores.
    public var name: String

    /// The class of the entity's objects, a subclass of `ManagedObject`; nil means `ManagedObject` itself.
    public var managedObjectClass: AnyClass?

    /// The name of the entity whose properties this one inherits; nil means none.
    public var superentity: String?

    /// Whether there are no objects of exactly this entity, only of its descendants.
    public var isAbstract: Bool

    /// The attributes that this entity adds to those of its ancestors.
    public var attributes: [AttributeDescription]

    /// The relationships that this entity adds to those of its ancestors.
    public var relationships: [RelationshipDescription]

    /// Requests that every object of the entity can be asked to run.
    public var fetchedProperties: [FetchedPropertyDescription]

    /// Lists of attribute names whose values, taken together, no two rows may share. Enforced by the SQLite store when
    /// saving; a null never collides (spec §1.6).
    public var uniquenessConstraints: [[String]]

    /// Indexes for fetches. A foreign key always has one and need not be listed (spec §1.7).
    public var indexes: [FetchIndexDescription]

    /// What the entity was called in an earlier model; nil means the same (spec §1.8). Kept for migrations, which there are not
    /// yet.
    public var renamingIdentifier: String?

    /// Anything the program wants to remember about the entity.
    public var userInfo: [String: String]

    /// Mixed into the version hash; change it when the meaning of the data changes but its shape does not.
    public var versionHashModifier: String?

    /// The root of the hierarchy first; set by the model, for descriptions that are taken from it.
    var ancestors: [EntityDescription] = []

    public init(
        name: String, managedObjectClass: AnyClass? = nil, superentity: String? = nil,
        isAbstract: Bool = false, attributes: [AttributeDescription] = [],
        relationships: [RelationshipDescription] = [],
        fetchedProperties: [FetchedPropertyDescription] = [],
        uniquenessConstraints: [[String]] = [], indexes: [FetchIndexDescription] = [],
        renamingIdentifier: String? = nil,
        userInfo: [String: String] = [:], versionHashModifier: String? = nil
    ) {
        self.name = name
        self.managedObjectClass = managedObjectClass
        self.superentity = superentity
        self.isAbstract = isAbstract
        self.attributes = attributes
        self.relationships = relationships
        self.fetchedProperties = fetchedProperties
        self.uniquenessConstraints = uniquenessConstraints
        self.indexes = indexes
        self.renamingIdentifier = renamingIdentifier
        self.userInfo = userInfo
        self.versionHashModifier = versionHashModifier
    }
}

extension EntityDescription {
    /// The attributes by name. Those that are inherited are among them in a description that comes from a model, as that of
    /// an object or of an identifier does.
    public var attributesByName: [String: AttributeDescription] {
        Dictionary(lineage.flatMap(\.attributes).map { ($0.name, $0) }) { $1 }
    }

    /// The relationships by name; inherited ones as in `attributesByName`.
    public var relationshipsByName: [String: RelationshipDescription] {
        Dictionary(lineage.flatMap(\.relationships).map { ($0.name, $0) }) { $1 }
    }

    /// Whether the entity is the other one or descends from it; known of a description that comes from a model.
    public func isKind(of other: EntityDescription) -> Bool {
        lineage.contains { $0.name == other.name }
    }

    private var lineage: [EntityDescription] { ancestors + [self] }
}

/// A fetch request that belongs to each object of an entity: one-way, read-only and never saved (spec §1.9).
public struct FetchedPropertyDescription: Sendable {
    /// Unique among the properties of the entity, its ancestors and its descendants.
    public var name: String
    let template: any RequestTemplate

    /// Anything that the request may refer to, as `$FETCHED_PROPERTY.userInfo.key`.
    public var userInfo: [String: String]

    init(_ name: String, template: any RequestTemplate, userInfo: [String: String]) {
        self.name = name
        self.template = template
        self.userInfo = userInfo
    }
}

/// An index that serves fetches by the listed properties, in their order.
public struct FetchIndexDescription: Sendable, Hashable {
    /// How an index is built.
    public enum Kind: Int, Sendable, Hashable {
        /// In the order of the values, one property after the other.
        case binary = 0
        /// By ranges of several numbers at once. Its properties must be mandatory numbers of up to 32 bits.
        case rTree = 1
    }

    /// What an index of strings leaves out of them, so that it serves comparisons with the same options.
    public enum Folding: Int, Sendable, Hashable {
        case none = 0
        /// For `[c]`.
        case caseInsensitive = 1
        /// For `[d]`.
        case diacriticInsensitive = 2
        /// For `[cd]`.
        case caseAndDiacriticInsensitive = 3
    }

    /// A property of an index and its direction.
    public struct Element: Sendable, Hashable {
        public var property: String
        public var isAscending: Bool

        /// Of a string; an index with a folding calls a function of this engine, so that no other program can write to
        /// the table.
        public var folding: Folding

        public init(_ property: String, isAscending: Bool = true, folding: Folding = .none) {
            self.property = property
            self.isAscending = isAscending
            self.folding = folding
        }
    }

    /// Unique in the entity.
    public var name: String

    /// At least one; the first one decides which fetches the index can serve.
    public var elements: [Element]
    public var kind: Kind

    /// The predicate format of the rows to be indexed, over attributes of the entity; nil means all of them.
    public var partialIndexPredicate: String?

    public init(
        _ name: String, elements: [Element], kind: Kind = .binary,
        partialIndexPredicate: String? = nil
    ) {
        self.name = name
        self.elements = elements
        self.kind = kind
        self.partialIndexPredicate = partialIndexPredicate
    }

    /// An ascending index over the named properties.
    public init(_ name: String, on properties: String...) {
        self.init(name, elements: properties.map { Element($0) })
    }
}
