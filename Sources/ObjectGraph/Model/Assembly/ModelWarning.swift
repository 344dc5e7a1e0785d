/// Something in a model that is allowed, but rarely intended.
public struct ModelWarning: Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        /// A relationship without an inverse. When the destination is deleted, the reference
        /// dangles. The other end does not see changes.
        case noInverse
    }

    public let entityName: String
    public let propertyName: String
    public let reason: Reason
}

extension ModelWarning: CustomStringConvertible {
    public var description: String {
        switch reason {
        case .noInverse:
            "'\(entityName).\(propertyName)' has no inverse, so it still refers to objects that were deleted; give it an inverse."
        }
    }
}

extension ManagedObjectModel {
    /// Probable mistakes in the model, in the order of the entities. A container logs them.
    public var warnings: [ModelWarning] {
        entities.flatMap { entity in
            entity.properties.filter { property in
                property.relationship != nil && !property.isHidden
                    && property.relationship?.inverseIndex == nil
                    && property.declaringEntityIndex == entity.index
            }.map {
                ModelWarning(
                    entityName: entity.name, propertyName: $0.name, reason: .noInverse)
            }
        }
    }
}
