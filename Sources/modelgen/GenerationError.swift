import Foundation
import ObjectGraph

/// A part of a model for which there is no class.
struct ModelPartError: Error {
    enum Reason {
        /// The name of the class is not an identifier of Swift.
        case className(String)
        /// Generated code needs the type that the class would hide.
        case hidingClass(String)
        /// Another entity has the same class.
        case sharedClass(String, otherEntity: String)
        /// The property would hide a member of every class, or a type that generated code uses.
        case memberName(String)
        /// The user info names a type with other characters than those of a type.
        case typeName(String, key: String)
        /// The user info names a type that does not suit the attribute.
        case unsuitableType(String, key: String, AttributeType, suitable: [String])
        /// The name of a request template cannot be that of a function.
        case templateName(String)
        /// The function of a request template cannot have such a parameter.
        case variableName(String, template: String)
    }

    var entity: String
    var property: String?
    var reason: Reason
}

extension ModelPartError: CustomStringConvertible {
    var description: String {
        "\(property.map { "\(entity).\($0)" } ?? entity): \(sentence)"
    }

    private var sentence: String {
        switch reason {
        case .className(let name):
            "'\(name)' cannot be the name of a class in Swift; change the entity's Class."
        case .hidingClass(let name):
            "a class '\(name)' would hide a type that the generated source uses; give the entity another Class, such as \(name)Entity."
        case .sharedClass(let name, let other):
            "the entity '\(other)' has the class '\(name)' too; give one of them another Class."
        case .memberName(let name):
            "the generated class uses the name '\(name)' for something else; rename the property, with the old name as its Renaming ID."
        case .typeName(let text, let key):
            "the user info '\(key)' is '\(text)', which is not the name of a type. It can be Bool, Data, Date, Decimal, Double, Float, Int, Int16, Int32, Int64, ManagedObjectID, String, URL, UUID or an enumeration."
        case .unsuitableType(let text, let key, let type, let suitable):
            "the user info '\(key)' is '\(text)', which is no type for an attribute of type \(type); it can be \(suitable.joined(separator: ", ")) or an enumeration."
        case .templateName(let name):
            "the request template '\(name)' cannot be the name of a function in the class; rename it."
        case .variableName(let variable, let template):
            "the request template '\(template)' has the variable '$\(variable)', which cannot be the name of a parameter; rename it."
        }
    }
}

/// The lines of a model file, for errors.
struct ModelLines {
    private let file: URL
    private let lines: [Substring]

    init(_ file: URL) throws {
        self.file = file
        // A compiled model is no text and has no lines.
        lines = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The error with the file and the line of its property or entity.
    func located(_ error: ModelPartError) -> LocatedError {
        LocatedError(
            file: file, line: line(of: error.property, entity: error.entity), error: error)
    }

    private func line(of property: String?, entity: String) -> Int? {
        guard
            let start = lines.firstIndex(where: {
                $0.contains("<entity ") && $0.contains(" name=\"\(entity)\"")
            })
        else { return nil }
        guard let property else { return start + 1 }
        let rest = lines[(start + 1)...]
        let found = rest.firstIndex { $0.contains(" name=\"\(property)\"") }
        let end = rest.firstIndex { $0.contains("</entity>") }
        guard let found, found <= end ?? start else { return start + 1 }
        return found + 1
    }
}

struct LocatedError: Error, CustomStringConvertible {
    let file: URL
    let line: Int?
    let error: ModelPartError

    var description: String {
        "\(file.path)\(line.map { ":\($0)" } ?? ""): \(error)"
    }
}

/// A file or template that stops the generation.
enum GenerationError: Error {
    /// The file has the name of a machine file and was not made by modelgen.
    case foreignFile(URL)
    /// The folder has neither of the two templates.
    case noTemplates(URL)
    /// Stencil cannot use the template.
    case template(String, reason: String)
}

extension GenerationError: CustomStringConvertible {
    var description: String {
        switch self {
        case .foreignFile(let file):
            "\(file.path): the file was not made by modelgen, which would replace it; rename it, or choose another folder."
        case .noTemplates(let folder):
            "\(folder.path): the folder has neither machine.stencil nor human.stencil; check the path."
        case .template(let name, let reason): "\(name): \(reason)"
        }
    }
}
