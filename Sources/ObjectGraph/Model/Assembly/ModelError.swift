/// An error in a model, with its entity and property.
public struct ModelError: Error, Sendable, Hashable {
    public enum Reason: Error, Sendable, Hashable {
        /// Two entities have the same name.
        case duplicateEntity
        /// The entity or an ancestor already has a property with this name.
        case duplicateProperty
        /// The name does not consist of a letter or an underscore, followed by letters, digits and
        /// underscores.
        case invalidName
        /// The name belongs to a member of `ManagedObject`, or begins as the engine's own names of
        /// columns and tables do.
        case reservedName
        /// The named superentity is not in the model.
        case unknownSuperentity(String)
        /// The entity is its own ancestor.
        case circularInheritance
        /// The entity has more ancestors than the limit, counted with itself.
        case tooManyAncestors(limit: Int)
        /// The named destination of the property is not in the model.
        case unknownDestination(String)
        /// The destination has no relationship with this name.
        case unknownInverse(String)
        /// The named relationship has another inverse or leads to another entity.
        case inverseMismatch(String)
        /// A count is negative, or the maximum is less than the minimum.
        case invalidCount(minCount: Int, maxCount: Int)
        /// The default value does not fit the attribute's type, or no store can keep it, such as
        /// NaN.
        case defaultOfOtherType(AttributeValue, AttributeType)
        /// A uniqueness constraint names something that is not a persistent attribute of the
        /// entity.
        case unknownConstraintAttribute(String)
        /// An index names a property without a column.
        case unknownIndexProperty(String)
        /// The named index has no elements.
        case emptyIndex(String)
        /// The name of an index does not consist of a letter or an underscore, followed by letters,
        /// digits and underscores.
        case invalidIndexName(String)
        /// Two indexes would have the same name in the store, which ignores case.
        case duplicateIndex(String)
        /// The named r-tree has an attribute that is optional or not a number of up to 32 bits.
        case unsuitableForRTree(String)
        /// The named index folds an attribute that is not a string.
        case unsuitableForFolding(String)
        /// The named full-text index has an attribute that is not a string, one that it names
        /// twice, a folding or a condition.
        case unsuitableForFullText(String)
        /// The named full-text index has the name of a property, so that a search could mean
        /// either.
        case ambiguousFullTextIndex(String)
        /// A uniqueness constraint has no attributes.
        case emptyConstraint
        /// A uniqueness constraint has a transformable attribute.
        case transformableConstraint
        /// The mandatory relationship, `Entity.name`, leads to objects that a uniqueness conflict
        /// may delete.
        case mandatoryReferenceToConstrained(String)
        /// Values of the type cannot be stored, so the attribute must be transient.
        case persistentType(AttributeType)
        /// The derivation is not one of the forms of derived attributes.
        case invalidDerivation(String)
        /// The key in a derivation is not a persistent property of the kind that is needed there:
        /// an attribute at the end, a to-one relationship before the end of a path, a to-many
        /// relationship of which something is counted or summed.
        case unknownDerivationKey(String, entity: String)
        /// The derivation gives values of this type, which are not values of the attribute's.
        case derivationOfOtherType(String, AttributeType)
        /// The attribute or the one that it is derived from allows external storage.
        case derivationOfExternalData(String)
        /// A derived attribute is transient, so that no store computes it.
        case transientDerivation
        /// The attribute is derived from itself, by this path of attributes.
        case circularDerivation([String])
        /// A uniqueness constraint has a derived attribute.
        case derivedConstraint
        /// An attribute that is not composite has elements.
        case needlessElements
        /// A composite attribute has this, in words, which composite attributes do not have.
        case unsuitableForComposite(String)
        /// An element of a composite attribute is this, in words: transient, derived, kept in files or
        /// of a type whose values cannot be stored.
        case unsuitableElement(String)
        /// A uniqueness constraint has a composite attribute, or an element of one.
        case compositeConstraint
        /// An attribute that is not transformable has a transformer.
        case needlessTransformer
        /// The condition, as a format, does not apply to the attribute. The second value says why.
        case invalidValidationRule(String, String)
        /// A to-one relationship is ordered.
        case orderedToOne
        /// A configuration names an entity that is not in the model.
        case unknownConfigurationEntity(configuration: String)
        /// A request template names an entity that is not in the model.
        case unknownTemplateEntity(template: String)
        /// The models to merge describe the entity differently.
        case differsFromNamesake
        /// The entity has too many properties. The value is their number.
        case tooManyProperties(Int)
        /// The model has too many entities. The value is their number; the error names the first
        /// one beyond the limit.
        case tooManyEntities(Int)
    }

    public var entity: String

