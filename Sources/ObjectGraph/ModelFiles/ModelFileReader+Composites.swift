// The types of composite attributes, which stand beside the entities and have names of their own.
extension ModelFileReader {
    mutating func readComposites(of root: ModelElement) throws(ModelFileError) {
        for element in root.children(named: "composite") {
            let name = try element.text("name")
            guard composites.updateValue(element, forKey: name) == nil else {
                throw ModelFileError(.duplicate(name, element: element.name), line: element.line)
            }
        }
    }

    /// The elements of a composite attribute, which are those of its type. Each type is read once,
    /// since types that name others can have very many elements.
    mutating func elements(
        of attribute: ModelElement, in entity: String
    ) throws(ModelFileError) -> [AttributeDescription] {
        let name = try attribute.text("composite")
        if let known = elementsOfComposites[name] { return known }
        guard let type = composites[name] else {
            throw ModelFileError(.unknownComposite(name), line: attribute.line)
        }
        guard !openComposites.contains(name) else {
            throw ModelFileError(
                .circularComposite(openComposites + [name]), line: attribute.line)
        }
        // The assembly of the model refuses as many, but recursion comes first.
        guard openComposites.count < Entity.maximumPropertyCount else {
            let error = ModelError(
                entity, nil, .tooManyProperties(openComposites.count + 1))
            throw ModelFileError(.model(error), line: attribute.line)
        }
        openComposites.append(name)
        var elements: [AttributeDescription] = []
        for element in type.children(named: "attribute") {
            var part = try self.attribute(element, of: entity)
            if part.allowsExternalStorage {
                part.allowsExternalStorage = false
                draft.warn(.externalElement, entity, part.name, line: element.line)
            }
            elements.append(part)
        }
        openComposites.removeLast()
        elementsOfComposites[name] = elements
        return elements
    }
}
