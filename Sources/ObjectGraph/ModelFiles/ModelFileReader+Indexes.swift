// Indexes and uniqueness constraints of an entity.
extension ModelFileReader {
    /// Reads the fetch indexes, and the two older forms: indexed attributes, and lists of names.
    ///
    /// Core Data makes a second index, named like the attribute, for each fetch index of one
    /// element. It would serve the same fetches, so it is left out here.
    mutating func readIndexes(
        of element: ModelElement, into entity: inout EntityDescription
    ) throws(ModelFileError) {
        let columns = entity.namesWithColumn
        // "self" and "entity" occur in lists of names and mean the columns of key and entity.
        let columnless = Set(element.children.filter(\.isProperty).compactMap { $0["name"] })
            .union(["self", "entity"]).subtracting(columns)
        for child in element.children(named: "fetchIndex") {
            if let index = try fetchIndex(child, of: entity.name, columnless) {
                entity.indexes.append(index)
            }
        }
        for child in element.children(named: "attribute") where try child.flag("indexed") {
            let name = try child.text("name")
            guard columns.contains(name) else { continue }
            append(FetchIndexDescription(name, on: name), to: &entity)
        }
        for list in element.children(named: "compoundIndexes") {
            for child in list.children(named: "compoundIndex") {
                let names = try child.values(named: "index")
                let elements = usable(
                    names.map { FetchIndexDescription.Element($0) }, child, entity.name, columnless)
                guard !elements.isEmpty else { continue }
                append(
                    FetchIndexDescription(names.joined(separator: "_"), elements: elements),
                    to: &entity)
            }
        }
    }

    /// Adds an index of an older form, unless the entity has one of the same name.
    private func append(_ index: FetchIndexDescription, to entity: inout EntityDescription) {
        let name = index.name.uppercased()
        guard !entity.indexes.contains(where: { $0.name.uppercased() == name }) else { return }
        entity.indexes.append(index)
    }

    /// The index; nil if the engine cannot make it.
    private mutating func fetchIndex(
        _ element: ModelElement, of entity: String, _ columnless: Set<String>
    ) throws(ModelFileError) -> FetchIndexDescription? {
        let name = try element.text("name")
        let children = element.children(named: "fetchIndexElement")
        guard !children.contains(where: { $0["property"] == nil && $0["expression"] != nil }) else {
            let feature = "an index on an expression; the index '\(name)' is left out"
            warn(.unsupported(feature), entity, line: element.line)
            return nil
        }
        var elements: [FetchIndexDescription.Element] = []
        var kinds: Set<FetchIndexDescription.Kind> = []
        for child in children {
            let isAscending = try child.choice(
                "order", ["ascending": true, "descending": false], default: true)
            elements.append(.init(try child.text("property"), isAscending: isAscending))
            kinds.insert(try child.choice("type", Self.indexKinds, default: .binary))
        }
        let format = element.nonemptyText("partialIndexPredicate")
        if let format { _ = try Self.predicate(format, element) }
        elements = usable(elements, element, entity, columnless)
        guard !elements.isEmpty || children.isEmpty else { return nil }
        return FetchIndexDescription(
            name, elements: elements, kind: kinds == [.rTree] ? .rTree : .binary,
            partialIndexPredicate: format)
    }

    static let indexKinds: [String: FetchIndexDescription.Kind] = [
        "Binary": .binary, "RTree": .rTree,
    ]

    /// The elements that can be indexed. To-many relationships, transient attributes and properties
    /// that were left out have no column.
    private mutating func usable(
        _ elements: [FetchIndexDescription.Element], _ element: ModelElement, _ entity: String,
        _ columnless: Set<String>
    ) -> [FetchIndexDescription.Element] {
        for part in elements where columnless.contains(part.property) {
            let feature = "an index on '\(part.property)', which has no column; it is left out"
            warn(.unsupported(feature), entity, line: element.line)
        }
        return elements.filter { !columnless.contains($0.property) }
    }

    mutating func readConstraints(
        of element: ModelElement, into entity: inout EntityDescription
    ) throws(ModelFileError) {
        let relationships = Set(entity.relationships.map(\.name))
        for list in element.children(named: "uniquenessConstraints") {
            for child in list.children(named: "uniquenessConstraint") {
                let names = try child.values(named: "constraint")
                if let name = names.first(where: relationships.contains) {
                    let feature =
                        "a uniqueness constraint on the relationship '\(name)'; it is left out"
                    warn(.unsupported(feature), entity.name, line: child.line)
                } else {
                    entity.uniquenessConstraints.append(names)
                }
            }
        }
    }
}

extension ModelElement {
    fileprivate var isProperty: Bool { name == "attribute" || name == "relationship" }

    /// The values of a list of elements such as `<constraint value="name"/>`.
    fileprivate func values(named name: String) throws(ModelFileError) -> [String] {
        var values: [String] = []
        for child in children(named: name) { values.append(try child.text("value")) }
        return values
    }
}

extension EntityDescription {
    /// The names of the entity's own properties that have a column.
    fileprivate var namesWithColumn: Set<String> {
        Set(attributes.filter { !$0.isTransient }.map(\.name))
            .union(relationships.filter { !$0.isToMany }.map(\.name))
    }
}
