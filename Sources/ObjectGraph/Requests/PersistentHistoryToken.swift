import Foundation

/// A place in the histories of a coordinator's stores: the last transaction of each (spec §10.4).
///
/// Keep the token of the last transaction that was read, and fetch the history after it the next
/// time. Tokens are equal in all coordinators and processes, and can be encoded.
public struct PersistentHistoryToken: Sendable, Hashable, Codable {
    /// The number of the last transaction by the identifier of its store; 0 before the first.
    public private(set) var transactionNumbers: [String: Int64]

    package init(_ transactionNumbers: [String: Int64]) {
        self.transactionNumbers = transactionNumbers
    }

    /// Nil without numbers.
    init?(ifAny transactionNumbers: [String: Int64]) {
        guard !transactionNumbers.isEmpty else { return nil }
        self.init(transactionNumbers)
    }

    /// Whether all that the other token has seen happened up to this one, in every store.
    public func includes(_ other: Self) -> Bool {
        other.transactionNumbers.allSatisfy { store, number in
            transactionNumbers[store].map { $0 >= number } ?? false
        }
    }

    /// Moves forward to the other token where that is newer.
    public mutating func formUnion(_ other: Self) {
        transactionNumbers.merge(other.transactionNumbers) { max($0, $1) }
    }
}

extension PersistentHistoryToken: CustomStringConvertible {
    public var description: String {
        transactionNumbers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            .joined(separator: ", ")
    }
}

extension PersistentHistoryToken: PredicateArgument {
    /// A constant to compare with the key `token` of a history request.
    public var predicateExpression: ObjectExpression {
        // Sorted, so that equal tokens are equal constants.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return .constant(.data((try? encoder.encode(self)) ?? Data()))
    }

    /// The token of a constant; nil for other expressions.
    init?(_ expression: ObjectExpression) {
        guard case .constant(.data(let data)) = expression,
            let token = try? JSONDecoder().decode(Self.self, from: data)
        else { return nil }
        self = token
    }
}
