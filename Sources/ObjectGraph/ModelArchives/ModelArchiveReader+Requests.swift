extension ModelArchiveReader {
    /// The bits of `NSFetchRequestFlags`. The four of `standard` are set in a new request.
    struct RequestFlags: OptionSet {
        let rawValue: Int
        static let returnsDistinctResults = Self(rawValue: 1)
        static let includesSubentities = Self(rawValue: 2)
        static let includesPropertyValues = Self(rawValue: 4)
        static let returnsObjectsAsFaults = Self(rawValue: 8)
        static let includesPendingChanges = Self(rawValue: 16)
        static let standard: Self = [
            .includesSubentities, .includesPropertyValues, .returnsObjectsAsFaults,
            .includesPendingChanges,
        ]
    }

    /// The selectors of sort descriptors. Others compare as `binary` does.
    static let selectors: [SortKey.Comparison: String] = [
        .binary: "compare:", .caseInsensitive: "caseInsensitiveCompare:",
        .localizedStandard: "localizedStandardCompare:",
    ]

    mutating func fetchedProperty(
        _ name: String, _ object: ModelArchive.Object, of entity: String
    ) throws(KeyedArchiveError) -> FetchedPropertyDescription? {
        let target = try archive.required(
            archive.object("NSFetchRequest", of: object), "NSFetchRequest", of: object)
        let request = try request(
            target, entityName: archive.value("_NSFetchRequestEntityName", of: object), entity,
            name)
        let info = try userInfo(of: object, entity, name)
        return request.map { FetchedPropertyDescription(name, $0, userInfo: info) }
    }

    /// The request of a template or of a fetched property; nil if it has a predicate that the
    /// engine lacks.
    ///
    /// - Parameter entityName: The name of the request's entity, if the request does not refer to
    ///   it.
    mutating func request(
        _ object: ModelArchive.Object, entityName: String? = nil, _ entity: String? = nil,
        _ property: String? = nil
    ) throws(KeyedArchiveError) -> FetchRequest? {
        let target = try archive.object("NSEntity", of: object)
        let name = try target.map { target throws(KeyedArchiveError) in try nameOfEntity(target) }
        var request = FetchRequest(
            entityName: try archive.required(name ?? entityName, "NSEntity", of: object))
        if let index = object.fields["NSPredicate"] {
            request.predicate = try predicate(at: index)
            guard request.predicate != nil else {
                let feature = "the predicate of a request; the request is left out"
                draft.warn(.unsupported(feature), entity, property)
                return nil
            }
        }
        for index in try archive.elements("NSSortDescriptors", of: object) {
            request.sortKeys.append(try sortKey(archive.object(at: index)))
        }
        request.fetchLimit = max(0, try archive.value("NSFetchLimit", of: object) ?? 0)
        request.fetchOffset = max(0, try archive.value("NSFetchOffset", of: object) ?? 0)
        request.fetchBatchSize = max(0, try archive.value("NSBatchSize", of: object) ?? 0)
        if let index = object.fields["NSRelationshipKeyPathsForPrefetching"] {
            request.relationshipKeyPathsForPrefetching = try names(at: index)
        }
        let flags = RequestFlags(
            rawValue: try archive.value("NSFetchRequestFlags", of: object)
                ?? RequestFlags.standard.rawValue)
        request.returnsDistinctResults = flags.contains(.returnsDistinctResults)
        request.includesSubentities = flags.contains(.includesSubentities)
        request.includesPropertyValues = flags.contains(.includesPropertyValues)
        request.returnsObjectsAsFaults = flags.contains(.returnsObjectsAsFaults)
        request.includesPendingChanges = flags.contains(.includesPendingChanges)
        let result = try archive.value("NSResultType", of: object) ?? 0
        if result != FetchResultType.managedObject.rawValue {
            draft.warn(.resultType, entity, property)
        }
        return request
    }

    private mutating func sortKey(
        _ object: ModelArchive.Object
    ) throws(KeyedArchiveError) -> SortKey {
        let selector: String? = try archive.value("NSSelector", of: object)
        return SortKey(
            try archive.required(archive.value("NSKey", of: object), "NSKey", of: object),
            ascending: try archive.value("NSAscending", of: object) ?? true,
            comparison: Self.selectors.first { $0.value == selector }?.key ?? .binary)
    }
}
