/// A node does not fit the model, or is not one that the store was asked for. The request has
/// returned nothing, or the save has written nothing.
public struct StoreNodeError: Error, Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        /// The model has no entity of this name, or it is abstract.
        case unknownEntity
        /// The reference is not positive.
        case invalidReference
        /// The store has returned two nodes with this identity.
        case duplicate
        /// The store was asked for other nodes.
        case notRequested
        /// The entity has no persistent property of this name, or it has another kind.
        case unknownProperty
        /// The attribute's type cannot hold the value.
        case unacceptableValue(AttributeValue)
        /// An attribute that is not optional has no value.
        case missingValue
        /// The relationship cannot have these destinations: they are of another entity, repeated, or
        /// too many.
        case unacceptableDestinations([StoreNodeID])
    }

    public let reason: Reason
    public let id: StoreNodeID

    /// The name of the property; nil if the error is about the whole node.
    public let property: String?

    init(_ reason: Reason, _ id: StoreNodeID, _ property: String? = nil) {
        self.reason = reason
        self.id = id
        self.property = property
    }
}

extension StoreNodeError: CustomStringConvertible {
    public var description: String {
        let name = "\(id.entityName).\(property ?? "")"
        let sentence =
            switch reason {
            case .unknownEntity:
                "the model has no objects of this entity. Correct the store, or open it with its own model."
            case .invalidReference: "references are positive. Correct the store."
            case .duplicate: "there is another one with this identity. Remove one of them."
            case .notRequested: "the store was asked for other nodes. Correct the store."
            case .unknownProperty:
                "'\(name)' is not a property that a node stores. Correct the store, or open it with its own model."
            case .unacceptableValue(let value):
                "\(value.messageText) is not acceptable for '\(name)'. Correct the value."
            case .missingValue: "'\(name)' is mandatory. Give it a value, or make it optional."
            case .unacceptableDestinations(let ids):
                "'\(name)' cannot lead to \(ids.map(\.text).joined(separator: ", ")). Correct the store."
            }
        return "The node \(id.reference) of '\(id.entityName)' does not fit: \(sentence)"
    }
}

extension StoreNodeID {
    fileprivate var text: String { "\(entityName) \(reference)" }
}

/// A store of one's own has found that nodes differ from what a save expects: others have changed or
/// deleted them. Nothing was written.
///
/// A store that others write to throws it from `save`. The context's merge policy then settles the
/// conflict, as any other. Source: spec §5.3.
public struct StoreSaveConflict: Error, Sendable, Hashable {
    /// The nodes of the plan that are not as expected.
    public let ids: [StoreNodeID]

    public init(_ ids: [StoreNodeID]) { self.ids = ids }
}

extension StoreSaveConflict: CustomStringConvertible {
    public var description: String {
        "Others have changed or deleted these nodes: \(ids.map(\.text).joined(separator: ", ")). Refresh the objects and save again."
    }
}
