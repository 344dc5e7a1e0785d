/// The kit cannot use its input.
public enum MigrationKitError: Error, Sendable, Hashable {
    /// A mandatory attribute whose values the kit cannot make. The adjustment of the export must
    /// set it, or the model must have a default value.
    case noSampleValue(entity: String, attribute: String)
    /// A version whose name is empty or does not suit as the name of a file.
    case unsuitableVersion(String)
    /// An expectation names an entity that the newest model does not have.
    case unknownEntity(String)
    /// An expectation names a property that the entity does not have in the newest model.
    case unknownProperty(entity: String, property: String)
    /// An expectation names an entity or a property that no snapshot has for which it holds.
    case unknownInSnapshots(String)
    /// An expectation computes a composite attribute, whose elements have a value each.
    case computedComposite(entity: String, property: String)
}

extension MigrationKitError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noSampleValue(let entity, let attribute):
            "No sample value is known for '\(entity).\(attribute)', which is mandatory; set it in the adjustment of the export, or give it a default value."
        case .unsuitableVersion(let version):
            "'\(version)' cannot be the name of a snapshot; use letters, digits, dots and hyphens, and a letter or digit first."
        case .unknownEntity(let entity):
            "An expectation names the entity '\(entity)', which the newest model does not have; correct the name."
        case .unknownProperty(let entity, let property):
            "An expectation names '\(entity).\(property)', which the newest model does not have; correct the name."
        case .unknownInSnapshots(let name):
            "An expectation names '\(name)', which no snapshot has for which the expectation holds; correct the name or the version."
        case .computedComposite(let entity, let property):
            "An expectation computes '\(entity).\(property)', which is composite; say for each element how it is computed."
        }
    }
}
