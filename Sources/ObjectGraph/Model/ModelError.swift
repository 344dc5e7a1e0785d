/// A model that contradicts itself, with the entity and the property where it does.
public struct ModelError: Error, Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        case duplicateEntity
        case duplicateProperty
        case emptyName
        case reservedName
        case unknownSuperentity(String)
        case circularInheritance
        case unknownDestination(String)
        case unknownInverse(String)
        case inverseMismatch(String)
        case invalidCount(minCount: Int, maxCount: Int)
        case defaultOfOtherType(AttributeValue, AttributeType)
        case unknownConstraintAttribute(String)
        case unknownIndexProperty(String)
        case emptyIndex(String)
        case tooManyProperties(Int)
    }

    public var entity: String

    /// The property at fault; nil when the fault lies with the entity.
    public var property: String?
    public var reason: Reason

    init(_ entity: String, _ property: String? = nil, _ reason: Reason) {
        self.entity = entity
        self.property = property
        self.reason = reason
    }
}

extension ModelError: CustomStringConvertible {
    public var description: String {
        let place = property.map { "\(entity).\($0)" } ?? entity
        return switch reason {
        case .duplicateEntity: "\(place): two entities have this name; rename one of them."
        case .duplicateProperty:
            "\(place): the entity or one of its ancestors already has a property of this name; rename one of them."
        case .emptyName: "\(place): a name is empty."
        case .reservedName:
            "\(place): the name belongs to a member of ManagedObject; choose another."
        case .unknownSuperentity(let name):
            "\(place): the superentity '\(name)' is not in the model; add it or correct the name."
        case .circularInheritance:
            "\(place): the entity is its own ancestor; break the circle."
        case .unknownDestination(let name):
            "\(place): the destination '\(name)' is not in the model; add it or correct the name."
        case .unknownInverse(let name):
            "\(place): the destination has no relationship '\(name)'; add it or correct the inverse."
        case .inverseMismatch(let name):
            "\(place): '\(name)' does not name this relationship as its inverse; make the two ends name each other."
        case .invalidCount(let minCount, let maxCount):
            "\(place): counts \(minCount) to \(maxCount) are impossible; 0 <= minCount <= maxCount, or maxCount 0 for no limit."
        case .defaultOfOtherType(let value, let type):
            "\(place): the default \(value) is not a value of type \(type)."
        case .unknownConstraintAttribute(let name):
            "\(place): the uniqueness constraint names '\(name)', which is no persistent attribute of the entity."
        case .unknownIndexProperty(let name):
            "\(place): an index names '\(name)', which has no column in the entity."
        case .emptyIndex(let name): "\(place): the index '\(name)' has no elements."
        case .tooManyProperties(let count):
            "\(place): \(count) properties are more than the \(Entity.maximumPropertyCount) that an entity can have."
        }
    }
}