    /// The property with the error; nil if the error concerns the whole entity.
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
            "\(place): '\(property ?? entity)' cannot be a name; use a letter or an underscore, then letters, digits and underscores."
        case .reservedName:
            "\(place): ManagedObject has a member of this name, or the engine has columns and tables that begin like it; choose another."
        case .unknownSuperentity(let name):
            "\(place): the superentity '\(name)' is not in the model; add it or correct the name."
        case .circularInheritance:
            "\(place): the entity is its own ancestor; correct its superentity."
        case .tooManyAncestors(let limit):
            "\(place): the line of its ancestors has more than \(limit) entities; shorten it."
        case .unknownDestination(let name):
            "\(place): the destination '\(name)' is not in the model; add it or correct the name."
        case .unknownInverse(let name):
            "\(place): the destination has no relationship '\(name)'; add it or correct the inverse."
        case .inverseMismatch(let name):
            "\(place): '\(name)' has another inverse or leads to another entity; make the two ends name each other."
        case .invalidCount(let minCount, let maxCount):
            "\(place): counts from \(minCount) to \(maxCount) are impossible; use 0 <= minCount <= maxCount, or maxCount 0 for no limit."
        case .defaultOfOtherType(let value, let type)
        where value.converted(to: type)?.isStorable == false:
            """
            \(place): a store cannot keep the default \
            \(value.double.map { "\($0)" } ?? value.messageText); use another default, or none.
            """
        case .defaultOfOtherType(let value, let type):
            "\(place): the default \(value.messageText) is not a value of type \(type); correct one of them."
        case .unknownConstraintAttribute(let name):
            "\(place): the uniqueness constraint names '\(name)', which is not a persistent attribute of the entity."
        case .unknownIndexProperty(let name):
            "\(place): an index names '\(name)', which has no column in the entity."
        case .emptyIndex(let name): "\(place): the index '\(name)' has no elements."
        case .invalidIndexName(let name):
            "\(place): '\(name)' cannot be the name of an index; use a letter or an underscore, then letters, digits and underscores."
        case .duplicateIndex(let name):
            "\(place): the index '\(name)' would have the same name in the store as another one; rename it."
        case .unsuitableForRTree(let name):
            "\(place): the r-tree '\(name)' takes only mandatory attributes of type integer16, integer32 or float that are not derived."
        case .unsuitableForFolding(let name):
            "\(place): the index '\(name)' folds the attribute, which is not a string; remove the folding."
        case .unsuitableForFullText(let name):
            "\(place): the full-text index '\(name)' takes string attributes, each once, without a folding or a condition."
        case .ambiguousFullTextIndex(let name):
            "\(place): the full-text index '\(name)' has the name of a property; rename the index."
        case .emptyConstraint: "\(place): a uniqueness constraint has no attributes."
        case .transformableConstraint:
            "\(place): a transformable attribute cannot be part of a uniqueness constraint."
        case .mandatoryReferenceToConstrained(let reference):
            "\(place): a uniqueness conflict may delete an object of this one-to-one relationship. Make '\(reference)' optional."
        case .persistentType(let type):
            "\(place): values of type \(type) cannot be stored; make the attribute transient."
        case .invalidDerivation(let text):
            "\(place): '\(text)' is no derivation; use a key path over at most one relationship, its @count, @sum, @min or @max, canonical:, lowercase: or uppercase: of it, or now()."
        case .unknownDerivationKey(let key, let entity):
            "\(place): the derivation needs '\(key)' of \(entity), which is not there or not of the right kind: paths follow a to-one relationship to a persistent attribute, sums and counts a to-many relationship."
        case .derivationOfOtherType(let text, let type):
            "\(place): '\(text)' has values of type \(type), which the attribute cannot hold; correct one of them."
        case .derivationOfExternalData(let text):
            "\(place): '\(text)' copies data that may be in files, which the triggers of the store cannot read. Do not allow external storage for the attribute or its source."
        case .transientDerivation:
            "\(place): a derived attribute is computed by the store, so it cannot be transient."
        case .circularDerivation(let path):
            "\(place): the attribute is derived from itself: \(path.joined(separator: " from ")). Remove one of these derivations."
        case .derivedConstraint:
            "\(place): a derived attribute cannot be part of a uniqueness constraint."
        case .needlessElements: "\(place): only a composite attribute has elements."
        case .unsuitableForComposite(let trait):
            "\(place): a composite attribute does not have \(trait); remove it. Elements can have default values and rules."
        case .unsuitableElement(let trait):
            "\(place): an element of a composite attribute cannot be \(trait); make it an attribute of the entity."
        case .compositeConstraint:
            "\(place): neither a composite attribute nor an element of one can be part of a uniqueness constraint."
        case .needlessTransformer: "\(place): only a transformable attribute has a transformer."
        case .invalidValidationRule(let predicate, let reason):
            "\(place): the condition '\(predicate)' cannot be checked for the attribute: \(reason)"
        case .orderedToOne: "\(place): a to-one relationship has no order."
        case .unknownConfigurationEntity(let name):
            "\(place): the configuration '\(name)' names the entity, which is not in the model; add it or correct the name."
        case .unknownTemplateEntity(let name):
            "\(place): the request template '\(name)' names the entity, which is not in the model; add it or correct the name."
        case .differsFromNamesake:
            "\(place): the models to be merged describe the entity differently; make them equal or rename one."
        case .tooManyProperties(let count):
            "\(place): the entity has \(count) properties; the limit is \(Entity.maximumPropertyCount)."
        case .tooManyEntities(let count):
            "\(place): the model has \(count) entities; the limit is \(ModelAssembly.maximumEntityCount). Divide it into several models."
        }
    }
}
