import Measuring
import RunRecords

/// The checks of a self test of the instrument, with their results.
public struct SelfTestReport: Hashable, Sendable {
    public var title: String
    public var checks: [Check]

    /// One figure and its allowed range.
    public struct Check: Hashable, Sendable {
        public var name: String
        public var measured: Double
        /// For a simulated rate, the confidence interval of the true rate.
        public var interval: ClosedRange<Double>?
        public var allowed: ClosedRange<Double>

        /// Whether the figure, with its whole interval, is in the allowed range.
        public var hasPassed: Bool {
            allowed.contains(interval?.lowerBound ?? measured)
                && allowed.contains(interval?.upperBound ?? measured)
        }
    }

    public init(_ title: String, checks: [Check] = []) {
        self.title = title
        self.checks = checks
    }

    public var hasPassed: Bool { checks.allSatisfy(\.hasPassed) }

    public mutating func check(_ name: String, _ measured: Double, in allowed: ClosedRange<Double>)
    {
        checks.append(Check(name: name, measured: measured, allowed: allowed))
    }

    /// Adds `count` as a share of `trials`. It passes if its whole 95 % interval is allowed.
    ///
    /// Source of the interval: Wilson, "Probable inference" (1927).
    public mutating func check(
        _ name: String, share count: Int, of trials: Int, in allowed: ClosedRange<Double>
    ) {
        let (n, z) = (Double(trials), 1.96)
        let share = Double(count) / n
        let middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        let reach =
            z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
        let interval = max(0, middle - reach)...min(1, middle + reach)
        checks.append(Check(name: name, measured: share, interval: interval, allowed: allowed))
    }

    /// Adds a figure without a limit.
    public mutating func tell(_ name: String, _ value: Double) {
        check(name, value, in: -Double.infinity...Double.infinity)
    }

    /// Adds a count without a limit.
    public mutating func tell(_ name: String, _ count: Int) {
        tell(name, Double(count))
    }

    /// Checks that a count of events is at most `limit`.
    public mutating func check(_ name: String, _ count: Int, atMost limit: Int) {
        check(name, Double(count), in: 0...Double(limit))
    }

    /// Checks that a count of events is at least `limit`.
    public mutating func check(_ name: String, _ count: Int, atLeast limit: Int) {
        check(name, Double(count), in: Double(limit)...Double.infinity)
    }
}

extension SelfTestReport: CustomStringConvertible {
    /// A line for each check, with the measured figure and the allowed range.
    public var description: String {
        let lines = AlignedLines(
            checks.map {
                [
                    $0.hasPassed ? "✓" : "✗", $0.name, Self.number($0.measured),
                    Self.range($0.allowed), $0.interval.map(Self.bounds) ?? "",
                ]
            })
        let failed = checks.count { !$0.hasPassed }
        return "\(title)\n\(lines)\n\(checks.count - failed) of \(checks.count) hold"
    }

    private static func range(_ range: ClosedRange<Double>) -> String {
        if range.lowerBound == -.infinity { return "" }
        if range.upperBound == .infinity { return "≥ \(number(range.lowerBound))" }
        if range.lowerBound <= 0 { return "≤ \(number(range.upperBound))" }
        return "\(number(range.lowerBound)) to \(number(range.upperBound))"
    }

    private static func bounds(_ interval: ClosedRange<Double>) -> String {
        "[\(fixed(interval.lowerBound, 4)), \(fixed(interval.upperBound, 4))]"
    }

    private static func number(_ value: Double) -> String {
        value.rounded() == value ? fixed(value, 0) : fixed(value, 4)
    }
}
