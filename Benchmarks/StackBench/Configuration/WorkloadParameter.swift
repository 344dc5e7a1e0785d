/// A parameter of a workload kind.
public struct WorkloadParameter: Sendable {
    var name: String
    var values: Values
    /// Used when a workload file leaves the parameter out.
    var defaultValue: String
    var summary: String
    /// Values that only stacks support; peers get no cells for them.
    var stackOnlyValues: Set<String>

    /// What a workload file may set.
    public enum Values: Sendable {
        case integer(ClosedRange<Int>)
        case choice([String])
    }

    /// - Parameters:
    ///   - name: What workload files name it by.
    ///   - values: What they may set.
    ///   - defaultValue: Used when a workload file leaves the parameter out.
    ///   - summary: What it is, in a few words, for `bench list`.
    public init(name: String, values: Values, defaultValue: String, summary: String) {
        self.init(
            name: name, values: values, defaultValue: defaultValue, summary: summary,
            stackOnlyValues: [])
    }

    init(
        name: String, values: Values, defaultValue: String, summary: String,
        stackOnlyValues: Set<String>
    ) {
        self.name = name
        self.values = values
        self.defaultValue = defaultValue
        self.summary = summary
        self.stackOnlyValues = stackOnlyValues
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
