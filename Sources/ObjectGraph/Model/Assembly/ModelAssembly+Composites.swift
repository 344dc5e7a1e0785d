// Checks the elements of composite attributes (spec §1.3).
extension ModelAssembly {
    /// Checks the names of the elements at any depth, and the traits that only other attributes can
    /// have. `check` does the rest.
    ///
    /// - Parameter attribute: An attribute, or an element that is named by its key path.
    func checkElements(
        of attribute: AttributeDescription, in entity: String
    ) throws(ModelError) {
        guard attribute.type == .composite else {
            guard attribute.elements.isEmpty else {
                throw ModelError(entity, attribute.name, .needlessElements)
            }
            return
        }
        if let trait = attribute.traitOfOtherTypes {
            throw ModelError(entity, attribute.name, .unsuitableForComposite(trait))
        }
        var names: Set<String> = []
        for element in attribute.elements {
            let flat = attribute.flattened(element)
            guard Self.isName(element.name) else {
                throw ModelError(entity, flat.name, .invalidName)
            }
            guard names.insert(element.name).inserted else {
                throw ModelError(entity, flat.name, .duplicateProperty)
            }
            if let trait = element.traitOfAttributesAlone {
                throw ModelError(entity, flat.name, .unsuitableElement(trait))
            }
            try checkElements(of: flat, in: entity)
        }
    }
}

extension AttributeDescription {
    /// In words, the first thing that a composite attribute cannot have but its elements can.
    fileprivate var traitOfOtherTypes: String? {
        if isTransient { return "a value in memory only" }
        if defaultValue != nil { return "a default value" }
        if derivation != nil { return "a derivation" }
        if allowsExternalStorage { return "external storage" }
        return validationRules.isEmpty ? nil : "validation rules"
    }

    /// In words, the first thing that an attribute can be but an element cannot.
    fileprivate var traitOfAttributesAlone: String? {
        if isTransient { return "transient" }
        if derivation != nil { return "derived" }
        if allowsExternalStorage { return "kept in files" }
        return type.isTransientOnly ? "of type \(type)" : nil
    }
}
