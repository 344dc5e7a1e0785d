import ObjectGraph

/// Which entity and property of the newest model was which of a snapshot's: by names and renaming
/// identifiers, from each version to the one before (spec §9.2).
struct VersionLineage: Sendable {
    /// The newest model first, that of the snapshot last.
    let models: [ManagedObjectModel]

    /// The entity of the snapshot; nil if it was added since.
    func source(ofEntity name: String) -> String? {
        var name: String? = name
        for (model, older) in zip(models, models.dropFirst()) {
            name = name.flatMap { Self.entity($0, model, in: older) }
        }
        return name
    }

    /// The property of the snapshot's entity, as a key path; nil if it was added since.
    func source(ofProperty path: String, in entity: String) -> String? {
        var place: (path: String, entity: String)? = (path, entity)
        for (model, older) in zip(models, models.dropFirst()) {
            place = place.flatMap { place in
                guard let former = Self.entity(place.entity, model, in: older),
                    let names = model.entitiesByName[place.entity]?.partNames,
                    let formerNames = older.entitiesByName[former]?.partNames
                else { return nil }
                return Self.path(place.path, names, in: formerNames).map { ($0, former) }
            }
        }
        return place?.path
    }

    private static func entity(
        _ name: String, _ model: ManagedObjectModel, in older: ManagedObjectModel
    ) -> String? {
        func names(_ model: ManagedObjectModel) -> [PartName] {
            model.entitiesByName.values.sorted { $0.name < $1.name }.map {
                PartName(name: $0.name, identifier: $0.renamingIdentifier, parts: [])
            }
        }
        return match(name, among: names(model), in: names(older))?.name
    }

    private static func path(
        _ path: String, _ names: [PartName], in older: [PartName]
    ) -> String? {
        let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
        guard let part = names.first(where: { $0.name == parts[0] }),
            let former = match(part.name, among: names, in: older)
        else { return nil }
        guard parts.count > 1 else { return former.name }
        return self.path(parts[1], part.parts, in: former.parts).map { "\(former.name).\($0)" }
    }

    /// The part of the older model. A part is taken once, and by the better reason.
    private static func match(
        _ name: String, among parts: [PartName], in older: [PartName]
    ) -> PartName? {
        var free = older
        let rules: [(PartName, PartName) -> Bool] = [
            { $0.name == $1.name && $0.key == $1.key }, { $0.key == $1.key },
            { $0.identifier == $1.name }, { $0.name == $1.name },
        ]
        var waiting = parts
        for rule in rules {
            for part in waiting {
                guard let place = free.firstIndex(where: { rule(part, $0) }) else { continue }
                let found = free.remove(at: place)
                if part.name == name { return found }
                waiting.removeAll { $0.name == part.name }
            }
        }
        return nil
    }
}

/// The names of an entity or a property, and of the elements of a composite attribute.
struct PartName {
    let name: String
    let identifier: String?
    let parts: [PartName]
    var key: String { identifier ?? name }
}

extension EntityDescription {
    fileprivate var partNames: [PartName] {
        attributesByName.values.sorted { $0.name < $1.name }.map(\.partName)
            + relationshipsByName.values.sorted { $0.name < $1.name }.map {
                PartName(name: $0.name, identifier: $0.renamingIdentifier, parts: [])
            }
    }
}

extension AttributeDescription {
    fileprivate var partName: PartName {
        PartName(name: name, identifier: renamingIdentifier, parts: elements.map(\.partName))
    }
}
