/// An invariant of the engine's own state that does not hold.
struct BrokenInvariant: Error, CustomStringConvertible {
    let description: String

    /// Throws unless the condition holds.
    static func require(
        _ condition: Bool, _ description: @autoclosure () -> String
    ) throws(BrokenInvariant) {
        guard condition else { throw BrokenInvariant(description: description()) }
    }
}
