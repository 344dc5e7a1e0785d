// Requests that belong to an object (spec §1.9).
extension ManagedObject {
    /// The objects that a fetched property of the model finds for this object.
    ///
    /// The request is run on first use, and again only after the object has become a fault.
    /// - Throws: `PropertyError.unknownKey` if the entity has no such fetched property; otherwise
    ///   as `fetch`.
    public final func fetchedObjects(forProperty name: String) throws -> [ManagedObject] {
        guard let property = binding.model.fetchedProperty(named: name, of: binding.entity) else {
            throw PropertyError(.unknownKey, entity: binding.entity.name, key: name)
        }
        var request = property.request
        if state.isFault { fireFault() }
        if let known = contents?.fetched[name] { return known }
        var values: [String: any PredicateArgument] = [:]
        for variable in request.predicate?.variables ?? [] {
            values[variable] = try value(ofVariable: variable, property)
        }
        request.predicate = request.predicate?.withSubstitutionVariables(values)
        // A detached object has no context to fetch from.
        guard let context = managedObjectContext else { return [] }
        let objects = Array(try context.fetch(request, as: ManagedObject.self))
        ensureContents().fetched[name] = objects
        return objects
    }

    /// - Returns: nil if fetched properties define no variable of this name.
    private final func value(
        ofVariable name: String, _ property: FetchedPropertyDescription
    ) throws -> (any PredicateArgument)? {
        let keys = name.split(separator: ".").map(String.init)
        switch keys.first {
        case "FETCH_SOURCE":
            var value: AttributeValue = .objectID(objectID)
            var object: ManagedObject? = self
            var composite: Property?
            for key in keys.dropFirst() {
                let found =
                    composite.map { $0.element(named: key) }
                    ?? object?.binding.entity.property(named: key)
                guard let property = found else {
                    throw FetchError.unknownKeyPath(name, entity: binding.entity.name)
                }
                composite = property.isComposite ? property : nil
                if property.kind == .toOne {
                    object = object?.destination(of: property)
                    value = object.map { .objectID($0.objectID) } ?? .null
                } else {
                    value = object?.attributeValue(of: property) ?? .null
                    if composite == nil { object = nil }
                }
            }
            return value
        case "FETCHED_PROPERTY" where keys.count == 3 && keys[1] == "userInfo":
            return property.userInfo[keys[2]].map { AttributeValue.string($0) } ?? .null
        default: return nil
        }
    }
}
