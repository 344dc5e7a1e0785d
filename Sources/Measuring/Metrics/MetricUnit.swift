import Foundation

/// The unit in which a metric's values are stored.
public enum MetricUnit: String, Codable, Sendable {
    case seconds, nanoseconds, bytes, count, perSecond, ratio
}

extension MetricUnit {
    /// Formats a value for a reader, with three digits or more: "1.25 ms", "340 KiB", "336,776",
    /// "1.07×".
    public func format(_ value: Double) -> String {
        guard value.isFinite else { return "not a number" }
        switch self {
        case .seconds: return Self.scaled(value, Self.timeSteps)
        case .nanoseconds: return Self.scaled(value / 1e9, Self.timeSteps)
        case .bytes: return Self.scaled(value, Self.byteSteps)
        case .count, .perSecond: return value.magnitude < 10 ? short(value) : grouped(value)
        case .ratio: return fixed(value, value.magnitude < 10 ? 2 : 1) + "×"
        }
    }

    private static let timeSteps: [(size: Double, name: String)] = [
        (1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1, "s"),
    ]
    private static let byteSteps: [(size: Double, name: String)] = [
        (1, "B"), (1024, "KiB"), (1_048_576, "MiB"), (1_073_741_824, "GiB"),
    ]

    /// The names of units that a file may have behind a number.
    private static let written: [String: (unit: MetricUnit, factor: Double)] = [
        "ns": (.seconds, 1e-9), "µs": (.seconds, 1e-6), "us": (.seconds, 1e-6),
        "ms": (.seconds, 1e-3), "s": (.seconds, 1), "min": (.seconds, 60),
        "B": (.bytes, 1), "kB": (.bytes, 1e3), "MB": (.bytes, 1e6), "GB": (.bytes, 1e9),
        "KiB": (.bytes, 1_024), "MiB": (.bytes, 1_048_576), "GiB": (.bytes, 1_073_741_824),
        "%": (.ratio, 0.01), "×": (.ratio, 1), "x": (.ratio, 1),
    ]

    /// Reads a number with a unit: "10 ms", "2 MB", "105 %".
    ///
    /// - Returns: the value in this unit; `nil` if the text is no such number, or its unit measures
    ///   something else.
    public func value(of text: String) -> Double? {
        let digits = text.prefix { $0.isNumber || ".-+e".contains($0) }
        let name = text.dropFirst(digits.count).filter { $0 != " " }
        guard let number = Double(digits), number.isFinite, let found = Self.written[name],
            found.unit == (self == .nanoseconds ? .seconds : self)
        else { return nil }
        return number * found.factor * (self == .nanoseconds ? 1e9 : 1)
    }

    /// The units that ``value(of:)`` reads, for an error; empty for counts.
    public var writtenUnits: [String] {
        Self.written.filter { $0.value.unit == (self == .nanoseconds ? .seconds : self) }
            .sorted { ($0.value.factor, $0.key) < ($1.value.factor, $1.key) }.map(\.key)
    }

    /// A time in one unit: "40 seconds", "4 minutes", "2 hours".
    public static func inWords(seconds: Double) -> String {
        let (count, unit) =
            seconds < 90
            ? (seconds, "second")
            : seconds < 5_400 ? (seconds / 60, "minute") : (seconds / 3_600, "hour")
        let whole = max(count.rounded(), 1)
        return "\(grouped(whole)) \(unit)\(whole == 1 ? "" : "s")"
    }

    /// Three significant digits, in the largest unit in which the value is at least one.
    private static func scaled(_ value: Double, _ steps: [(size: Double, name: String)]) -> String {
        let step = steps.last { value.magnitude >= $0.size * 0.9995 } ?? steps[0]
        let number = value / step.size
        if number.magnitude >= 999.5 || number == 0 { return "\(grouped(number)) \(step.name)" }
        // Bytes and nanoseconds are whole numbers, and so are common memory sizes. The slack
        // absorbs the rounding error of dividing by 1e9.
        let isWhole = (number - number.rounded()).magnitude < 1e-6
        if isWhole, step.size == steps[0].size || step.name.hasSuffix("iB") {
            return "\(grouped(number)) \(step.name)"
        }
        let digits = number.magnitude < 9.995 ? 2 : number.magnitude < 99.95 ? 1 : 0
        return "\(fixed(number, digits)) \(step.name)"
    }
}

/// Formats with exactly `digits` digits after the point.
public func fixed(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
}

/// A whole number with commas between thousands.
public func grouped(_ value: Double) -> String {
    let digits = String(format: "%.0f", value.magnitude)
    var result = ""
    for (index, digit) in digits.enumerated() {
        if index > 0, (digits.count - index).isMultiple(of: 3) { result.append(",") }
        result.append(digit)
    }
    return value < 0 && digits != "0" ? "−" + result : result
}

/// Without digits after the point for a whole number.
private func short(_ value: Double) -> String {
    value.rounded() == value ? grouped(value) : fixed(value, 2)
}

/// A share as "3.1 %", without decimals from 10 % on.
public func percent(_ share: Double) -> String {
    let value = share * 100
    return "\(fixed(value, abs(value) < 9.95 && value.rounded() != value ? 1 : 0)) %"
}

/// A change as "+3.1 %" or "−3.1 %". With `nil` for `digits`, as many decimals as a round value
/// needs.
public func signedPercent(_ share: Double, digits: Int?) -> String {
    let value = abs(share * 100)
    let text =
        digits.map { fixed(value, $0) } ?? fixed(value, 2).replacing(/\.?0+$/, with: "")
    if text.allSatisfy({ $0 == "0" || $0 == "." }) { return "0 %" }
    return (share < 0 ? "−" : "+") + text + " %"
}
