import Foundation
import TestSupport

@testable import ObjectGraph

/// Makes random predicates on the objects of an entity, with everything that both evaluators
/// support.
///
/// For values that may be nil, the evaluators agree only without negation (spec §7.4): under NOT,
/// ALL and `!=`, and between two nils, SQL has a third truth value. There, the predicates use only
/// values that cannot be nil.
struct PredicateGenerator {
    let model: ManagedObjectModel
    let hasNils: Bool
    /// Whether the model has full-text indexes.
    let hasFullText: Bool
    /// Objects for constants, by the name of their root entity.
    let objects: [String: [ManagedObjectID]]
    var random: SeededGenerator

    /// The values of the predicate's variables.
    private(set) var variables: [String: ManagedObjectID] = [:]

    init(
        _ model: ManagedObjectModel, hasNils: Bool, hasFullText: Bool = true,
        objects: [String: [ManagedObjectID]], _ random: SeededGenerator
    ) {
        self.model = model
        self.hasNils = hasNils
        self.hasFullText = hasFullText
        self.objects = objects
        self.random = random
    }

    /// The start of key paths.
    struct Start {
        let entity: Entity
        /// `$x` for the object of a SUBQUERY; nil for the fetched object.
        var variable: String?

        func expression(_ path: String) -> ObjectExpression {
            variable.map { .variable($0 + "." + path) } ?? .keyPath(path)
        }
    }

    private struct Value {
        let expression: ObjectExpression
        let mayBeNil: Bool
        /// The type of a constant to compare it with.
        let type: AttributeType
    }

    mutating func predicate(_ entity: Entity) -> ObjectPredicate {
        variables = [:]
        return predicate(Start(entity: entity), depth: 3, isNegated: false)
    }

    private mutating func predicate(
        _ start: Start, depth: Int, isNegated: Bool
    ) -> ObjectPredicate {
        switch depth == 0 ? 9 : Int.random(in: 0..<10, using: &random) {
        case 0, 1: .and(parts(start, depth, isNegated))
        case 2, 3: .or(parts(start, depth, isNegated))
        case 4: .not(predicate(start, depth: depth - 1, isNegated: true))
        case 5 where random.chance(10): .value(random.chance(50))
        case 6,
            7 where depth > 0:
            collection(start, depth, isNegated)
        default: comparison(start, depth, isNegated)
        }
    }

    private mutating func parts(
        _ start: Start, _ depth: Int, _ isNegated: Bool
    ) -> [ObjectPredicate] {
        (0..<random.pick([2, 2, 3])).map { _ in
            predicate(start, depth: depth - 1, isNegated: isNegated)
        }
    }

    /// Seldom more values than SQL gets as separate parameters.
    private mutating func listLength() -> Int {
        random.chance(2) ? 501 : random.pick([0, 1, 3, 3])
    }

    // MARK: - Comparisons

    private mutating func comparison(
        _ start: Start, _ depth: Int, _ isNegated: Bool
    ) -> ObjectPredicate {
        switch Int.random(in: 0..<13, using: &random) {
        case 12:
            .comparison(
                .init(
                    start.expression(random.pick(["place", "place.point"])),
                    random.pick([.equal, .notEqual]), .constant(.null)))
        case 0...3: compare(number(start, depth, isNegated), start, depth, isNegated)
        case 4...7: string(start, depth, isNegated)
        case 8: object(start, isNegated)
        default: compare(attribute(start, isNegated) { _ in true }, start, depth, isNegated)
        }
    }

