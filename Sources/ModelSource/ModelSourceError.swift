/// A part of a model for which there is no Swift source.
public struct ModelSourceError: Error, Sendable, Hashable {
    /// What cannot be written, with its entity and property.
    public let part: String
}

extension ModelSourceError: CustomStringConvertible {
    public var description: String {
        "Swift source cannot express \(part); change the model, or describe it by hand."
    }
}
