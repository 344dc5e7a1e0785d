/// Builds entities from their descriptions, in steps: sort by inheritance, check the descriptions,
/// number the ends of join tables, lay out rows.
struct ModelAssembly {
    typealias Declaration = (entity: Int, description: RelationshipDescription)

    /// The entities in the order of their numbers, with the indexes of superentity and root.
    private(set) var ordered: [(description: EntityDescription, superentity: Int?, root: Int)] = []
    private(set) var lastDescendants: [Int] = []
    private(set) var indexes: [String: Int] = [:]

    /// The path from the root to each entity, including the entity.
    private(set) var ancestries: [[Int]] = []

    /// The ends of the relationships that have join tables.
    private(set) var joinEnds: [Declared: JoinEnd] = [:]

    /// A property of the entity that declares it.
    struct Declared: Hashable {
        let entity: Int
        let name: String
    }

    /// The rules of the attributes that each entity declares and of their elements, in order. The
    /// check compiles them, and descendants share them.
    var rules: [[AttributeRules?]] = []

    /// Rows in memory have 16 bits for the number of their entity.
    static let maximumEntityCount = Int(UInt16.max)

    /// The entities are ordered by recursion, and every entity lists its ancestors.
    static let maximumDepth = 100

    init(_ descriptions: [EntityDescription]) throws(ModelError) {
        if descriptions.count > Self.maximumEntityCount {
            throw ModelError(
                descriptions[Self.maximumEntityCount].name, nil,
                .tooManyEntities(descriptions.count))
        }
        try order(descriptions)
        completeInverses()
        try check()
        numberJoinEnds()
    }

    // Roots in name order, each followed by its descendants depth first in name order (spec §8.2).
    // Case counts only between names that differ in nothing else.
    private mutating func order(_ descriptions: [EntityDescription]) throws(ModelError) {
        var children: [String: [EntityDescription]] = [:]
        var names: Set<String> = []
        for description in descriptions {
            guard Self.isName(description.name) else {
                throw ModelError(description.name, nil, .invalidName)
            }
            guard !Self.isOfEngine(description.name) else {
                throw ModelError(description.name, nil, .reservedName)
            }
            guard names.insert(description.name).inserted else {
                throw ModelError(description.name, nil, .duplicateEntity)
            }
            children[description.superentity ?? "", default: []].append(description)
        }
        for description in descriptions {
            if let superentity = description.superentity, !names.contains(superentity) {
                throw ModelError(description.name, nil, .unknownSuperentity(superentity))
            }
        }
        for root in (children[""] ?? []).sorted(by: Self.isBefore) {
            try append(root, superentity: nil, root: ordered.count, children: children)
        }
        if let lost = descriptions.first(where: { indexes[$0.name] == nil }) {
            throw ModelError(lost.name, nil, .circularInheritance)
        }
    }

    private static func isBefore(_ left: EntityDescription, _ right: EntityDescription) -> Bool {
        (left.name.lowercased(), left.name) < (right.name.lowercased(), right.name)
    }

    private mutating func append(
        _ description: EntityDescription, superentity: Int?, root: Int,
        children: [String: [EntityDescription]]
    ) throws(ModelError) {
        let index = ordered.count
        ordered.append((description, superentity, root))
        lastDescendants.append(index)
        indexes[description.name] = index
        ancestries.append((superentity.map { ancestries[$0] } ?? []) + [index])
        guard ancestries[index].count <= Self.maximumDepth else {
            throw ModelError(description.name, nil, .tooManyAncestors(limit: Self.maximumDepth))
        }
        for child in (children[description.name] ?? []).sorted(by: Self.isBefore) {
            try append(child, superentity: index, root: root, children: children)
        }
        lastDescendants[index] = ordered.count - 1
    }

    /// Names the inverses that only the other end names.
    private mutating func completeInverses() {
        for (index, entity) in ordered.enumerated() {
            for relationship in entity.description.relationships {
                guard let other = inverse(of: relationship), other.description.inverse == nil,
                    leads(other.description, to: index),
                    let position = ordered[other.entity].description.relationships
                        .firstIndex(of: other.description)
                else { continue }
                ordered[other.entity].description.relationships[position].inverse =
                    relationship.name
            }
        }
    }

    /// The end with the smaller entity number owns the join table. If both ends are in one entity,
    /// the ordered one does, otherwise the later one in name order.
    private mutating func numberJoinEnds() {
        var count = 0
        for entity in ordered.indices {
            for relationship in ordered[entity].description.relationships
            where relationship.isToMany {
                let inverse = inverse(of: relationship)
                let key = Declared(entity: entity, name: relationship.name)
                guard joinEnds[key] == nil, inverse?.description.isToMany ?? true else { continue }
                let other = inverse.map { Declared(entity: $0.entity, name: $0.description.name) }
                var ends = [key] + [other].compactMap(\.self).filter { $0 != key }
                if let inverse, ends.count == 2, Self.isOwner(inverse, (entity, relationship)) {
                    ends.reverse()
                }
                for (position, end) in ends.enumerated() {
                    joinEnds[end] = JoinEnd(index: count + position)
                }
                count += 2
            }
        }
    }

    private static func isOwner(_ end: Declaration, _ other: Declaration) -> Bool {
        if end.entity != other.entity { return end.entity < other.entity }
        if end.description.isOrdered != other.description.isOrdered {
            return end.description.isOrdered
        }
        return end.description.name.uppercased() > other.description.name.uppercased()
    }

    // MARK: - Looking up

    /// The relationship with that name that the entity declares or inherits, and the entity that
    /// declares it.
    func declaration(of name: String, in entity: Int) -> Declaration? {
        for ancestor in ancestries[entity] {
            if let found = ordered[ancestor].description.relationships.first(where: {
                $0.name == name
            }) {
                return (ancestor, found)
            }
        }
        return nil
    }

    /// The other end of a relationship; nil without an inverse.
    func inverse(of relationship: RelationshipDescription) -> Declaration? {
        relationship.inverse.flatMap { name in
            indexes[relationship.destination].flatMap { declaration(of: name, in: $0) }
        }
    }

    /// Whether a relationship can lead back to an entity that declares its inverse: to the entity
    /// itself, to an ancestor, or to a descendant alone.
    func leads(_ relationship: RelationshipDescription, to entity: Int) -> Bool {
        guard let destination = indexes[relationship.destination] else { return false }
        return ancestries[entity].contains(destination)
            || ancestries[destination].contains(entity)
    }

    /// Whether the inverse of a to-one relationship is ordered, so that each row stores its place
    /// in that order.
    func hasPlaceInOrder(_ relationship: RelationshipDescription) -> Bool {
        !relationship.isToMany && inverse(of: relationship)?.description.isOrdered == true
    }

    /// Whether a reference to the entity must also name the concrete entity.
    func hasDescendants(_ name: String) -> Bool {
        indexes[name].map { lastDescendants[$0] > $0 } ?? false
    }
}
