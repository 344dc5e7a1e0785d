import TestSupport

@testable import ObjectGraph

/// A random model whose entities and properties have identities that outlast their names.
struct EvolvingModel {
    struct Attribute {
        let id: Int
        var name: String
        let type: AttributeType
        var defaultValue: AttributeValue?
        var isOptional: Bool
        var formerName: String?
    }

    struct End {
        let id: Int
        var name: String
        let entity: Int
        let destination: Int
        let inverse: Int
        var isToMany: Bool
        var isOrdered: Bool
        var formerName: String?
    }

    struct Entity {
        let id: Int
        var name: String
        var parent: Int?
        var attributes: [Attribute] = []
        var ends: [End] = []
        var formerName: String?
    }

    private(set) var entities: [Entity] = []
    private var lastID = 0

    init(using random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 2...5, using: &random) { addEntity(&random) }
        for _ in 0..<Int.random(in: 1...4, using: &random) { addRelationship(&random) }
    }

    private mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    // MARK: - Parts

    func index(of id: Int) -> Int? { entities.firstIndex { $0.id == id } }
    func entity(_ id: Int) -> Entity? { entities.first { $0.id == id } }

    /// The entity and its ancestors.
    func lineage(of entity: Entity) -> [Entity] {
        [entity] + (entity.parent.flatMap(self.entity).map(lineage) ?? [])
    }

    func attributes(of entity: Entity) -> [Attribute] {
        lineage(of: entity).flatMap(\.attributes)
    }

    func ends(of entity: Entity) -> [End] { lineage(of: entity).flatMap(\.ends) }
    var ends: [End] { entities.flatMap(\.ends) }
    func end(_ id: Int) -> End? { ends.first { $0.id == id } }

    func isLeaf(_ entity: Entity) -> Bool { !entities.contains { $0.parent == entity.id } }

    func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: entities.map { entity in
                EntityDescription(
                    name: entity.name, superentity: entity.parent.flatMap(self.entity)?.name,
                    attributes: entity.attributes.map {
                        AttributeDescription(
                            $0.name, $0.type, isOptional: $0.isOptional,
                            defaultValue: $0.defaultValue, renamingIdentifier: $0.formerName)
                    },
                    relationships: entity.ends.map { end in
                        RelationshipDescription(
                            name: end.name, destination: self.entity(end.destination)!.name,
                            inverse: self.end(end.inverse)!.name, maxCount: end.isToMany ? 0 : 1,
                            isOrdered: end.isOrdered, renamingIdentifier: end.formerName)
                    },
                    renamingIdentifier: entity.formerName)
            })
    }

    // MARK: - Growing

    private mutating func addEntity(_ random: inout SeededGenerator) {
        let parent =
            Int.random(in: 0..<3, using: &random) == 0
            ? entities.randomElement(using: &random)?.id : nil
        let id = newID()
        entities.append(Entity(id: id, name: "Entity\(id)", parent: parent))
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            addAttribute(to: entities.count - 1, &random)
        }
    }

    private mutating func addAttribute(to index: Int, _ random: inout SeededGenerator) {
        let id = newID()
        let values: [(AttributeType, AttributeValue)] = [
            (.string, .string("it's \(id)")), (.integer64, .integer(Int64(id))),
            (.double, .double(Double(id) / 4)), (.boolean, .boolean(true)),
        ]
        let (type, value) = values.randomElement(using: &random)!
        let isOptional = Bool.random(using: &random)
        let hasDefault = !isOptional || Bool.random(using: &random)
        entities[index].attributes.append(
            Attribute(
                id: id, name: "attribute\(id)", type: type,
                defaultValue: hasDefault ? .some(value) : .none,
                isOptional: isOptional))
    }

    private mutating func addRelationship(_ random: inout SeededGenerator) {
        let (first, second) = (newID(), newID())
        let owner = entities.randomElement(using: &random)!.id
        let destination = entities.randomElement(using: &random)!.id
        let isToMany = Bool.random(using: &random)
        func end(
            _ id: Int, _ inverse: Int, _ entity: Int, _ other: Int, _ isToMany: Bool,
            _ isOrdered: Bool
        )
            -> End
        {
            End(
                id: id, name: "end\(id)", entity: entity, destination: other, inverse: inverse,
                isToMany: isToMany, isOrdered: isToMany && isOrdered)
        }
        entities[index(of: owner)!].ends.append(
            end(first, second, owner, destination, isToMany, Bool.random(using: &random)))
        entities[index(of: destination)!].ends.append(
            end(second, first, destination, owner, true, Bool.random(using: &random)))
    }

    // MARK: - Changing

    /// A later version, after some random changes that can be inferred, and their names.
    func changed(using random: inout SeededGenerator) -> (model: Self, changes: [String]) {
        var model = self
        for index in model.entities.indices {
            model.entities[index].formerName = nil
            for place in model.entities[index].attributes.indices {
                model.entities[index].attributes[place].formerName = nil
            }
            for place in model.entities[index].ends.indices {
                model.entities[index].ends[place].formerName = nil
            }
        }
        var changes: [String] = []
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let (name, change) = Self.changes.randomElement(using: &random)!
            var next = model
            if change(&next, &random) {
                model = next
                changes.append(name)
            }
        }
        return (model, changes)
    }

    private typealias Change = @Sendable (inout EvolvingModel, inout SeededGenerator) -> Bool

    // A change returns false if it does not apply.
    private static let changes: [(name: String, change: Change)] = [
        (
            "add entity",
            {
                $0.addEntity(&$1); return true
            }
        ),
        (
            "add attribute",
            {
                $0.addAttribute(to: Int.random(in: 0..<$0.entities.count, using: &$1), &$1)
                return true
            }
        ),
        (
            "add relationship",
            {
                $0.addRelationship(&$1); return true
            }
        ),
        ("rename entity", { $0.renameEntity(&$1) }),
        ("rename attribute", { $0.renameAttribute(&$1) }),
        ("rename relationship", { $0.renameEnd(&$1) }),
        ("remove entity", { $0.removeEntity(&$1) }),
        ("remove attribute", { $0.removeAttribute(&$1) }),
        ("remove relationship", { $0.removeRelationship(&$1) }),
        ("optional or mandatory", { $0.changeOptionality(&$1) }),
        ("to-one or to-many", { $0.changeCount(&$1) }),
        ("ordered or not", { $0.changeOrder(&$1) }),
        ("move attribute up", { $0.moveAttributeUp(&$1) }),
        ("move attribute down", { $0.moveAttributeDown(&$1) }),
        ("new parent", { $0.addParent(&$1) }),
        ("out of the hierarchy", { $0.leaveHierarchy(&$1) }),
    ]

    private mutating func renameEntity(_ random: inout SeededGenerator) -> Bool {
        let index = Int.random(in: 0..<entities.count, using: &random)
        entities[index].formerName = entities[index].formerName ?? entities[index].name
        entities[index].name = "Entity\(newID())"
        return true
    }

    private func randomAttribute(_ random: inout SeededGenerator) -> (entity: Int, place: Int)? {
        entities.indices.flatMap { entity in
            entities[entity].attributes.indices.map { (entity, $0) }
        }.randomElement(using: &random)
    }

    private mutating func renameAttribute(_ random: inout SeededGenerator) -> Bool {
        guard let (entity, place) = randomAttribute(&random) else { return false }
        var attribute = entities[entity].attributes[place]
        attribute.formerName = attribute.formerName ?? attribute.name
        attribute.name = "attribute\(newID())"
        entities[entity].attributes[place] = attribute
        return true
    }

    private func randomEnd(_ random: inout SeededGenerator) -> (entity: Int, place: Int)? {
        entities.indices.flatMap { entity in
            entities[entity].ends.indices.map { (entity, $0) }
        }.randomElement(using: &random)
    }

    private mutating func renameEnd(_ random: inout SeededGenerator) -> Bool {
        guard let (entity, place) = randomEnd(&random) else { return false }
        var end = entities[entity].ends[place]
        end.formerName = end.formerName ?? end.name
        end.name = "end\(newID())"
        entities[entity].ends[place] = end
        return true
    }

    private mutating func removeEntity(_ random: inout SeededGenerator) -> Bool {
        guard entities.count > 2,
            let entity = entities.filter(isLeaf).randomElement(using: &random)
        else { return false }
        for end in ends where end.entity == entity.id || end.destination == entity.id {
            remove(end)
        }
        entities.removeAll { $0.id == entity.id }
        return true
    }

    private mutating func remove(_ end: End) {
        for index in entities.indices {
            entities[index].ends.removeAll { $0.id == end.id || $0.id == end.inverse }
        }
    }

    private mutating func removeAttribute(_ random: inout SeededGenerator) -> Bool {
        guard let (entity, place) = randomAttribute(&random) else { return false }
        entities[entity].attributes.remove(at: place)
        return true
    }

    private mutating func removeRelationship(_ random: inout SeededGenerator) -> Bool {
        guard let end = ends.randomElement(using: &random) else { return false }
        remove(end)
        return true
    }

    private mutating func changeOptionality(_ random: inout SeededGenerator) -> Bool {
        guard let (entity, place) = randomAttribute(&random),
            entities[entity].attributes[place].defaultValue != nil
        else { return false }
        entities[entity].attributes[place].isOptional.toggle()
        return true
    }

    /// One end of a relationship at least stays to-many.
    private mutating func changeCount(_ random: inout SeededGenerator) -> Bool {
        guard let (entity, place) = randomEnd(&random) else { return false }
        let end = entities[entity].ends[place]
        guard self.end(end.inverse)!.isToMany else { return false }
        entities[entity].ends[place].isToMany.toggle()
        if end.isToMany { entities[entity].ends[place].isOrdered = false }
        return true
    }

    private mutating func changeOrder(_ random: inout SeededGenerator) -> Bool {
        guard let (entity, place) = randomEnd(&random), entities[entity].ends[place].isToMany
        else { return false }
        entities[entity].ends[place].isOrdered.toggle()
        return true
    }

    private mutating func moveAttributeUp(_ random: inout SeededGenerator) -> Bool {
        guard let (entity, place) = randomAttribute(&random),
            let parent = entities[entity].parent.flatMap(index)
        else { return false }
        entities[parent].attributes.append(entities[entity].attributes.remove(at: place))
        return true
    }

    private mutating func moveAttributeDown(_ random: inout SeededGenerator) -> Bool {
        guard let (entity, place) = randomAttribute(&random),
            let child = entities.indices.filter({ entities[$0].parent == entities[entity].id })
                .randomElement(using: &random)
        else { return false }
        entities[child].attributes.append(entities[entity].attributes.remove(at: place))
        return true
    }

    private mutating func addParent(_ random: inout SeededGenerator) -> Bool {
        guard
            let index = entities.indices.filter({ entities[$0].parent == nil })
                .randomElement(using: &random)
        else { return false }
        addEntity(&random)
        entities[entities.count - 1].parent = nil
        entities[index].parent = entities[entities.count - 1].id
        return true
    }

    /// What the entity inherited is lost. Relationships of ancestors would not survive it.
    private mutating func leaveHierarchy(_ random: inout SeededGenerator) -> Bool {
        guard
            let index = entities.indices.filter({ entities[$0].parent != nil })
                .randomElement(using: &random),
            lineage(of: entities[index]).dropFirst().allSatisfy(\.ends.isEmpty)
        else { return false }
        entities[index].parent = nil
        return true
    }
}
