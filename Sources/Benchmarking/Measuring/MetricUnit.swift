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
func fixed(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
}

/// A whole number with commas between thousands.
func grouped(_ value: Double) -> String {
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
