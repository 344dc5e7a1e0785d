/// A kind of object in a model: its name, its class and its properties.
///
/// A description is a plain value. `ManagedObjectModel` checks that a set of them is consistent.
public struct EntityDescription: Sendable {
    /// Unique in the model; case-sensitive. A letter or an underscore, followed by letters, digits
    /// and underscores.
    public var name: String

    /// The class of the entity's objects, a subclass of `ManagedObject`; nil means `ManagedObject`
    /// itself.
    public var managedObjectClass: AnyClass?

    /// The name of the class in the model file that the entity was read from, such as
    /// `Library.Book`; nil if the file names none. `managedObjectClass` decides, not this name.
    public var managedObjectClassName: String?

    /// The name of the entity whose properties this one inherits; nil means none.
    public var superentity: String?

    /// Whether only the entity's descendants have objects.
    public var isAbstract: Bool

    /// The attributes that this entity adds to those of its ancestors.
    public var attributes: [AttributeDescription]

    /// The relationships that this entity adds to those of its ancestors.
    public var relationships: [RelationshipDescription]

    /// Fetch requests that every object of the entity can run.
    public var fetchedProperties: [FetchedPropertyDescription]

    /// Lists of attribute names. No two rows may have the same values for all attributes of a list.
    /// The SQLite store checks this when saving; a null never collides (spec §1.6).
    public var uniquenessConstraints: [[String]]

    /// Indexes for fetches. A foreign key always has an index and need not be listed (spec §1.7).
    public var indexes: [FetchIndexDescription]

    /// The entity's name in an earlier model; nil means the same name (spec §1.8,
    /// §9.2).
    public var renamingIdentifier: String?

    /// Any information that the program keeps with the entity.
    public var userInfo: [String: String]

    /// Part of the version hash. Change it when the meaning of the data changes but its shape does
    /// not.
    public var versionHashModifier: String?

    /// The ancestors, the root first. The model sets them in the descriptions that it returns.
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
    /// The attributes by name. A description that comes from a model includes inherited ones, for
    /// example that of an object or of an identifier.
    public var attributesByName: [String: AttributeDescription] {
        Dictionary(lineage.flatMap(\.attributes).map { ($0.name, $0) }) { $1 }
    }

    /// The relationships by name, with inherited ones as in `attributesByName`.
    public var relationshipsByName: [String: RelationshipDescription] {
        Dictionary(lineage.flatMap(\.relationships).map { ($0.name, $0) }) { $1 }
    }

    /// Whether the entity is the other one or its descendant. Needs a description that comes from a
    /// model.
    public func isKind(of other: EntityDescription) -> Bool {
        lineage.contains { $0.name == other.name }
    }

    private var lineage: [EntityDescription] { ancestors + [self] }
}

/// A fetch request that belongs to each object of an entity: one-way, read-only and never saved
/// (spec §1.9).
public struct FetchedPropertyDescription: Sendable {
    /// Unique among the properties of the entity, its ancestors and its descendants.
    public var name: String
    let template: any RequestTemplate

    /// Any information for the request, available as `$FETCHED_PROPERTY.userInfo.key`.
    public var userInfo: [String: String]

    init(_ name: String, template: any RequestTemplate, userInfo: [String: String]) {
        self.name = name
        self.template = template
        self.userInfo = userInfo
    }
}

/// An index for fetches that use the listed properties, in this order.
public struct FetchIndexDescription: Sendable, Hashable {
    /// How an index is built.
    public enum Kind: Int, Sendable, Hashable {
        /// Sorted by the values of the first property, then of the second, and so on.
        case binary = 0
        /// For ranges of several numbers at once. Its properties must be mandatory numbers of up to
        /// 32 bits.
        case rTree = 1
        /// By the words of string attributes, for SEARCH. Every index has a table of SQLite's FTS5,
        /// which triggers keep up to date (spec §7.9).
        case fullText = 2
    }

    /// The differences that an index of strings ignores. It serves comparisons with the same
    /// options.
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

        /// The folding of a string. In SQLite such an index calls a function of this engine, so no
        /// other program can write to the table. In PostgreSQL it is on a column of its own, which
        /// a store has from its making on (spec §11.8.41).
        public var folding: Folding

        public init(_ property: String, isAscending: Bool = true, folding: Folding = .none) {
            self.property = property
            self.isAscending = isAscending
            self.folding = folding
        }
    }

    /// Unique in the entity.
    public var name: String

    /// At least one. The first one decides which fetches can use the index.
    public var elements: [Element]
    public var kind: Kind

    /// The condition on the rows to index, as a predicate format over attributes of the entity; nil
    /// means all rows.
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

    /// An ascending index on the named properties.
    public init(_ name: String, on properties: String...) {
        self.init(name, elements: properties.map { Element($0) })
    }

    /// An index of the words of string attributes. A search names one of them, or the index for all
    /// of them: `body SEARCH 'quick bro*'` (spec §7.9).
    public static func fullText(_ name: String, on attributes: String...) -> Self {
        Self(name, elements: attributes.map { Element($0) }, kind: .fullText)
    }
}
