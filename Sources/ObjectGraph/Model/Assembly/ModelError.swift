/// A model that contradicts itself, with the entity and the property where it does.
public struct ModelError: Error, Sendable, Hashable {
    public enum Reason: Error, Sendable, Hashable {
        /// Two entities have the name.
        case duplicateEntity
        /// The entity or an ancestor has a property of the name already.
        case duplicateProperty
        /// The name of an entity or property does not begin with a letter and go on with letters, digits and underscores.
        case invalidName
        /// The name belongs to a member of `ManagedObject`.
        case reservedName
        /// The model has no entity of the name that the entity inherits from.
        case unknownSuperentity(String)
        /// The entity is its own ancestor.
        case circularInheritance
        /// The model has no entity of the name that the property leads to.
        case unknownDestination(String)
        /// The destination has no relationship of the name.
        case unknownInverse(String)
        /// The relationship of the name does not name this one as its inverse.
        case inverseMismatch(String)
        /// A count is negative, or the greatest is below the least.
        case invalidCount(minCount: Int, maxCount: Int)
        /// The attribute's type does not take its default value, or no store can keep it, as NaN.
        case defaultOfOtherType(AttributeValue, AttributeType)
        /// A uniqueness constraint names what is no persistent attribute of the entity.
        case unknownConstraintAttribute(String)
        /// An index names what has no column.
        case unknownIndexProperty(String)
        /// The index of the name has no elements.
        case emptyIndex(String)
        /// The name of an index does not begin with a letter and go on with letters, digits and underscores.
        case invalidIndexName(String)
        /// Two indexes would have the same name in the store, where case makes no difference.
        case duplicateIndex(String)
        /// The r-tree of the name has an attribute that is optional or no number of up to 32 bits.
        case unsuitableForRTree(String)
        /// The index of the name folds an attribute that is no string.
        case unsuitableForFolding(String)
        /// A uniqueness constraint has no attributes.
        case emptyConstraint
        /// A uniqueness constraint has a transformable attribute.
        case transformableConstraint
        /// The mandatory relationship, `Entity.name`, leads to objects that a uniqueness constraint may delete.
        case mandatoryReferenceToConstrained(String)
        /// Values of the type cannot be stored; the attribute must be transient.
        case persistentType(AttributeType)
        /// An attribute has a transformer and is not transformable.
        case needlessTransformer
        /// The condition, as a format, cannot be asked about the attribute, and why.
        case invalidValidationRule(String, String)
        /// A to-one relationship is ordered.
        case orderedToOne
        /// A configuration names an entity that is not in the model.
        case unknownConfigurationEntity(configuration: String)
        /// A request template is for an entity that is not in the model.
        case unknownTemplateEntity(template: String)
        /// Models to be merged describe the entity differently.
        case differsFromNamesake
        /// The entity has more properties than it can have; their number.
        case tooManyProperties(Int)
        /// The model has more entities than rows can name; their number, and the first entity beyond.
        case tooManyEntities(Int)
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
        case .invalidName:
            "\(place): '\(property ?? entity)' cannot be a name; begin with a letter and go on with letters, digits and underscores."
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
        case .defaultOfOtherType(let value, let type)
        where value.converted(to: type)?.isStorable == false:
            """
            \(place): a store cannot keep the default \
            \(value.double.map { "\($0)" } ?? value.messageText); give the attribute another, or none.
            """
        case .defaultOfOtherType(let value, let type):
            "\(place): the default \(value.messageText) is not a value of type \(type)."
        case .unknownConstraintAttribute(let name):
            "\(place): the uniqueness constraint names '\(name)', which is no persistent attribute of the entity."
        case .unknownIndexProperty(let name):
            "\(place): an index names '\(name)', which has no column in the entity."
        case .emptyIndex(let name): "\(place): the index '\(name)' has no elements."
        case .invalidIndexName(let name):
            "\(place): '\(name)' cannot be the name of an index; begin with a letter and go on with letters, digits and underscores."
        case .duplicateIndex(let name):
            "\(place): the index '\(name)' would be called in the store as another one is; rename it."
        case .unsuitableForRTree(let name):
            "\(place): the r-tree '\(name)' takes mandatory attributes of type integer16, integer32 or float only."
        case .unsuitableForFolding(let name):
            "\(place): the index '\(name)' folds the attribute, which is no string; leave the folding out."
        case .emptyConstraint: "\(place): a uniqueness constraint has no attributes."
        case .transformableConstraint:
            "\(place): a transformable attribute cannot be part of a uniqueness constraint."
        case .mandatoryReferenceToConstrained(let reference):
            "\(place): a uniqueness conflict may delete an object of this one-to-one relationship. Make '\(reference)' optional."
        case .persistentType(let type):
            "\(place): values of type \(type) cannot be stored; make the attribute transient."
        case .needlessTransformer: "\(place): only a transformable attribute has a transformer."
        case .invalidValidationRule(let predicate, let reason):
            "\(place): the condition '\(predicate)' cannot be asked about the attribute: \(reason)"
        case .orderedToOne: "\(place): a to-one relationship has no order."
        case .unknownConfigurationEntity(let name):
            "\(place): the configuration '\(name)' names the entity, which is not in the model; add it or correct the name."
        case .unknownTemplateEntity(let name):
            "\(place): the request template '\(name)' names the entity, which is not in the model; add it or correct the name."
        case .differsFromNamesake:
            "\(place): the models to be merged describe the entity differently; make them equal or rename one."
        case .tooManyProperties(let count):
            "\(place): \(count) properties are more than the \(Entity.maximumPropertyCount) that an entity can have."
        case .tooManyEntities(let count):
            "\(place): \(count) entities are more than the \(ModelAssembly.maximumEntityCount) that a model can have; divide it into several models."
        }
    }
}
