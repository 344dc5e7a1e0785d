/// An operator between two expressions, with its precedence. All are left-associative (spec §7.1).
///
/// The bit operators have the same precedence as in Swift.
struct PredicateInfix {
    let sign: String

    /// A higher level binds tighter.
    let level: Int

    /// The function of the operator; nil for operators on collections.
    let function: String?

    private static let all = [
        PredicateInfix(sign: "UNION", level: 0, function: nil),
        PredicateInfix(sign: "INTERSECT", level: 0, function: nil),
        PredicateInfix(sign: "MINUS", level: 0, function: nil),
        PredicateInfix(sign: "+", level: 1, function: "add:to:"),
        PredicateInfix(sign: "-", level: 1, function: "from:subtract:"),
        PredicateInfix(sign: "|", level: 1, function: "bitwiseOr:with:"),
        PredicateInfix(sign: "^", level: 1, function: "bitwiseXor:with:"),
        PredicateInfix(sign: "*", level: 2, function: "multiply:by:"),
        PredicateInfix(sign: "/", level: 2, function: "divide:by:"),
        PredicateInfix(sign: "&", level: 2, function: "bitwiseAnd:with:"),
        PredicateInfix(sign: "**", level: 3, function: "raise:toPower:"),
        PredicateInfix(sign: "<<", level: 3, function: "leftshift:by:"),
        PredicateInfix(sign: ">>", level: 3, function: "rightshift:by:"),
    ]

    private static let bySign = Dictionary(uniqueKeysWithValues: all.map { ($0.sign, $0) })
    private static let byFunction = Dictionary(
        uniqueKeysWithValues: all.compactMap { infix in infix.function.map { ($0, infix) } })

    private init(sign: String, level: Int, function: String?) {
        self.sign = sign
        self.level = level
        self.function = function
    }

    init?(sign: String) {
        guard let found = Self.bySign[sign] else { return nil }
        self = found
    }

    init?(function: String) {
        guard let found = Self.byFunction[function] else { return nil }
        self = found
    }

    static func combining(_ operation: ObjectExpression.SetOperation) -> PredicateInfix {
        bySign[operation.rawValue]!
    }

    func expression(_ left: ObjectExpression, _ right: ObjectExpression) -> ObjectExpression {
        if let function { return .function(function, [left, right]) }
        return .combined(left, ObjectExpression.SetOperation(rawValue: sign)!, right)
    }
}