    private mutating func compare(
        _ left: Value, _ start: Start, _ depth: Int, _ isNegated: Bool,
        _ modifier: ObjectPredicate.Modifier = .direct
    ) -> ObjectPredicate {
        func make(
            _ operation: ObjectPredicate.Operator, _ right: ObjectExpression
        ) -> ObjectPredicate {
            .comparison(.init(left.expression, operation, right, modifier: modifier))
        }
        let type = left.type
        let relations: [ObjectPredicate.Operator] = [
            .equal, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual,
        ]
        switch Int.random(in: 0..<10, using: &random) {
        case 0 where !(left.expression.isConstant):
            return make(random.pick([.equal, .notEqual]), .constant(.null))
        case 1:
            let bounds = [constant(type), constant(type)]
            return make(.between, .aggregate(bounds))
        case 2, 3:
            var list = (0..<listLength()).map { _ in constant(type) }
            if random.chance(15) { list.append(.constant(.null)) }
            return make(.in, .aggregate(list))
        case 4...5
        where ValueKind(type) == .number && type != .boolean && modifier == .direct:
            let right = number(start, depth - 1, isNegated)
            let operation = left.mayBeNil && right.mayBeNil ? .lessThan : random.pick(relations)
            return make(operation, right.expression)
        default:
            let operation =
                left.mayBeNil ? random.pick(relations) : random.pick(relations + [.notEqual])
            return make(operation, constant(type))
        }
    }

    private mutating func constant(_ type: AttributeType) -> ObjectExpression {
        .constant(random.value(of: type))
    }

    private mutating func string(
        _ start: Start, _ depth: Int, _ isNegated: Bool
    ) -> ObjectPredicate {
        if random.chance(20) { return numberAsString(start, depth, isNegated) }
        if hasFullText, random.chance(10) { return search(start) }
        var value = attribute(start, isNegated) { $0 == .string }
        if random.chance(15) {
            value = Value(
                expression: .function(
                    random.pick(["lowercase:", "uppercase:", "canonical:"]), [value.expression]),
                mayBeNil: value.mayBeNil, type: .string)
        } else if random.chance(10) {
            value = Value(
                expression: start.expression("entity.name"), mayBeNil: false, type: .string)
        }
        return string(value, isNegated, .direct)
    }

    private mutating func string(
        _ value: Value, _ isNegated: Bool, _ modifier: ObjectPredicate.Modifier
    ) -> ObjectPredicate {
        let options: ObjectPredicate.Options =
            random.chance(40) ? [] : .init(rawValue: Int.random(in: 0..<16, using: &random))
        let operation: ObjectPredicate.Operator
        var right = constant(.string)
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: operation = random.pick([.equal, .lessThan, .greaterThanOrEqual])
        case 2:
            operation = .in
            right = .aggregate((0..<listLength()).map { _ in constant(.string) })
        case 3:
            operation = .like
            let patterns = ["a*", "*b", "?", "*", "*e*", "z??", #"a\*b"#, "É*", "*ß*", "\\"]
            right = .constant(.string(random.pick(patterns)))
        case 4:
            operation = .matches
            right = .constant(
                .string(random.pick(["a.*", "[a-z]+\\d+", ".", "é|É", "(a|ab)(c)?"])))
        default: operation = random.pick([.beginsWith, .endsWith, .contains])
        }
        return .comparison(
            .init(value.expression, operation, right, modifier: modifier, options: options))
    }

    /// A search, which nil does not match. So it may be negated.
    private mutating func search(_ start: Start) -> ObjectPredicate {
        let key = random.pick(["text", "words"])
        let texts = SeededGenerator.strings + ["e*", "a* b", "\"ab c\"", "str*", "z*"]
        return .comparison(
            .init(start.expression(key), .search, .constant(.string(random.pick(texts)))))
    }

    /// A number as text, which shows whether it is an integer or a real number.
    private mutating func numberAsString(
        _ start: Start, _ depth: Int, _ isNegated: Bool
    ) -> ObjectPredicate {
        var number = number(start, depth, isNegated).expression
        // A format cannot cast constants to strings.
        if number.isConstant { number = .function("abs:", [number]) }
        let text = ObjectExpression.function(
            "castObject:toType:", [number, .constant("NSString")])
        let digits = ["0", ".0", "1", "2", "2.0", "3", "-", "-7", "0.1", "1e+300", "9"]
        return .comparison(
            .init(
                text, random.pick([.equal, .beginsWith, .endsWith, .contains, .lessThan]),
                .constant(.string(random.pick(digits)))))
    }

