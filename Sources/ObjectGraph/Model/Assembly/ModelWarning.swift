import Foundation

/// Something in a model that is allowed, but rarely intended, or a part of a model file that was
/// left out.
public struct ModelWarning: Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        /// A relationship without an inverse. When the destination is deleted, the reference
        /// dangles. The other end does not see changes.
        case noInverse
        /// A model file names an inverse that the destination does not have. The relationship has
        /// no inverse.
        case danglingInverse(String)
        /// A model file has an element that the engine does not know. The element is ignored.
        case unknownElement(String)
        /// An element of a model file has an attribute that the engine does not know. The attribute
        /// is ignored.
        case unknownAttribute(String, element: String)
        /// A model file uses a feature that the engine lacks. The value names it, and says what is
        /// left out.
        case unsupported(String)
        /// The default value in a model file, a text, is not of the attribute's type. The attribute
        /// has no default value.
        case unreadableDefault(String)
        /// A model file names a value transformer that the program does not give. The attribute's
        /// values are their stored data.
        case unknownTransformer(String)
        /// The program gives a class that no entity of the model file names.
        case unusedClass(String)
    }

    /// The entity; nil if the warning concerns the whole model.
    public let entityName: String?

    /// The property; nil if the warning concerns the whole entity.
    public let propertyName: String?
    public let reason: Reason

    /// The model file; nil if the warning does not come from reading one.
    public let file: URL?

    /// The line of the file, counted from 1; nil for a file that has no lines.
    public let line: Int?

    init(
        _ entityName: String?, _ propertyName: String? = nil, _ reason: Reason, file: URL? = nil,
        line: Int? = nil
    ) {
        self.entityName = entityName
        self.propertyName = propertyName
        self.reason = reason
        self.file = file
        self.line = line
    }
}

extension ModelWarning: CustomStringConvertible {
    public var description: String {
        [file?.place(line: line), part, sentence].compactMap(\.self).joined(separator: ": ")
    }

    /// The entity or the property.
    private var part: String? {
        entityName.map { entity in propertyName.map { "\(entity).\($0)" } ?? entity }
    }

    private var sentence: String {
        switch reason {
        case .noInverse:
            "the relationship has no inverse, so it still refers to objects that were deleted; give it one."
        case .danglingInverse(let name):
            "the destination has no relationship '\(name)', so the relationship has no inverse; add it or correct the name."
        case .unknownElement(let name): "the element '\(name)' is unknown and ignored."
        case .unknownAttribute(let name, let element):
            "the attribute '\(name)' of the element '\(element)' is unknown and ignored."
        case .unsupported(let feature): "not supported: \(feature)."
        case .unreadableDefault(let text):
            "the default '\(text)' cannot be read as the attribute's type, so new objects have none; correct it, or set the value in awakeFromInsert()."
        case .unknownTransformer(let name):
            "there is no transformer '\(name)', so the values are their stored data; give the transformer in transformers."
        case .unusedClass(let name):
            "no entity has the class \(name); name it as the class of an entity, or do not give it."
        }
    }
}

extension URL {
    /// A place in a file, for messages: `path:line`.
    func place(line: Int?) -> String { line.map { "\(path):\($0)" } ?? path }
}

extension ManagedObjectModel {
    /// The omissions from the model's file, and probable mistakes in the model, in the order of
    /// the entities. A container logs them.
    public var warnings: [ModelWarning] {
        fileWarnings
            + entities.flatMap { entity in
                entity.properties.filter { property in
                    property.relationship != nil && !property.isHidden
                        && property.relationship?.inverseIndex == nil
                        && property.declaringEntityIndex == entity.index
                }.map { ModelWarning(entity.name, $0.name, .noInverse) }
            }
    }
}
