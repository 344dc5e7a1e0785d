import Foundation

/// A model file that cannot be read or written, with the file and the line.
public struct ModelFileError: Error, Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        /// There is no file or folder.
        case missing
        /// The file cannot be read. The value says why.
        case unreadable(String)
        /// The file has more bytes than the limit.
        case tooLarge(limit: Int)
        /// The file or folder is something else. The value says what.
        case notAModel(String)
        /// The version is in the binary format of old tools.
        case legacyFormat
        /// The group has no version of this name.
        case unknownVersion(String, versions: [String])
        /// The group has several versions and marks none as the current one.
        case noCurrentVersion(versions: [String])
        /// The file is not well-formed XML, or not a property list.
        case malformed(String)
        /// Elements are nested in more levels than the limit.
        case tooDeep(limit: Int)
        /// The file is not UTF-8 text.
        case notUTF8
        /// The file declares a document type or an entity, which model files never do.
        case documentType
        /// An element lacks a mandatory attribute.
        case missingAttribute(String, element: String)
        /// An element lacks a mandatory child.
        case missingElement(String, element: String)
        /// An attribute has a value of another kind.
        case unacceptableValue(String, attribute: String, expected: String)
        /// A second element has the name of the first one.
        case duplicate(String, element: String)
        /// A composite attribute is of a type that the file lacks.
        case unknownComposite(String)
        /// A type of composite attributes has itself as an element, by this path of types.
        case circularComposite([String])
        /// The text is not a predicate.
        case predicate(PredicateFormatError)
        /// The model is a keyed archive, of a store or a compiled model, that cannot be read. The
        /// entity and the property are those that were being read.
        case archive(KeyedArchiveError, entity: String? = nil, property: String? = nil)
        /// The program gives no policy for this class, which a mapping model names.
        case unknownPolicy(String)
        /// A mapping model leaves the value of a property to a policy, and the mapping has none.
        case noPolicy(property: String)
        /// The store has no model. Core Data writes it since 2013.
        case noModelInStore
        /// The store has a place for its model, and NULL or another value without a model is there.
        case emptyModelInStore
        /// The parts of the model contradict each other.
        case model(ModelError)
        /// A model file cannot express this part of the model.
        case inexpressible(String)
    }

    public internal(set) var reason: Reason

    /// The file; nil for a model that is printed.
    public internal(set) var file: URL?

    /// The line of the file, counted from 1; nil if the error concerns the whole file.
    public internal(set) var line: Int?

    init(_ reason: Reason, file: URL? = nil, line: Int? = nil) {
        self.reason = reason
        self.file = file
        self.line = line
    }

    /// The error with a file, unless it has one.
    func inFile(_ file: URL) -> ModelFileError {
        var error = self
        error.file = self.file ?? file
        return error
    }
}

extension ModelFileError: CustomStringConvertible {
    public var description: String {
        [file?.place(line: line), sentence].compactMap(\.self).joined(separator: ": ")
    }

    private var sentence: String {
        switch reason {
        case .missing: "There is no such file; check the path."
        case .unreadable(let reason): "The file cannot be read: \(reason)"
        case .tooLarge(let limit):
            "The file has more than \(limit) bytes, so it is not a model; check the path."
        case .notAModel(let found):
            "This is not a model: \(found). Name an .xcdatamodeld or .xcdatamodel folder."
        case .legacyFormat:
            "The model is in the binary format 'elements' of Xcode 3; open it in Xcode and save it again."
        case .unknownVersion(let name, let versions):
            "There is no version '\(name)'; the versions are \(Self.list(versions))."
        case .noCurrentVersion(let versions):
            "No version is marked as the current one; name one of \(Self.list(versions))."
        case .malformed(let fault): "The file is damaged: \(fault). Restore or correct it."
        case .tooDeep(let limit):
            "Elements are nested in more than \(limit) levels, so the file is not a model; check the path."
        case .notUTF8: "The file is not UTF-8 text; save it as UTF-8."
        case .documentType:
            "The file declares a document type or an entity, which no model does; remove the declaration."
        case .missingAttribute(let name, let element):
            "The element '\(element)' has no attribute '\(name)'; add it."
        case .missingElement(let name, let element):
            "The element '\(element)' has no element '\(name)'; add it."
        case .unacceptableValue(let value, let attribute, let expected):
            "The attribute '\(attribute)' is '\(value)' and must be \(expected)."
        case .duplicate(let name, let element):
            "Two elements '\(element)' have the name '\(name)'; rename one of them."
        case .unknownComposite(let name):
            "There is no composite type '\(name)'; add an element 'composite' or correct the name."
        case .circularComposite(let path):
            "The composite type is an element of itself: \(path.joined(separator: " has ")). Remove one of these elements."
        case .predicate(let error): "The predicate cannot be parsed: \(error)"
        case .archive(let error, let entity, let property):
            [entity.map { entity in property.map { "\(entity).\($0)" } ?? entity }, error.archived]
                .compactMap(\.self).joined(separator: ": ")
        case .unknownPolicy(let name):
            "There is no policy for the class '\(name)'; give one under this name."
        case .noPolicy(let property):
            "A function of the policy computes '\(property)', and the mapping names no policy; add one in Xcode."
        case .noModelInStore:
            "The store does not hold its model; open it with a model of your own."
        case .emptyModelInStore:
            "The store's table Z_MODELCACHE holds NULL, or another value, in place of its model; open it with a model of your own."
        case .model(let error): error.description
        case .inexpressible(let part):
            "A model file cannot express \(part); change the model or keep it in code."
        }
    }

    private static func list(_ versions: [String]) -> String {
        versions.map { "'\($0)'" }.joined(separator: ", ")
    }
}

extension KeyedArchiveError {
    /// The sentence for a model that is a keyed archive.
    fileprivate var archived: String {
        let fault =
            switch self {
            case .notAnArchive: "it is not a keyed archive"
            case .damaged(let fault, let offset): "\(fault) at byte \(offset)"
            case .unsupportedClass(let name): "a value of class '\(name)'"
            case .unsupportedKey: "a dictionary with a key that is not a string"
            case .circular(let offset): "the object at byte \(offset) contains itself"
            case .tooDeep(let limit): "more than \(limit) levels of objects"
            case .tooLarge(let limit): "more than \(limit) values"
            }
        return "The archived model is damaged: \(fault). Open the store with a model of your own."
    }
}