    private mutating func object(_ start: Start, _ isNegated: Bool) -> ObjectPredicate {
        let toOnes = start.entity.properties.filter {
            $0.kind == .toOne && !(isNegated && hasNils)
        }
        var value: ObjectExpression = start.variable.map { .variable($0) } ?? .evaluatedObject
        var entity = start.entity
        if let property = toOnes.randomElement(using: &random), random.chance(70) {
            value = start.expression(property.name)
            entity = model.destination(of: property.relationship!)
            if random.chance(20) {
                return .comparison(.init(value, .equal, .constant(.null)))
            }
        }
        if random.chance(30) {
            let list = (0..<listLength()).map { _ in objectVariable(entity) }
            return .comparison(.init(value, .in, .aggregate(list)))
        }
        return .comparison(.init(value, .equal, objectVariable(entity)))
    }

    private mutating func objectVariable(_ entity: Entity) -> ObjectExpression {
        let all = objects[model.entities[entity.rootIndex].name]!
        let index = Int.random(in: all.indices, using: &random)
        let name = "\(model.entities[entity.rootIndex].name)\(index)"
        variables[name] = all[index]
        return .variable(name)
    }

    // MARK: - Values

    /// An attribute of the object, or of one at the end of to-one relationships.
    private mutating func attribute(
        _ start: Start, _ isNegated: Bool, _ fits: (AttributeType) -> Bool
    ) -> Value {
        // If everything may be nil, a negated predicate can use only constants.
        if hasNils, isNegated {
            let type = random.pick(
                [AttributeType.integer16, .string].filter(fits) + [.string].filter(fits))
            return Value(expression: constant(type), mayBeNil: false, type: type)
        }
        var entity = start.entity
        var path = ""
        for _ in 0..<random.pick([0, 0, 0, 1, 2]) {
            let toOnes = entity.properties.filter { $0.kind == .toOne }
            guard let property = toOnes.randomElement(using: &random) else { break }
            path += property.name + "."
            entity = model.destination(of: property.relationship!)
        }
        let found = random.pick(
            entity.properties.filter {
                !$0.isPlace && !$0.isComposite && $0.attributeType.map(fits) == true
            })
        return Value(
            expression: start.expression(path + found.name), mayBeNil: hasNils,
            type: found.attributeType!)
    }

    private mutating func number(_ start: Start, _ depth: Int, _ isNegated: Bool) -> Value {
        guard depth > 0, random.chance(50) else {
            if random.chance(15) {
                let type = random.pick([AttributeType.integer16, .double])
                return Value(expression: constant(type), mayBeNil: false, type: type)
            }
            return attribute(start, isNegated) { ValueKind($0) == .number && $0 != .boolean }
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0...3: return function(start, depth, isNegated)
        case 4:
            let condition = predicate(start, depth: 0, isNegated: isNegated)
            let (first, second) = (
                number(start, depth - 1, isNegated), number(start, depth - 1, isNegated)
            )
            return Value(
                expression: .conditional(condition, first.expression, second.expression),
                mayBeNil: first.mayBeNil || second.mayBeNil, type: .double)
        case 5: return statistic(start, depth, isNegated)
        case 6:
            let values = [number(start, 0, isNegated), number(start, 0, isNegated)]
            if random.chance(30), !isNegated {
                let index = number(start, depth - 1, isNegated).expression
                return Value(
                    expression: .element(.aggregate(values.map(\.expression)), .position(index)),
                    mayBeNil: true, type: .double)
            }
            return Value(
                expression: .function(
                    random.pick(["max:", "min:"]), [.aggregate(values.map(\.expression))]),
                mayBeNil: values.contains { $0.mayBeNil }, type: .double)
        default:
            let text = attribute(start, isNegated) { $0 == .string }
            if random.chance(50), !isNegated {
                return Value(
                    expression: .function(
                        "castObject:toType:", [text.expression, .constant("NSNumber")]),
                    mayBeNil: true, type: .double)
            }
            return Value(
                expression: .function("length:", [text.expression]), mayBeNil: text.mayBeNil,
                type: .integer16)
        }
    }

