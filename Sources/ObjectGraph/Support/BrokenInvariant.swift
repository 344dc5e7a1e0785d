/// What the engine's own code promises about its state, and does not keep.
struct BrokenInvariant: Error, CustomStringConvertible {
    let description: String

    /// Throws unless the condition holds.
    static func require(
        _ condition: Bool, _ description: @autoclosure () -> String
    ) throws(BrokenInvariant) {
        guard condition else { throw BrokenInvariant(description: description()) }
    }
}
