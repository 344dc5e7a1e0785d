import Foundation
import ObjectGraph

/// A value of a row that is compared: of an attribute, or the objects of a relationship, each as
/// text.
enum RowValue: Sendable, Hashable {
    case attribute(AttributeValue)
    case members([String])

    var text: String {
        switch self {
        case .attribute(let value): value.shown
        case .members(let labels): "[\(labels.joined(separator: ", "))]"
        }
    }
}

/// A row that is expected or found.
struct Row: Sendable {
    let values: [String: RowValue]

    var text: String {
        let shown = values.sorted { $0.key < $1.key }.map { "\($0): \($1.text)" }
        return "(\(shown.joined(separator: ", ")))"
    }
}

extension AttributeValue {
    /// The value as text. Other values have other texts.
    var shown: String {
        switch self {
        case .null: "nil"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): value.debugDescription
        case .date(let value): "\(value.timeIntervalSinceReferenceDate) s"
        case .data(let value):
            value.count <= 24
                ? "0x" + value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                : "\(value.count) bytes \(value.digest)"
        case .uuid(let value): "\(value)"
        case .uri(let value): value.absoluteString
        case .objectID(let value): "\(value)"
        case .transformable(let value): "\(value.value)"
        case .composite(let values):
            "(\(values.sorted { $0.key < $1.key }.map { "\($0): \($1.shown)" }.joined(separator: ", ")))"
        }
    }
}

extension Data {
    /// FNV-1a, in hexadecimal digits.
    fileprivate var digest: String {
        let hash = reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
        return String(hash, radix: 16)
    }
}
