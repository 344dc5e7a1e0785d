import Foundation
import ObjectGraph
import Reports

/// A model as text: a table of its entities, then one for each entity.
struct ModelText: CustomStringConvertible {
    let model: ManagedObjectModel

    /// Nil for a model file.
    let sizes: StoreSizes?

    var description: String {
        let entities = model.entitiesByName.values.sorted { $0.name < $1.name }
        return
            ([head, table(of: entities)] + entities.map(text(of:)) + [templates, configurations])
            .filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private var head: String {
        var parts = ["\(model.entitiesByName.count) entities"]
        let identifiers = model.versionIdentifiers.filter { !$0.isEmpty }.sorted()
        if !identifiers.isEmpty { parts.append("version \(identifiers.joined(separator: ", "))") }
        if let sizes {
            parts.append("\(sizes.rowCounts.values.reduce(0, +)) rows")
            parts.append(sizes.byteCount.formatted(.byteCount(style: .memory)))
        }
        return parts.joined(separator: ", ")
    }

    private func table(of entities: [EntityDescription]) -> String {
        var table = ReportTable(
            [("entity", .left), ("parent", .left), ("class", .left)]
                + [("attributes", .right), ("relationships", .right)]
                + (sizes == nil ? [] : [("rows", .right)]))
        for entity in entities {
            let rows = sizes.map { sizes in
                [entity.isAbstract ? "abstract" : "\(sizes.rowCounts[entity.name] ?? 0)"]
            }
            table.append(
                [
                    escaped(entity.name), escaped(entity.superentity ?? ""),
                    escaped(entity.managedObjectClassName ?? ""), "\(entity.attributes.count)",
                    "\(entity.relationships.count)",
                ] + (rows ?? []))
        }
        return table.terminalText()
    }

    private func text(of entity: EntityDescription) -> String {
        var rows = entity.properties.map { property in
            let former = property.renamingIdentifier.map { "was \($0)" }
            let phrases = property.aspects.dropFirst().map(\.phrase) + [former]
            return [
                property.name, property.aspects[0].text,
                phrases.compactMap(\.self).joined(separator: ", "),
            ]
        }
        for aspect in entity.aspects where aspect.isList && !aspect.text.isEmpty {
            rows.append(["(\(aspect.name))", aspect.text])
        }
        var title = entity.name
        if let parent = entity.superentity { title += ": \(parent)" }
        if entity.isAbstract { title += ", abstract" }
        if let former = entity.renamingIdentifier { title += ", was \(former)" }
        return section(title, rows)
    }

    /// A title with aligned lines below it.
    private func section(_ title: String, _ rows: [[String]]) -> String {
        let lines = AlignedLines(rows).description.split(separator: "\n").map { "  \($0)" }
        return ([title] + lines).joined(separator: "\n")
    }

    private var templates: String {
        let requests = model.fetchRequestTemplatesByName.sorted { $0.key < $1.key }
        guard !requests.isEmpty else { return "" }
        return section(
            "Request templates",
            requests.map { name, request in
                [name, request.entityName, request.predicate?.predicateFormat ?? ""]
            })
    }

    private var configurations: String {
        guard !model.configurations.isEmpty else { return "" }
        return section(
            "Configurations",
            model.configurations.sorted { $0.key < $1.key }.map { name, members in
                [name, members.sorted().joined(separator: ", ")]
            })
    }
}

extension ModelAspect {
    /// Whether an entity's aspect has a line of its own.
    fileprivate var isList: Bool { name == "unique" || name.hasPrefix("index ") }

    /// The aspect within a list of others; nil for what is usual.
    fileprivate var phrase: String? {
        switch name {
        case _ where text.isEmpty || (name == "delete rule" && text == "nullify"): nil
        case "default", "inverse", "transformer", "hash modifier", "count": "\(name) \(text)"
        case "delete rule": "\(text) on delete"
        default: text
        }
    }
}
