// Indexes and uniqueness constraints of an entity.
extension ModelFileReader {
    /// Reads the fetch indexes, and the two older forms: indexed attributes, and lists of names.
    mutating func readIndexes(
        of element: ModelElement, into entity: inout EntityDescription
    ) throws(ModelFileError) {
        let columnless = entity.columnless(
            element.children.filter(\.isProperty).compactMap { $0["name"] })
        for child in element.children(named: "fetchIndex") {
            if let index = try fetchIndex(child, of: entity.name, columnless) {
                ModelDraft.appendNamed(index, to: &entity)
            }
        }
        for child in element.children(named: "attribute") where try child.flag("indexed") {
            let name = try child.text("name")
            guard !columnless.contains(name) else { continue }
            ModelDraft.append(FetchIndexDescription(name, on: name), to: &entity)
        }
        for list in element.children(named: "compoundIndexes") {
            for child in list.children(named: "compoundIndex") {
                let names = try child.values(named: "index")
                let elements = draft.usable(
                    names.map { FetchIndexDescription.Element($0) }, entity.name, columnless,
                    line: child.line)
                guard !elements.isEmpty else { continue }
                ModelDraft.append(
                    FetchIndexDescription(names.joined(separator: "_"), elements: elements),
                    to: &entity)
            }
        }
        draft.takeFullTextIndexes(of: &entity, columnless)
    }

    /// The index; nil if the engine cannot make it.
    private mutating func fetchIndex(
        _ element: ModelElement, of entity: String, _ columnless: Set<String>
    ) throws(ModelFileError) -> FetchIndexDescription? {
        let name = try element.text("name")
        let children = element.children(named: "fetchIndexElement")
        guard !children.contains(where: { $0["property"] == nil && $0["expression"] != nil }) else {
            draft.warn(.expressionIndex(name), entity, line: element.line)
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
        let format = try element.nonemptyText("partialIndexPredicate").map {
            format throws(ModelFileError) in try Self.predicate(format, element).predicateFormat
        }
        elements = draft.usable(elements, entity, columnless, line: element.line)
        guard !elements.isEmpty || children.isEmpty else { return nil }
        return FetchIndexDescription(
            name, elements: elements, kind: kinds == [.rTree] ? .rTree : .binary,
            partialIndexPredicate: format)
    }

    static let indexKinds: [String: FetchIndexDescription.Kind] = [
        "Binary": .binary, "RTree": .rTree,
    ]

    mutating func readConstraints(
        of element: ModelElement, into entity: inout EntityDescription
    ) throws(ModelFileError) {
        for list in element.children(named: "uniquenessConstraints") {
            for child in list.children(named: "uniquenessConstraint") {
                draft.appendConstraint(
                    try child.values(named: "constraint"), to: &entity, line: child.line)
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
