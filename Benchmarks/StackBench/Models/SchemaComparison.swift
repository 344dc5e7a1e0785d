import ObjectGraph
import Reports

/// What differs between the model of a store and another one.
struct SchemaComparison {
    struct Difference: Hashable {
        let entity: String
        /// Nil for the entity itself.
        let property: String?
        /// What differs, such as `type` or `rule`.
        let aspect: String
        /// Empty for what is missing or usual.
        let inStore: String
        let inModel: String
    }

    /// Sorted by entities; properties in the order of the model, then those of the store alone.
    private(set) var differences: [Difference] = []

    /// The entities whose rows have another form, so that a store must be migrated.
    let migrated: [String]

    init(store: ManagedObjectModel, model: ManagedObjectModel) {
        let (old, new) = (store.entityVersionHashesByName, model.entityVersionHashesByName)
        migrated = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
        let pairs = Pairs(
            store.entitiesByName.values.map { ($0.name, nil, $0) },
            model.entitiesByName.values.map { ($0.name, $0.renamingIdentifier, $0) })
        for pair in pairs.sorted {
            let name = pair.name
            add(name, nil, "entity", pair.old.map(\.name), pair.new.map(\.name))
            guard let first = pair.old, let second = pair.new else { continue }
            add(name, nil, first.aspects, second.aspects)
            let properties = Pairs(
                first.properties.map { ($0.name, nil, $0) },
                second.properties.map { ($0.name, $0.renamingIdentifier, $0) })
            for pair in properties.all {
                add(name, pair.name, "property", pair.old.map(\.name), pair.new.map(\.name))
                guard let first = pair.old, let second = pair.new else { continue }
                add(name, pair.name, first.aspects, second.aspects)
            }
        }
    }

    private mutating func add(
        _ entity: String, _ property: String?, _ first: [ModelAspect], _ second: [ModelAspect]
    ) {
        var texts: [String: (inStore: String, inModel: String)] = [:]
        for aspect in first { texts[aspect.name, default: ("", "")].inStore = aspect.text }
        for aspect in second { texts[aspect.name, default: ("", "")].inModel = aspect.text }
        var names = second.map(\.name)
        names += first.map(\.name).filter { !names.contains($0) }
        for name in names {
            add(entity, property, name, texts[name]?.inStore, texts[name]?.inModel)
        }
    }

    private mutating func add(
        _ entity: String, _ property: String?, _ aspect: String, _ first: String?, _ second: String?
    ) {
        guard first != second else { return }
        differences.append(
            Difference(
                entity: entity, property: property, aspect: aspect, inStore: first ?? "",
                inModel: second ?? ""))
    }
}

/// The parts of two models that correspond: by name, or by the old name of one that is new.
private struct Pairs<Part> {
    /// In the order of the new parts, then the old parts that are gone.
    private(set) var all: [(name: String, old: Part?, new: Part?)] = []

    init(
        _ old: [(name: String, former: String?, part: Part)],
        _ new: [(name: String, former: String?, part: Part)]
    ) {
        let parts = Dictionary(old.map { ($0.name, $0.part) }) { first, _ in first }
        let kept = Set(new.map(\.name))
        var found: Set<String> = []
        for (name, former, part) in new {
            let formerName = former.flatMap { kept.contains($0) ? nil : $0 }
            let oldName = parts[name] == nil ? formerName ?? name : name
            found.insert(oldName)
            all.append((name, parts[oldName], part))
        }
        all += old.filter { !found.contains($0.name) }.map { ($0.name, $0.part, nil) }
    }

    var sorted: [(name: String, old: Part?, new: Part?)] { all.sorted { $0.name < $1.name } }
}

extension SchemaComparison {
    /// What to do, in a sentence.
    var verdict: String {
        guard !differences.isEmpty else { return "The store has the model: nothing differs." }
        let count = differences.count == 1 ? "1 difference" : "\(differences.count) differences"
        guard !migrated.isEmpty else {
            return "\(count). The store opens with the model, since no row has another form."
        }
        let names = migrated.map(escaped).joined(separator: ", ")
        return "\(count). The store needs a migration to open with the model: \(names)."
    }

    var table: ReportTable {
        var table = ReportTable([
            ("part", .left), ("what", .left), ("store", .left), ("model", .left),
        ])
        for difference in differences {
            let part = [difference.entity, difference.property].compactMap(\.self)
            let sides = [difference.inStore, difference.inModel]
                .map { $0.isEmpty ? "–" : escaped($0) }
            table.append([escaped(part.joined(separator: ".")), difference.aspect] + sides)
        }
        return table
    }
}
