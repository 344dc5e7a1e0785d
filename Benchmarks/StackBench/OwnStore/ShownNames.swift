import ObjectGraph

/// The names of entities and properties as reports show them: their own, or Entity1 and property2.
struct ShownNames: Sendable {
    private var shown: [String: String] = [:]
    private var real: [String: String] = [:]

    init(_ model: ManagedObjectModel, isRedacted: Bool) {
        guard isRedacted else { return }
        let entities = model.entitiesByName
        let properties = Set(
            entities.values.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) })
        // An entity and a property may share a name, so properties are kept with a dot.
        for (number, name) in entities.keys.sorted().enumerated() {
            add(name, shownAs: "Entity\(number + 1)")
        }
        for (number, name) in properties.sorted().enumerated() {
            add(".\(name)", shownAs: ".property\(number + 1)")
        }
    }

    private mutating func add(_ name: String, shownAs other: String) {
        shown[name] = other
        real[other] = name
    }

    func entity(_ name: String) -> String { shown[name] ?? name }

    func path(_ path: PropertyPath) -> String {
        entity(path.entity) + (shown[".\(path.property)"] ?? ".\(path.property)")
    }

    /// The entity that is shown under a name.
    func entity(shownAs name: String) -> String { real[name] ?? name }

    /// The property that is shown as "Message.sender".
    func path(shownAs text: String) -> PropertyPath {
        let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
        let property = real[".\(parts[1])"].map { String($0.dropFirst()) } ?? parts[1]
        return PropertyPath(entity: entity(shownAs: parts[0]), property: property)
    }
}

/// A property of an entity.
struct PropertyPath: Hashable, Sendable {
    var entity: String
    var property: String
}
