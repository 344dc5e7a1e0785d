import ObjectGraph

/// The sources of the rows of one entity of the newest model.
struct EntityPlan: Sendable {
    /// Where a property's values come from.
    enum Origin: Sendable, Hashable {
        /// An attribute of the snapshot's row, as a key path; null becomes the default.
        case value(of: String, default: AttributeValue)
        /// An expression on the snapshot's row.
        case computed(String, as: AttributeType)
        case constant(AttributeValue)
        /// A relationship of the snapshot's row.
        case members(of: String, isOrdered: Bool, destination: String)
        case noMembers
    }

    struct Source: Sendable {
        let entity: String

        /// The format of a predicate for its rows; nil means all.
        let condition: String?

        /// By the key path of the property in the newest model. Properties without one are not
        /// compared.
        let origins: [String: Origin]
    }

    let entity: String
    let sources: [Source]

    /// Predicates that must hold for all rows, by the property that they are about.
    let predicates: [String: String]

    /// The attributes by which objects are recognised at the ends of relationships.
    var labels: [String] {
        let names = sources.map { source in
            Set(source.origins.filter { $0.value.isShown }.keys)
        }
        guard var common = names.first else { return [] }
        for other in names.dropFirst() { common.formIntersection(other) }
        return common.sorted()
    }
}

extension EntityPlan.Origin {
    fileprivate var isShown: Bool {
        switch self {
        case .value, .computed, .constant: true
        case .members, .noMembers: false
        }
    }
}
