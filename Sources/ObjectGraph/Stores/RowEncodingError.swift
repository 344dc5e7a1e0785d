/// A value of a sequence cannot be inserted as a row. Nothing was inserted.
public struct RowEncodingError: Error, Sendable {
    public enum Reason: Sendable {
        /// The value has no keys: it is a number, a text or an array.
        case noKeys
        /// The value of a key has keys or elements of its own.
        case nested
        /// The key names no persistent attribute.
        case unknownAttribute
        /// The attribute cannot store the value.
        case unacceptableValue(AttributeValue)
        /// The value threw an error instead of encoding itself.
        case failed(any Error)
    }

    public let reason: Reason

    /// The entity of the rows.
    public let entity: String

    /// The keys that lead to the place in the value; empty for the value itself.
    public let codingPath: [String]

    /// The number of the value in the sequence, from 1.
    public let elementNumber: Int
}

extension RowEncodingError: CustomStringConvertible {
    public var description: String {
        let sentence =
            switch reason {
            case .noKeys: "The value has no keys, so that no attribute takes it; encode an object."
            case .nested:
                "The value has keys or elements of its own; encode a single value, or leave it out."
            case .unknownAttribute:
                "The key is not a persistent attribute; correct the coding key, or leave it out."
            case .unacceptableValue(let value):
                "\(value.messageText) is not acceptable; encode a value that the attribute's type can hold."
            case .failed(let error): "The value cannot be encoded: \(error)"
            }
        let place = ([entity] + codingPath).joined(separator: ".")
        return "\(sentence) Value \(elementNumber), '\(place)'."
    }
}
