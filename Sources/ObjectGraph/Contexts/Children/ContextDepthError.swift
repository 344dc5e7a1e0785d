/// A context read or saved with more than `ManagedObjectContext.maximumDepth` contexts above it.
public struct ContextDepthError: Error, Sendable, Hashable {
    /// The largest number of contexts above a context.
    public let limit: Int
}

extension ContextDepthError: CustomStringConvertible {
    public var description: String {
        "The context has more than \(limit) contexts above it; make it a child of a higher one."
    }
}
