/// The origin of a property's values.
public struct PropertyMapping: Sendable, Hashable {
    public let name: String

    /// The value for an object of the source, which is `$source` in the expression:
    /// `$source.name`, `uppercase:($source.name)`. For a relationship, the objects of the source for
    /// whose new objects it is. Nil means the default value, or no objects.
    public let value: ObjectExpression?

    /// The name of the entity mapping that has made the objects of a relationship; nil means any.
    public let mappingName: String?

    /// The value of an attribute, or the objects of a relationship.
    ///
    /// - Parameters:
    ///   - name: The property in the new model.
    ///   - value: An expression with the variable `$source`; for a relationship, a key path from it.
    ///     Nil means the default value, or no objects.
    ///   - mappingName: The entity mapping that has made the objects of a relationship; nil means
    ///     any.
    public init(_ name: String, _ value: ObjectExpression?, through mappingName: String? = nil) {
        self.name = name
        self.value = value
        self.mappingName = mappingName
    }

    /// The value of a property of the source.
    ///
    /// - Parameters:
    ///   - name: The property in the new model.
    ///   - source: The property in the model of the rows; nil means the default value.
    public init(name: String, source: String?) {
        self.init(name, source.map { .variable(Self.sourcePrefix + $0) })
    }

    /// The property of the source that has the values; nil for one that is added, which gets its
    /// default value, and for one whose values are computed.
    public var source: String? {
        guard case .variable(let path)? = value, path.hasPrefix(Self.sourcePrefix) else {
            return nil
        }
        let name = path.dropFirst(Self.sourcePrefix.count)
        return name.contains(".") ? nil : String(name)
    }

    private static let sourcePrefix = "source."
}

extension ObjectExpression {
    /// The expression of a property mapping as one of an object of the source.
    var ofSource: ObjectExpression {
        rewritten { part in
            guard case .variable(let name) = part else { return nil }
            if name == "source" { return .evaluatedObject }
            return name.hasPrefix("source.")
                ? .keyPath(String(name.dropFirst("source.".count))) : nil
        }
    }
}
