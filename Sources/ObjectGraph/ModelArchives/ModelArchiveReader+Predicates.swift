import Foundation

// Predicates and expressions. Forms that the engine lacks make the whole predicate nil.
extension ModelArchiveReader {
    /// The predicate at an index: its objects, or its format as text. Nil if it has a form that the
    /// engine lacks.
    mutating func predicate(at index: Int) throws(KeyedArchiveError) -> ObjectPredicate? {
        if case .string(let format)? = try archive.knownValue(at: index) {
            return try? ObjectPredicate(readOnce: format)
        }
        let predicate = try predicate(archive.object(at: index), depth: 0)
        return predicate.flatMap { (try? $0.checkDepth()) == nil ? nil : $0 }
    }

    /// The expression of a derived attribute as text; nil if the engine lacks its form.
    mutating func derivation(
        of object: ModelArchive.Object
    ) throws(KeyedArchiveError) -> String? {
        guard object.fields["NSDerivationExpression"] != nil,
            let text = try expression("NSDerivationExpression", of: object, 0)?.derivation,
            Derivation(text) != nil
        else { return nil }
        return text
    }

    /// The expression that an archive holds; nil if the engine lacks its form.
    static func expression(_ data: Data) throws(KeyedArchiveError) -> ObjectExpression? {
        var reader = try Self(
            data, into: ModelDraft(of: URL(filePath: "/"), classes: [], transformers: []))
        return try reader.expression(reader.archive.root(), depth: 0)
    }

    private mutating func predicate(
        _ object: ModelArchive.Object, depth: Int
    ) throws(KeyedArchiveError) -> ObjectPredicate? {
        try enter(depth)
        switch object.className {
        case "NSTruePredicate": return .value(true)
        case "NSFalsePredicate": return .value(false)
        case "NSCompoundPredicate": return try compound(object, depth: depth)
        case "NSComparisonPredicate": return try comparison(object, depth: depth)
        default: return nil
        }
    }

    /// A shared object counts each time that it occurs.
    private mutating func enter(_ depth: Int) throws(KeyedArchiveError) {
        try archive.spend(16)
        guard depth < ObjectPredicate.maximumDepth else {
            throw .tooDeep(limit: ObjectPredicate.maximumDepth)
        }
    }

    private mutating func compound(
        _ object: ModelArchive.Object, depth: Int
    ) throws(KeyedArchiveError) -> ObjectPredicate? {
        var parts: [ObjectPredicate] = []
        for index in try archive.elements("NSSubpredicates", of: object) {
            guard let part = try predicate(archive.object(at: index), depth: depth + 1) else {
                return nil
            }
            parts.append(part)
        }
        switch try archive.value("NSCompoundPredicateType", of: object, as: Int.self) {
        case 0 where parts.count == 1: return .not(parts[0])
        case 1: return .and(parts)
        case 2: return .or(parts)
        default: throw try archive.damaged("an impossible compound predicate", at: object.index)
        }
    }

    private mutating func comparison(
        _ object: ModelArchive.Object, depth: Int
    ) throws(KeyedArchiveError) -> ObjectPredicate? {
        guard let left = try expression("NSLeftExpression", of: object, depth),
            let right = try expression("NSRightExpression", of: object, depth)
        else { return nil }
        let sign = try archive.required(
            archive.object("NSPredicateOperator", of: object), "NSPredicateOperator", of: object)
        let type = try archive.value("NSOperatorType", of: sign, as: Int.self)
        let modifier = try archive.value("NSModifier", of: sign) ?? 0
        let options: Int? = try archive.value("NSOptions", of: sign)
        let flags: Int? = try archive.value("NSFlags", of: sign)
        guard let type = type.flatMap(ObjectPredicate.Operator.init(rawValue:)),
            let modifier = ObjectPredicate.Modifier(rawValue: modifier)
        else { return nil }
        return .comparison(
            .init(
                left, type, right, modifier: modifier,
                options: .init(rawValue: (options ?? flags ?? 0) & 0xF)))
    }

    private mutating func expression(
        _ field: String, of object: ModelArchive.Object, _ depth: Int
    ) throws(KeyedArchiveError) -> ObjectExpression? {
        guard let part = try archive.object(field, of: object) else {
            throw try archive.damaged("no \(field)", at: object.index)
        }
        return try expression(part, depth: depth + 1)
    }

