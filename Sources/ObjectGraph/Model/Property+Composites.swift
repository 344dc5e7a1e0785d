// The values of composite attributes: one value to the program, one for each element in rows.
extension Property {
    func element(named name: String) -> Property? {
        elements.first { $0.name == name }?.property
    }

    /// The value that consists of those of the elements; null if none has a value.
    func composed(_ value: (Property) throws -> AttributeValue) rethrows -> AttributeValue {
        guard !elements.isEmpty else { return .null }
        var values: [String: AttributeValue] = [:]
        for element in elements { values[element.name] = try value(element.property) }
        return AttributeValue(elements: values)
    }

    /// The properties with columns among which a value of this one is divided, with their parts.
    func parts(of value: AttributeValue) -> [(property: Property, value: AttributeValue)] {
        guard isComposite else { return [(self, value)] }
        return elements.flatMap { $0.property.parts(of: value.element(named: $0.name)) }
    }

    /// The first element, at any depth, that a value of a composite attribute lacks but must have.
    func missingElement(of value: AttributeValue) -> Property? {
        for element in elements {
            let part = value.element(named: element.name)
            if part.isNull {
                if element.isRequired { return element.property }
            } else if let missing = element.property.missingElement(of: part) {
                return missing
            }
        }
        return nil
    }

    /// The value converted to the type of the attribute. A transformable attribute takes data as the
    /// stored form of a value (§1.3.42).
    ///
    /// - Returns: nil if the attribute does not accept it, or has no element of a name in it.
    func converted(_ value: AttributeValue) -> AttributeValue? {
        guard isComposite, case .composite(let values) = value else {
            if let converted = attributeType.flatMap({ value.converted(to: $0) }) {
                return converted
            }
            guard case .data(let data) = value, let transformer = rules?.transformer else {
                return nil
            }
            return .transformable(TransformableValue(stored: data, transformer))
        }
        var converted: [String: AttributeValue] = [:]
        for (name, value) in values {
            guard let element = element(named: name)?.converted(value) else { return nil }
            converted[name] = element
        }
        return AttributeValue(elements: converted)
    }
}

extension AttributeValue {
    /// The value of a composite attribute; null if no element has a value.
    init(elements: [String: AttributeValue]) {
        let values = elements.filter { !$0.value.isNull }
        self = values.isEmpty ? .null : .composite(values)
    }

    /// The part of a composite value; null if there is none.
    func element(named name: String) -> AttributeValue {
        if case .composite(let values) = self { values[name] ?? .null } else { .null }
    }
}

extension AttributeDescription {
    /// The attribute and its elements at any depth, each before its own elements. An element is
    /// named by its key path, and has what its composite says of all elements.
    var flattened: [AttributeDescription] {
        [self] + elements.flatMap { flattened($0).flattened }
    }

    /// An element as a property of the entity. Its column may be empty if the composite may be nil.
    func flattened(_ element: AttributeDescription) -> AttributeDescription {
        var flat = element
        flat.name = "\(name).\(element.name)"
        flat.isOptional = isOptional || element.isOptional
        flat.preservesValueInHistoryOnDeletion =
            preservesValueInHistoryOnDeletion || element.preservesValueInHistoryOnDeletion
        if renamingIdentifier != nil || element.renamingIdentifier != nil {
            flat.renamingIdentifier =
                "\(renamingIdentifier ?? name).\(element.renamingIdentifier ?? element.name)"
        }
        return flat
    }

    /// The names of `flattened`.
    var flattenedNames: [String] {
        [name] + elements.flatMap { $0.flattenedNames.map { "\(name).\($0)" } }
    }

    /// The number of properties in `flattened`, counted to one beyond the limit at most: elements
    /// that share elements can make it very large.
    func flattenedCount(limit: Int) -> Int {
        var count = 1
        for element in elements where count <= limit {
            count += element.flattenedCount(limit: limit - count)
        }
        return count
    }
}

extension ManagedObjectModel {
    /// The description of an attribute or an element; nil for relationships.
    func attributeDescription(of property: Property) -> AttributeDescription? {
        let name = property.name.prefix { $0 != "." }
        return entities[property.declaringEntityIndex].description.attributes
            .first { $0.name == name }?.flattened.first { $0.name == property.name }
    }
}
