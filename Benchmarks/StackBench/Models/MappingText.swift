import ObjectGraph
import Reports

/// What becomes of the rows of a store when it is opened with a later model, as text: a section for
/// each entity that changes.
struct MappingText: CustomStringConvertible {
    let mapping: MappingModel

    var description: String {
        let copied = mapping.entityMappings.filter { $0.kind == .copy }.compactMap(\.destination)
        let rest = mapping.entityMappings.filter { $0.kind != .copy }.map(text)
        let same = copied.isEmpty ? [] : ["As before: \(copied.joined(separator: ", "))"]
        return (rest + same).joined(separator: "\n\n")
    }

    private func text(_ entity: EntityMapping) -> String {
        guard let destination = entity.destination else {
            return "\(entity.source ?? ""): removed, with its rows"
        }
        guard let source = entity.source else { return "\(destination): new" }
        let title = source == destination ? destination : "\(destination), was \(source)"
        let rows = entity.propertyMappings.compactMap { property -> [String]? in
            guard let former = property.source else { return [property.name, "new"] }
            return former == property.name ? nil : [property.name, "was \(former)"]
        }
        let lost = entity.removedProperties.map { [$0, "removed, with its values"] }
        guard !rows.isEmpty || !lost.isEmpty else {
            return "\(title): the same properties, of another form"
        }
        let lines = AlignedLines(rows + lost).description.split(separator: "\n").map { "  \($0)" }
        return ([title] + lines).joined(separator: "\n")
    }
}
