extension AttributeValue {
    /// Orders two values of comparable kinds: numbers by their exact value, Booleans and dates as
    /// numbers, strings by Unicode scalars, data by bytes.
    ///
    /// - Returns: Less than, equal to or greater than 0; nil if either is null or if their kinds
    ///   differ.
    @inline(__always)
    func order(to other: AttributeValue) -> Int? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)):
            left < right ? -1 : left == right ? 0 : 1
        case (.string(let left), .string(let right)):
            left.withUTF8Bytes { left in right.withUTF8Bytes { StringComparison.binary(left, $0) } }
        default: generalOrder(to: other)
        }
    }

    @inline(never)
    private func generalOrder(to other: AttributeValue) -> Int? {
        switch (self, other) {
        case (.null, _), (_, .null): return nil
        case (.string, _), (.uri, _):
            guard let left = string, let right = other.string else { return nil }
            return AttributeValue.string(left).order(to: .string(right))
        case (.data(let left), .data(let right)):
            return left.withUnsafeBytes { left in
                right.withUnsafeBytes { StringComparison.binary(left, $0) }
            }
        case (.uuid(let left), .uuid(let right)):
            return withUnsafeBytes(of: left.uuid) { left in
                withUnsafeBytes(of: right.uuid) { StringComparison.binary(left, $0) }
            }
        case (.objectID(let left), .objectID(let right)):
            return left == right ? 0 : left.reference < right.reference ? -1 : 1
        default: return numericOrder(to: other)
        }
    }

    private func numericOrder(to other: AttributeValue) -> Int? {
        switch (exactInteger, other.exactInteger) {
        case (let left?, let right?): return left < right ? -1 : left == right ? 0 : 1
        case (let left?, nil): return other.double.flatMap { Self.order(left, $0) }
        case (nil, let right?): return double.flatMap { Self.order(right, $0) }.map { -$0 }
        case (nil, nil):
            guard let left = double, let right = other.double, !left.isNaN, !right.isNaN else {
                return nil
            }
            return left < right ? -1 : left == right ? 0 : 1
        }
    }

    private var exactInteger: Int64? {
        switch self {
        case .integer(let value): value
        case .boolean(let value): value ? 1 : 0
        default: nil
        }
    }

    /// Compares as SQLite does, without rounding the integer.
    private static func order(_ left: Int64, _ right: Double) -> Int? {
        if right.isNaN { return nil }
        if right >= 0x1p63 { return -1 }
        if right < -0x1p63 { return 1 }
        let whole = Int64(right.rounded(.towardZero))
        if left != whole { return left < whole ? -1 : 1 }
        let fraction = right - Double(whole)
        return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
    }
}

extension Condition.Relation {
    @inline(__always)
    func holds(for order: Int) -> Bool {
        switch self {
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        case .equal: order == 0
        case .notEqual: order != 0
        }
    }
}
