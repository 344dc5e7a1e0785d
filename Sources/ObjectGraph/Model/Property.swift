import Synchronization

/// A property of an entity with everything resolved: its place in rows, its other end.
///
/// A class, so that conditions and operands can refer to it without a copy.
package final class Property: Sendable {
    package enum Kind: Sendable, Hashable {
        case attribute(AttributeType)
        case toOne
        case toMany
    }

    package let name: String
    let kind: Kind

    /// The position in `Entity.properties`. It is the same in the declaring entity and all its
    /// descendants.
    package let index: Int

    /// Unique in the process. It lets a typed accessor recognise a property that it has looked up
    /// before.
    let identifier: UInt32

    /// The entity that declares the property.
    package let declaringEntityIndex: Int
    let isOptional: Bool
    package let isTransient: Bool
    let defaultValue: AttributeValue?

    /// The slot of the value, or of the primary key of a to-one destination; nil for to-many.
    package let slot: Int?

    /// The slot of the destination's entity number, if the destination of a to-one relationship has
    /// descendants.
    package let entitySlot: Int?

    /// The expression of a derived attribute; nil for other properties.
    let derivation: Derivation?

    /// The parts of a composite attribute; empty for other properties.
    let elements: [Element]

    /// A part of a composite attribute. Its property is one of the entity's too, and has the key
    /// path as its name.
    struct Element: Sendable {
        let name: String
        let property: Property

        /// Whether it must have a value if the composite attribute has one. False for a column that
        /// must have a value in any case.
        let isRequired: Bool
    }

    /// Whether a value of a composite attribute can lack an element that it must have.
    let requiresElements: Bool

    /// The elements of a composite attribute that have columns, at any depth; empty for other
    /// properties.
    let leaves: PropertyMask

    /// Whether the property is an element of a composite attribute.
    let isElement: Bool

    /// The transformer and conditions of an attribute, if it has any.
    let rules: AttributeRules?

    /// The other end; nil for attributes.
    package let relationship: Relationship?

    init(
        name: String, kind: Kind, index: Int, identifier: UInt32, declaringEntityIndex: Int,
        isOptional: Bool, isTransient: Bool, defaultValue: AttributeValue?, slot: Int?,
        entitySlot: Int?, derivation: Derivation? = nil, elements: [Element] = [],
        rules: AttributeRules?,
        relationship: Relationship?
    ) {
        self.name = name
        self.kind = kind
        self.index = index
        self.identifier = identifier
        self.declaringEntityIndex = declaringEntityIndex
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.defaultValue = defaultValue
        self.slot = slot
        self.entitySlot = entitySlot
        self.derivation = derivation
        self.elements = elements
        leaves = elements.reduce(into: PropertyMask()) { leaves, element in
            if element.property.isComposite {
                leaves.formUnion(element.property.leaves)
            } else {
                leaves.insert(element.property.index)
            }
        }
        requiresElements = elements.contains { $0.isRequired || $0.property.requiresElements }
        isElement = name.utf8.contains(UInt8(ascii: "."))
        self.rules = rules
        self.relationship = relationship
    }

    package var attributeType: AttributeType? {
        if case .attribute(let type) = kind { type } else { nil }
    }

    var isComposite: Bool { kind == .attribute(.composite) }

    /// Whether a row has the value as it is: neither composite nor transformable, and never in a file.
    var hasPlainValue: Bool {
        guard let attributeType, slot != nil, !isElement else { return false }
        return ![.composite, .transformable, .binaryData].contains(attributeType)
    }

    /// Whether the property stores a place in an ordered relationship.
    package var isPlace: Bool { name.first == "(" }

    /// Whether the model does not show the property among those of the entity.
    var isHidden: Bool { isElement || isPlace }

    private static let lastIdentifier = Atomic<UInt32>(0)

    static func newIdentifier() -> UInt32 {
        lastIdentifier.add(1, ordering: .relaxed).newValue
    }
}

/// The destination of a relationship and its storage.
package struct Relationship: Sendable {
    package let destinationIndex: Int

    /// The property index of the inverse in the destination; nil without an inverse.
    package let inverseIndex: Int?

    /// The entity that an owner of destinations must be a kind of, if the inverse leads to a
    /// descendant of the one that declares the relationship; nil if every owner can have some.
    let ownerIndex: Int?
    let deleteRule: DeleteRule
    let minCount: Int
    let maxCount: Int
    package let isOrdered: Bool

    /// For an ordered relationship whose inverse is to-one: the property index, in the destination,
    /// of the hidden attribute for a member's place.
    package let placeIndex: Int?
    package let storage: RelationshipStorage

    /// Whether a join table holds the pairs of the relationship.
    package var isInJoinTable: Bool {
        if case .joinTable = storage { true } else { false }
    }
}

/// How a relationship is stored (spec §8.3, §8.4).
package enum RelationshipStorage: Sendable, Hashable {
    /// In a column of the owner's row.
    case foreignKey
    /// In the foreign key of the destination, whose property has this index.
    case inverseForeignKey(propertyIndex: Int)
    /// In pairs of primary keys.
    case joinTable(JoinEnd)
}

/// One end of a relationship whose pairs are in a join table.
package struct JoinEnd: Sendable, Hashable {
    /// Unique in the model. The ends of one relationship have an even number and the next one.
    package let index: Int

    /// Whether this end names the table, creates it and writes its pairs.
    package var isOwner: Bool { index.isMultiple(of: 2) }
}
