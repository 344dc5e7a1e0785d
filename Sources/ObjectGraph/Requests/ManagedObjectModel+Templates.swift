extension FetchRequest: RequestTemplate {}

extension ManagedObjectModel {
    /// A model with named fetch requests; see `init(entities:configurations:versionIdentifiers:)`.
    ///
    /// The predicates of the requests may contain variables, such as `$author`.
    public convenience init(
        entities: [EntityDescription], configurations: [String: Set<String>] = [:],
        versionIdentifiers: Set<String> = [], fetchRequestTemplates: [String: FetchRequest]
    ) throws(ModelError) {
        try self.init(
            entities, configurations, versionIdentifiers, templates: fetchRequestTemplates)
    }

    /// The request templates by name.
    public var fetchRequestTemplatesByName: [String: FetchRequest] {
        templates.compactMapValues { $0 as? FetchRequest }
    }

    /// The request with that name as it was given; nil if there is none. Changing it does not
    /// change the model.
    public func fetchRequestTemplate(named name: String) -> FetchRequest? {
        templates[name] as? FetchRequest
    }

    /// The request with that name, with all its variables replaced; nil if there is none.
    ///
    /// - Throws: `FetchError.unboundVariable` for a variable without a value.
    public func fetchRequest(
        fromTemplateNamed name: String, substitutionVariables: [String: any PredicateArgument]
    ) throws(FetchError) -> FetchRequest? {
        guard var request = fetchRequestTemplate(named: name) else { return nil }
        request.predicate = request.predicate?.withSubstitutionVariables(substitutionVariables)
        if let missing = request.predicate?.variables.first {
            throw .unboundVariable(missing)
        }
        return request
    }
}

extension FetchedPropertyDescription {
    /// A property that fetches objects of any entity.
    ///
    /// The predicate of the request may use `$FETCH_SOURCE` for the object, `$FETCH_SOURCE.name`
    /// for its attributes, and `$FETCHED_PROPERTY.userInfo.key` for values in `userInfo`.
    public init(_ name: String, _ request: FetchRequest, userInfo: [String: String] = [:]) {
        self.init(name, template: request, userInfo: userInfo)
    }

    /// The request as it was given.
    public var request: FetchRequest {
        // `Model` does not know requests, which are the only templates.
        template as! FetchRequest
    }
}