    private mutating func expression(
        _ object: ModelArchive.Object, depth: Int
    ) throws(KeyedArchiveError) -> ObjectExpression? {
        try enter(depth)
        switch object.className {
        case "NSSelfExpression": return .evaluatedObject
        case "NSVariableExpression":
            let name: String? = try archive.value("NSVariable", of: object)
            return name.flatMap { $0.isPredicateKey ? .variable($0) : nil }
        case "NSConstantValueExpression": return try constant(object)
        case "NSAggregateExpression": return try aggregate(object, depth: depth)
        case "NSKeyPathExpression": return try keyPath(object, depth: depth)
        case "NSFunctionExpression": return try function(object, depth: depth)
        default: return nil
        }
    }

    private mutating func constant(
        _ object: ModelArchive.Object
    ) throws(KeyedArchiveError) -> ObjectExpression? {
        guard let index = object.fields["NSConstantValue"] else { return .constant(.null) }
        if let decimal = try archive.decimal(at: index) { return .constant(.decimal(decimal)) }
        switch try archive.knownValue(at: index) {
        case .array(let values)?:
            let constants = values.compactMap { AttributeValue($0).map(ObjectExpression.constant) }
            return constants.count == values.count ? .aggregate(constants) : nil
        case let value?: return AttributeValue(value).map { .constant($0) }
        case nil: return nil
        }
    }

    private mutating func aggregate(
        _ object: ModelArchive.Object, depth: Int
    ) throws(KeyedArchiveError) -> ObjectExpression? {
        try expressions("NSCollection", of: object, depth).map { .aggregate($0) }
    }

    private mutating func expressions(
        _ field: String, of object: ModelArchive.Object, _ depth: Int
    ) throws(KeyedArchiveError) -> [ObjectExpression]? {
        var expressions: [ObjectExpression] = []
        for index in try archive.elements(field, of: object) {
            guard let part = try expression(archive.object(at: index), depth: depth + 1) else {
                return nil
            }
            expressions.append(part)
        }
        return expressions
    }

    /// A key path from the object, from a variable or from another expression.
    private mutating func keyPath(
        _ object: ModelArchive.Object, depth: Int
    ) throws(KeyedArchiveError) -> ObjectExpression? {
        guard let base = try expression("NSOperand", of: object, depth),
            let argument = try archive.elements("NSArguments", of: object).first,
            let path: String = try archive.value("NSKeyPath", of: archive.object(at: argument)),
            path.isPredicateKeyPath
        else { return nil }
        switch base {
        case .evaluatedObject: return .keyPath(path)
        case .variable(let name): return .variable("\(name).\(path)")
        default: return .path(base, path)
        }
    }

    private mutating func function(
        _ object: ModelArchive.Object, depth: Int
    ) throws(KeyedArchiveError) -> ObjectExpression? {
        guard let name: String = try archive.value("NSSelectorName", of: object),
            let target = try archive.object("NSOperand", of: object),
            let arguments = try expressions("NSArguments", of: object, depth)
        else { return nil }
        // Built-in functions are methods of a class.
        if target.fields["NSConstantValueClassName"] != nil { return .function(name, arguments) }
        return try expression(target, depth: depth + 1).map { .function(name, [$0] + arguments) }
    }
}

extension ObjectExpression {
    /// The text of an expression that a derived attribute may have; nil for others.
    fileprivate var derivation: String? {
        switch self {
        case .keyPath(let path): path
        case .function("now", let arguments) where arguments.isEmpty: "now()"
        case .function(let name, let arguments):
            if case .keyPath(let path)? = arguments.first, arguments.count == 1 {
                "\(name)(\(path))"
            } else {
                nil
            }
        default: nil
        }
    }
}

extension AttributeValue {
    /// The value in an archive; nil for collections and for numbers above `Int64.max`.
    init?(_ value: PropertyList) {
        switch value {
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .real(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .date(let value): self = .date(value)
        case .data(let value): self = .data(value)
        case .url(let value): self = .uri(value)
        case .uuid(let value): self = .uuid(value)
        case .unsigned, .array, .set, .dictionary: return nil
        }
    }
}
