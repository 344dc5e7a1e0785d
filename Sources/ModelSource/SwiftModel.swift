import Foundation
import ObjectGraph

/// The Swift source of a model: an extension of `ManagedObjectModel` with a function that makes it.
///
/// The model that it makes is equal to this one, apart from the order of its entities.
public struct SwiftModel {
    private let model: ManagedObjectModel
    private let name: SwiftName
    private let access: String
    private let classes: [String: String]

    /// Whether the program has to give transformers to the function.
    private let needsTransformers: Bool

    /// - Parameters:
    ///   - model: The model.
    ///   - name: The name of the function.
    ///   - access: The access level of the function as source, such as `public`; may be empty.
    ///   - classes: The names of the entities' classes in the program, as source. An entity without
    ///     one keeps the name of the class that its file gives.
    public init(
        _ model: ManagedObjectModel, name: SwiftName, access: String = "",
        classes: [String: String] = [:]
    ) {
        self.model = model
        self.name = name
        self.access = access.isEmpty ? "" : access + " "
        self.classes = classes
        needsTransformers = model.entitiesByName.values.contains { entity in
            entity.attributes.contains(where: \.needsTransformer)
        }
    }

    /// - Throws: `ModelSourceError` for defaults that are transformable or identifiers, for blocks
    ///   in predicates, and for requests with more than a predicate, limits and flags.
    public func source() throws(ModelSourceError) -> String {
        let entities = model.entitiesByName.values.sorted { $0.name < $1.name }
        var requests: [String] = []
        for (name, request) in model.fetchRequestTemplatesByName.sorted(by: { $0.key < $1.key }) {
            let source = try SwiftRequest(request, "the template '\(name)'").source
            requests.append("\(name.swiftLiteral): \(source)")
        }
        let configurations = model.configurations.sorted { $0.key < $1.key }.map { name, members in
            "\(name.swiftLiteral): \(members.sorted().source)"
        }
        let passed = needsTransformers ? "transformers" : ""
        let lists = [
            list("entities", entities.map { "try \(function(describing: $0))(\(passed))" }),
            list("configurations", configurations),
            list("versionIdentifiers", model.versionIdentifiers.sorted().map(\.swiftLiteral)),
            list("fetchRequestTemplates", requests),
        ]
        var text = """
            import Foundation
            import ObjectGraph

            extension ManagedObjectModel {
                /// Makes the model; a program does so once.
                \(access)static func \(name.source)(\(parameters)) throws -> ManagedObjectModel {
                    try ManagedObjectModel(
            \(lists.compactMap(\.self).joined(separator: ",\n")))
                }

            """
        for entity in entities { text += "\n" + (try description(of: entity)) }
        return text + transformerFunction + "}\n"
    }

    /// An argument that is a list of several lines; nil for an empty one.
    private func list(_ label: String, _ elements: [String]) -> String? {
        guard !elements.isEmpty else { return nil }
        let margin = "            "
        let lines = elements.map { "\(margin)    \($0),\n" }.joined()
        return "\(margin)\(label): [\n\(lines)\(margin)]"
    }

    private func function(describing entity: EntityDescription) -> String {
        "\(name.name)_\(entity.name)"
    }

    // MARK: - Entities

    private func description(
        of entity: EntityDescription
    ) throws(ModelSourceError) -> String {
        let type = classes[entity.name].map { ("managedObjectClass", "\($0).self") }
        var lines = [
            "var entity = EntityDescription"
                + arguments([
                    ("name", entity.name.swiftLiteral), type,
                    entity.superentity.map { ("superentity", $0.swiftLiteral) },
                    entity.isAbstract ? ("isAbstract", "true") : nil,
                ])
        ]
        func assign(_ property: String, _ elements: [String]) {
            guard !elements.isEmpty else { return }
            lines.append("entity.\(property) = [")
            lines += elements.map { "    \($0)," }
            lines.append("]")
        }
        var attributes: [String] = []
        for attribute in entity.attributes {
            attributes.append(try source(of: attribute, "\(entity.name).\(attribute.name)"))
        }
        assign("attributes", attributes)
        assign("relationships", entity.relationships.map(source(of:)))
        var fetched: [String] = []
        for property in entity.fetchedProperties {
            let request = try SwiftRequest(property.request, "\(entity.name).\(property.name)")
            fetched.append(
                "FetchedPropertyDescription"
                    + arguments([
                        (nil, property.name.swiftLiteral), (nil, request.source),
                        info(property.userInfo),
                    ]))
        }
        assign("fetchedProperties", fetched)
        assign(
            "uniquenessConstraints",
            entity.uniquenessConstraints.map(\.source))
        assign("indexes", entity.indexes.map(source(of:)))
        if type == nil, let name = entity.managedObjectClassName {
            lines.append("entity.managedObjectClassName = \(name.swiftLiteral)")
        }
        if let name = entity.renamingIdentifier {
            lines.append("entity.renamingIdentifier = \(name.swiftLiteral)")
        }
        // Always assigned, so that the variable is changed at least once.
        lines.append("entity.userInfo = \(entity.userInfo.source)")
        if let modifier = entity.versionHashModifier {
            lines.append("entity.versionHashModifier = \(modifier.swiftLiteral)")
        }
        lines.append("return entity")
        let parameters = needsTransformers ? "_ \(parameters)" : ""
        let body = lines.map { "        \($0)\n" }.joined()
        return """
                private static func \(function(describing: entity))(\(parameters))
                    throws -> EntityDescription
                {
            \(body)    }

            """
    }