    private mutating func function(_ start: Start, _ depth: Int, _ isNegated: Bool) -> Value {
        let value = number(start, depth - 1, isNegated)
        let never = [
            "abs:", "floor:", "ceiling:", "trunc:", "onesComplement:", "add:to:", "from:subtract:",
            "bitwiseAnd:with:", "bitwiseOr:with:", "bitwiseXor:with:",
            "leftshift:by:", "rightshift:by:",
        ]
        // Null if the result is NaN, such as the difference of two infinite products.
        let atTimes = [
            "multiply:by:", "sqrt:", "log:", "ln:", "divide:by:", "modulus:by:", "raise:toPower:",
        ]
        let name = random.pick(never + (isNegated ? [] : atTimes))
        let function = Operand.Function(rawValue: name)!
        var arguments = [value.expression]
        var mayBeNil = value.mayBeNil || atTimes.contains(name)
        if function.argumentKinds.count == 2 {
            let other = number(start, depth - 1, isNegated)
            arguments.append(other.expression)
            mayBeNil = mayBeNil || other.mayBeNil
            // The difference of two infinities.
            mayBeNil = mayBeNil || !isNegated
        }
        return Value(expression: .function(name, arguments), mayBeNil: mayBeNil, type: .double)
    }

    private mutating func statistic(_ start: Start, _ depth: Int, _ isNegated: Bool) -> Value {
        guard let (members, entity) = members(start, depth, isNegated) else {
            return number(start, depth - 1, isNegated)
        }
        if random.chance(40) || isNegated {
            return Value(
                expression: path(members, "@count"), mayBeNil: false, type: .integer16)
        }
        // Sums of small integers only: others depend on the order of the objects.
        let name = random.pick(["@sum", "@avg", "@min", "@max"])
        _ = entity
        return Value(
            expression: path(members, "\(name).small"), mayBeNil: name != "@sum", type: .integer16)
    }

    // MARK: - Collections

    /// A to-many relationship or a SUBQUERY over one, and the entity of its objects.
    private mutating func members(
        _ start: Start, _ depth: Int, _ isNegated: Bool
    ) -> (ObjectExpression, Entity)? {
        let toManys = start.entity.properties.filter { $0.kind == .toMany }
        guard let property = toManys.randomElement(using: &random) else { return nil }
        let entity = model.destination(of: property.relationship!)
        let members = start.expression(property.name)
        guard depth > 0, random.chance(40) else { return (members, entity) }
        let name = "v\(depth)" + (start.variable ?? "")
        let condition = predicate(
            Start(entity: entity, variable: name), depth: depth - 1, isNegated: isNegated)
        return (.subquery(members, variable: name, condition), entity)
    }

    private func path(_ base: ObjectExpression, _ path: String) -> ObjectExpression {
        switch base {
        case .keyPath(let text): .keyPath(text + "." + path)
        case .variable(let text): .variable(text + "." + path)
        default: .path(base, path)
        }
    }

    private mutating func collection(
        _ start: Start, _ depth: Int, _ isNegated: Bool
    ) -> ObjectPredicate {
        guard let (members, entity) = members(start, depth - 1, isNegated) else {
            return comparison(start, depth - 1, isNegated)
        }
        if random.chance(25) {
            let count = ObjectExpression.constant(.integer(random.pick([0, 1, 2, 4])))
            return .comparison(
                .init(
                    path(members, "@count"),
                    random.pick([.equal, .notEqual, .greaterThan, .lessThan]), count))
        }
        if random.chance(20) {
            let member = objectVariable(entity)
            return random.chance(50)
                ? .comparison(.init(members, .contains, member))
                : .comparison(.init(member, .in, members))
        }
        if hasNils, isNegated { return .value(random.chance(50)) }
        let modifier: ObjectPredicate.Modifier = !hasNils && random.chance(30) ? .all : .any
        let value = attribute(Start(entity: entity), isNegated || modifier == .all) { _ in true }
        guard case .keyPath(let text) = value.expression else { return .value(true) }
        let inside = Value(
            expression: path(members, text), mayBeNil: value.mayBeNil, type: value.type)
        return value.type == .string && random.chance(60)
            ? string(inside, isNegated, modifier)
            : compare(inside, start, 0, isNegated || modifier == .all, modifier)
    }
}

extension ObjectExpression {
    fileprivate var isConstant: Bool {
        if case .constant = self { true } else { false }
    }
}
