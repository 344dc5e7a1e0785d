import Foundation
import ObjectGraph

/// One thing that a model says of an entity or a property, in words.
struct ModelAspect: Hashable {
    /// What it is about, such as `rule`.
    let name: String

    /// Empty for what is usual.
    let text: String

    init(_ name: String, _ text: String?) {
        self.name = name
        self.text = text ?? ""
    }
}

/// A property of any kind, as a model describes it.
struct PropertyAspects {
    let name: String
    let renamingIdentifier: String?

    /// The first one is the kind.
    let aspects: [ModelAspect]
}

extension EntityDescription {
    /// What the model says of the entity itself.
    var aspects: [ModelAspect] {
        let constraints = uniquenessConstraints.map { $0.joined(separator: " + ") }
        return [
            ModelAspect("parent", superentity),
            ModelAspect("abstract", isAbstract ? "abstract" : nil),
            ModelAspect("unique", constraints.sorted().joined(separator: ", ")),
            ModelAspect("hash modifier", versionHashModifier),
        ] + indexes.sorted { $0.name < $1.name }.map { ModelAspect("index \($0.name)", $0.text) }
    }

    /// The properties that the entity declares.
    var properties: [PropertyAspects] {
        attributes.map {
            PropertyAspects(
                name: $0.name, renamingIdentifier: $0.renamingIdentifier, aspects: $0.aspects)
        }
            + relationships.map {
                PropertyAspects(
                    name: $0.name, renamingIdentifier: $0.renamingIdentifier, aspects: $0.aspects)
            }
            + fetchedProperties.map {
                let kind = "fetched \($0.request.entityName)"
                let format = $0.request.predicate?.predicateFormat
                return PropertyAspects(
                    name: $0.name, renamingIdentifier: nil,
                    aspects: [ModelAspect("type", kind), ModelAspect("predicate", format)])
            }
    }
}

extension AttributeDescription {
    fileprivate var aspects: [ModelAspect] {
        let rules = validationRules.map { rule in
            if case .message(let text) = rule.warning {
                "\(rule.predicateFormat) (\(text))"
            } else {
                rule.predicateFormat
            }
        }
        return [
            ModelAspect("type", "\(type)"),
            ModelAspect("optional", isOptional ? nil : "mandatory"),
            ModelAspect("transient", isTransient ? "transient" : nil),
            ModelAspect("default", defaultValue.flatMap { $0.isNull ? nil : $0.text }),
            ModelAspect("rule", rules.joined(separator: ", ")),
            ModelAspect("elements", elements.map(\.asElement).joined(separator: ", ")),
            ModelAspect("transformer", transformer?.name),
            ModelAspect("storage", allowsExternalStorage ? "in files of their own" : nil),
            ModelAspect("hash modifier", versionHashModifier),
        ]
    }
}

extension AttributeDescription {
    /// The name with everything that is not usual.
    fileprivate var asElement: String {
        let texts = aspects.map(\.text).filter { !$0.isEmpty }
        return "\(name) (\(texts.joined(separator: "; ")))"
    }
}

extension RelationshipDescription {
    fileprivate var aspects: [ModelAspect] {
        let isCounted = isToMany && (minCount > 0 || maxCount > 0)
        return [
            ModelAspect("type", "\(isToMany ? "to many" : "to one") \(destination)"),
            ModelAspect("order", isOrdered ? "ordered" : nil),
            ModelAspect("optional", isOptional ? nil : "mandatory"),
            ModelAspect(
                "count", isCounted ? "\(minCount) to \(maxCount == 0 ? "∞" : "\(maxCount)")" : nil),
            ModelAspect("inverse", inverse),
            ModelAspect("delete rule", "\(deleteRule)"),
            ModelAspect("hash modifier", versionHashModifier),
        ]
    }
}

extension FetchIndexDescription {
    /// The elements, the kind and the condition.
    fileprivate var text: String {
        let parts = elements.map { element in
            element.property + (element.isAscending ? "" : " descending")
                + (element.folding == .none ? "" : " \(element.folding)")
        }
        return parts.joined(separator: ", ") + (kind == .rTree ? ", r-tree" : "")
            + (partialIndexPredicate.map { ", where \($0)" } ?? "")
    }
}

extension AttributeValue {
    fileprivate var text: String {
        switch self {
        case .null: "nil"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): value.debugDescription
        case .date(let value): value.ISO8601Format()
        case .data(let value): "\(value.count) bytes"
        case .uuid(let value): "\(value)"
        case .uri(let value): value.absoluteString
        case .objectID, .transformable, .composite: "a value"
        }
    }
}