    private func source(of index: FetchIndexDescription) -> String {
        let elements = index.elements.map { element in
            ".init"
                + arguments([
                    (nil, element.property.swiftLiteral),
                    element.isAscending ? nil : ("isAscending", "false"),
                    element.folding == .none ? nil : ("folding", ".\(element.folding)"),
                ])
        }
        return "FetchIndexDescription"
            + arguments([
                (nil, index.name.swiftLiteral),
                ("elements", "[\(elements.joined(separator: ", "))]"),
                index.kind == .binary ? nil : ("kind", ".\(index.kind)"),
                index.partialIndexPredicate.map { ("partialIndexPredicate", $0.swiftLiteral) },
            ])
    }

    // MARK: - Transformers

    private var parameters: String { needsTransformers ? "transformers: [ValueTransformer]" : "" }

    private var transformerFunction: String {
        guard needsTransformers else { return "" }
        return """

                private static func \(name.name)_transformer(
                    _ name: String, _ given: [ValueTransformer]
                ) -> ValueTransformer {
                    guard let transformer = given.first(where: { $0.name == name }) else {
                        fatalError("The model needs the transformer '\\(name)'; give it in transformers.")
                    }
                    return transformer
                }

            """
    }

    // MARK: - Properties

    /// - Parameter place: The entity and the attribute, for an error.
    private func source(
        of attribute: AttributeDescription, _ place: String
    ) throws(ModelSourceError) -> String {
        var defaultValue: String?
        if let value = attribute.defaultValue, !value.isNull {
            defaultValue = value.source
            if defaultValue == nil { throw ModelSourceError(part: "the default value of \(place)") }
        }
        var rules: [String] = []
        for rule in attribute.validationRules {
            let format = rule.predicateFormat
            guard (try? ObjectPredicate(format))?.predicateFormat == format else {
                throw ModelSourceError(part: "the rule '\(format)' of \(place)")
            }
            let warning =
                switch rule.warning {
                case .code(let code): ".code(\(code))"
                case .message(let text): ".message(\(text.swiftLiteral))"
                }
            rules.append("ValidationRule(\(format.swiftLiteral), \(warning))")
        }
        var elements: [String] = []
        for element in attribute.elements {
            elements.append(try source(of: element, "\(place).\(element.name)"))
        }
        let transformer: String? =
            switch attribute.transformerSource {
            case .source(let source): source
            case .given(let given):
                "\(name.name)_transformer(\(given.swiftLiteral), transformers)"
            case nil: nil
            }
        return "AttributeDescription"
            + arguments([
                (nil, attribute.name.swiftLiteral), (nil, ".\(attribute.type)"),
                attribute.isOptional ? nil : ("isOptional", "false"),
                defaultValue.map { ("defaultValue", $0) },
                attribute.isTransient ? ("isTransient", "true") : nil,
                attribute.derivation.map { ("derivation", $0.swiftLiteral) },
                elements.isEmpty
                    ? nil : ("elements", "[\(elements.joined(separator: ", "))]"),
                transformer.map { ("transformer", $0) },
                attribute.allowsExternalStorage ? ("allowsExternalStorage", "true") : nil,
                attribute.preservesValueInHistoryOnDeletion
                    ? ("preservesValueInHistoryOnDeletion", "true") : nil,
                rules.isEmpty
                    ? nil : ("validationRules", "[\(rules.joined(separator: ", "))]"),
                attribute.renamingIdentifier.map { ("renamingIdentifier", $0.swiftLiteral) },
                info(attribute.userInfo),
                attribute.versionHashModifier.map { ("versionHashModifier", $0.swiftLiteral) },
            ])
    }

    private func source(of relationship: RelationshipDescription) -> String {
        "RelationshipDescription"
            + arguments([
                ("name", relationship.name.swiftLiteral),
                ("destination", relationship.destination.swiftLiteral),
                relationship.inverse.map { ("inverse", $0.swiftLiteral) },
                relationship.minCount == 0 ? nil : ("minCount", "\(relationship.minCount)"),
                ("maxCount", "\(relationship.maxCount)"),
                relationship.isOptional ? nil : ("isOptional", "false"),
                relationship.deleteRule == .nullify
                    ? nil : ("deleteRule", ".\(relationship.deleteRule)"),
                relationship.isOrdered ? ("isOrdered", "true") : nil,
                relationship.renamingIdentifier.map { ("renamingIdentifier", $0.swiftLiteral) },
                info(relationship.userInfo),
                relationship.versionHashModifier.map { ("versionHashModifier", $0.swiftLiteral) },
            ])
    }

    private func info(_ info: [String: String]) -> (String?, String)? {
        info.isEmpty ? nil : ("userInfo", info.source)
    }
}

/// The arguments of a call, without those that are nil.
func arguments(_ arguments: [(label: String?, value: String)?]) -> String {
    let list = arguments.compactMap(\.self).map { argument in
        argument.label.map { "\($0): \(argument.value)" } ?? argument.value
    }
    return "(\(list.joined(separator: ", ")))"
}

extension [String] {
    fileprivate var source: String { "[\(map(\.swiftLiteral).joined(separator: ", "))]" }
}

extension [String: String] {
    fileprivate var source: String {
        guard !isEmpty else { return "[:]" }
        let entries = sorted { $0.key < $1.key }
            .map { "\($0.key.swiftLiteral): \($0.value.swiftLiteral)" }
        return "[\(entries.joined(separator: ", "))]"
    }
}
