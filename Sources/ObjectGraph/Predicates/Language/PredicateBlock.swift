/// A condition in Swift code. It works on objects in memory, not in SQL stores (spec §7.2).
///
///     .block(PredicateBlock { $0["distance"]?.integer ?? 0 > 1000 })
public struct PredicateBlock: Sendable, Hashable {
    /// The values of an object that the block can read.
    public struct Values {
        public let objectID: ManagedObjectID
        let value: (String) -> AttributeValue?

        /// The value of an attribute, or the identifier of a to-one relationship's destination; nil
        /// for other keys.
        public subscript(key: String) -> AttributeValue? { value(key) }
    }

    private final class Body: Sendable {
        let holds: @Sendable (Values) -> Bool
        init(_ holds: @escaping @Sendable (Values) -> Bool) { self.holds = holds }
    }

    private let body: Body

    public init(_ holds: @escaping @Sendable (Values) -> Bool) { body = Body(holds) }

    func holds(for values: Values) -> Bool { body.holds(values) }

    /// Blocks are equal only if they are the same block.
    public static func == (left: Self, right: Self) -> Bool { left.body === right.body }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(body)) }
}
