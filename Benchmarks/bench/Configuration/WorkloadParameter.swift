/// A parameter of a workload kind.
struct WorkloadParameter: Sendable {
    var name: String
    var values: Values
    /// Used when a workload file leaves the parameter out.
    var defaultValue: String
    var summary: String
    /// Values that only stacks support; peers get no cells for them.
    var stackOnlyValues: Set<String> = []

    enum Values: Sendable {
        case integer(ClosedRange<Int>)
        case choice([String])
    }

    /// Reads one value. A list of values in a file makes an axis of the matrix.
    func value(of node: ConfigurationNode) throws -> String {
        switch values {
        case .integer(let range): String(try node.integer(in: range))
        case .choice(let allowed): try node.choice(name, of: allowed)
        }
    }

    /// The allowed values as short text.
    var allowed: String {
        switch values {
        case .integer(let range): "\(range.lowerBound)…\(range.upperBound)"
        case .choice(let allowed): allowed.joined(separator: "|")
        }
    }
}

extension WorkloadParameter.Values {
    /// True or false.
    static let flag = Self.choice(["true", "false"])

    /// The raw values of an enum.
    static func cases<Value: CaseIterable & RawRepresentable<String>>(of type: Value.Type) -> Self {
        .choice(Value.allCases.map(\.rawValue))
    }
}
