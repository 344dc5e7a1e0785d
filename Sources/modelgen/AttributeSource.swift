import Foundation
import ModelSource
import ObjectGraph

/// The types of an attribute in source.
struct AttributeSource {
    /// The type of the static accessor.
    let accessor: String

    /// The type of the property.
    let property: String

    /// The type of a value that is not nil.
    let value: String

    /// The type whose raw values the attribute has; nil for most attributes.
    let enumeration: String?

    /// - Returns: nil for an attribute without a type.
    /// - Throws: `ModelPartError` if the user info names a type that does not suit.
    init?(_ attribute: AttributeDescription, of entity: String) throws(ModelPartError) {
        let key = Self.keys.first { attribute.userInfo[$0]?.isEmpty == false }
        let named = key.flatMap { attribute.userInfo[$0] }
        func fail(_ reason: ModelPartError.Reason) -> ModelPartError {
            ModelPartError(entity: entity, property: attribute.name, reason: reason)
        }
        if let key, let named, !named.isTypeSource { throw fail(.typeName(named, key: key)) }
        if attribute.type == .transformable {
            value = named ?? attribute.typeOfTransformer
            (accessor, property, enumeration) = ("Transformable<\(value)>", "\(value)?", nil)
            return
        }
        if attribute.type == .composite, let named {
            value = named
            (accessor, property, enumeration) = ("Composite<\(value)>", "\(value)?", nil)
            return
        }
        let builtIn = Self.builtIn.first { "\($0)" == named }
        if let key, let named, let builtIn, !builtIn.attributeTypes.contains(attribute.type) {
            let suitable = Self.builtIn.filter { $0.attributeTypes.contains(attribute.type) }
            throw fail(
                .unsuitableType(
                    named, key: key, attribute.type, suitable: suitable.map { "\($0)" }))
        }
        if let named, builtIn == nil {
            guard attribute.type != .undefined else { return nil }
            // Optional even if the attribute is not: the stored value may be no raw value.
            (accessor, property) = ("Attribute<\(named).RawValue?>", "\(named)?")
            (value, enumeration) = (named, named)
            return
        }
        guard let type = named ?? attribute.type.swiftType else { return nil }
        value = type
        property = attribute.isOptional ? "\(type)?" : type
        (accessor, enumeration) = ("Attribute<\(property)>", nil)
    }

    /// The keys of the user info that name a type, which are mogenerator's.
    private static let keys = ["attributeValueScalarType", "attributeValueClassName"]

    private static let builtIn: [any ManagedValue.Type] = [
        Bool.self, Data.self, Date.self, Decimal.self, Double.self, Float.self, Int.self,
        Int16.self, Int32.self, Int64.self, ManagedObjectID.self, String.self, URL.self, UUID.self,
    ]
}

extension AttributeDescription {
    /// The type of the values that the transformer makes. One of the program's is known by its name
    /// only.
    fileprivate var typeOfTransformer: String {
        if transformer == nil || transformer == .propertyList { return "PropertyList" }
        return codableType ?? "Data"
    }
}

extension AttributeType {
    /// The type of an accessor; nil for the undefined type.
    var swiftType: String? {
        switch self {
        case .undefined, .transformable: nil
        case .integer16: "Int16"
        case .integer32: "Int32"
        case .integer64: "Int64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Bool"
        case .date: "Date"
        case .binaryData: "Data"
        case .uuid: "UUID"
        case .uri: "URL"
        case .objectID: "ManagedObjectID"
        case .composite: "[String: AttributeValue]"
        }
    }
}

/// The types of a request's variables, from what they are compared with.
struct VariableTypes {
    /// In the order of the predicate, each once.
    let names: [String]
    private var types: [String: Set<String>] = [:]

    /// - Parameter classes: The names of the classes by entity.
    init(_ request: FetchRequest, model: ManagedObjectModel, classes: [String: String]) {
        var names: [String] = []
        for name in request.predicate?.variables ?? [] where !names.contains(name) {
            names.append(name)
        }
        self.names = names
        let attributes = model.attributesByName(ofEntity: request.entityName) ?? [:]
        let relationships = model.relationshipsByName(ofEntity: request.entityName) ?? [:]
        request.predicate?.forEachComparison { comparison in
            let isReversed = if case .variable = comparison.left { true } else { false }
            let sides = [comparison.left, comparison.right]
            guard case .variable(let name) = sides[isReversed ? 0 : 1],
                case .keyPath(let key) = sides[isReversed ? 1 : 0]
            else { return }
            let type =
                attributes[key]?.type.swiftType
                ?? relationships[key].map { classes[$0.destination] ?? "ManagedObject" }
            let isList = !isReversed && [.in, .between].contains(comparison.operator)
            types[name, default: []].insert(
                type.map { isList ? "[\($0)]" : $0 } ?? Self.anyType)
        }
    }

    private static let anyType = "any PredicateArgument"

    /// The type as source. A variable that is compared with several things, or with something else
    /// than a property, may be anything.
    subscript(name: String) -> String {
        types[name].flatMap { $0.count == 1 ? $0.first : nil } ?? Self.anyType
    }
}

extension ObjectPredicate {
    fileprivate func forEachComparison(_ body: (Comparison) -> Void) {
        switch self {
        case .comparison(let comparison): body(comparison)
        case .and(let parts), .or(let parts): for part in parts { part.forEachComparison(body) }
        case .not(let part): part.forEachComparison(body)
        case .value, .block: break
        }
    }
}
