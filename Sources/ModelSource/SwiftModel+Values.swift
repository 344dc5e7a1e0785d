import Foundation
import ObjectGraph

/// The Swift source of a fetch request.
public struct SwiftRequest {
    /// An expression for a request with the entity and the predicate, which may throw.
    public let expression: String

    /// Statements that set the rest in a variable `request`.
    public let assignments: [String]

    /// - Parameters:
    ///   - request: The request.
    ///   - place: What the request belongs to, for an error.
    /// - Throws: `ModelSourceError` for more than a predicate, limits and flags.
    public init(_ request: FetchRequest, _ place: String) throws(ModelSourceError) {
        let format = request.predicate?.predicateFormat
        // Blocks and identifiers of objects print for people only.
        guard format == format.flatMap({ try? ObjectPredicate($0).predicateFormat }) else {
            throw ModelSourceError(part: "the predicate of \(place)")
        }
        var expressible = FetchRequest(
            entityName: request.entityName, predicate: request.predicate)
        var assignments: [String] = []
        func copy<Value: Equatable>(
            _ path: WritableKeyPath<FetchRequest, Value>, _ name: String
        ) {
            guard request[keyPath: path] != expressible[keyPath: path] else { return }
            expressible[keyPath: path] = request[keyPath: path]
            assignments.append("request.\(name) = \(request[keyPath: path])")
        }
        copy(\.fetchLimit, "fetchLimit")
        copy(\.fetchOffset, "fetchOffset")
        copy(\.fetchBatchSize, "fetchBatchSize")
        copy(\.includesSubentities, "includesSubentities")
        copy(\.includesPropertyValues, "includesPropertyValues")
        copy(\.includesPendingChanges, "includesPendingChanges")
        copy(\.returnsObjectsAsFaults, "returnsObjectsAsFaults")
        copy(\.returnsDistinctResults, "returnsDistinctResults")
        guard request == expressible else {
            throw ModelSourceError(part: "all of the request of \(place)")
        }
        expression =
            "FetchRequest"
            + arguments([
                ("entityName", request.entityName.swiftLiteral),
                format.map { ("predicate", "try ObjectPredicate(\($0.swiftLiteral))") },
            ])
        self.assignments = assignments
    }

    /// The whole request as one expression.
    var source: String {
        guard !assignments.isEmpty else { return expression }
        let statements = ["var request = \(expression)"] + assignments + ["return request"]
        let mayThrow = expression.contains("try ")
        return "\(mayThrow ? "try " : ""){ \(statements.joined(separator: "; ")) }()"
    }
}

/// How the source of a model names the transformer of an attribute.
public enum TransformerSource: Sendable, Hashable {
    /// An expression.
    case source(String)
    /// The name of a transformer that the program gives.
    case given(String)

    var isGiven: Bool { if case .given = self { true } else { false } }
}

extension AttributeDescription {
    /// The attribute's transformer; nil if the model names none.
    public var transformerSource: TransformerSource? {
        guard let transformer else { return nil }
        if transformer == .propertyList { return .source(".propertyList") }
        if let type = codableType { return .source(".codable(\(type).self)") }
        return .given(transformer.name)
    }

    /// Whether the program gives the transformer of the attribute, or of an element of it.
    var needsTransformer: Bool {
        transformerSource?.isGiven == true || elements.contains(where: \.needsTransformer)
    }

    /// The type of a transformer that `ValueTransformer.codable` has made, as source.
    public var codableType: String? {
        guard let match = transformer?.name.wholeMatch(of: /Codable<(.+)>/) else { return nil }
        return String(match.output.1).isTypeSource ? String(match.output.1) : nil
    }
}

extension String {
    /// Whether the text may stand for a type in source: `Cover`, `Library.Cover`, `[String: Int]`.
    public var isTypeSource: Bool { wholeMatch(of: /[\p{L}_\[][\p{L}\p{N}_.<>\[\]:, ?]*/) != nil }
}

extension AttributeValue {
    /// The value as an expression; nil if there is none.
    var source: String? {
        switch self {
        case .null: ".null"
        case .boolean(let value): ".boolean(\(value))"
        case .integer(let value): ".integer(\(value))"
        case .double(let value): value.isFinite ? ".double(\(value))" : nil
        case .decimal(let value): ".decimal(Decimal(string: \"\(value)\")!)"
        case .string(let value): ".string(\(value.swiftLiteral))"
        case .date(let value):
            ".date(Date(timeIntervalSinceReferenceDate: \(value.timeIntervalSinceReferenceDate)))"
        case .data(let value): ".data(Data(base64Encoded: \"\(value.base64EncodedString())\")!)"
        case .uuid(let value): ".uuid(UUID(uuidString: \"\(value)\")!)"
        case .uri(let value): ".uri(URL(string: \(value.absoluteString.swiftLiteral))!)"
        case .objectID, .transformable, .composite: nil
        }
    }
}
