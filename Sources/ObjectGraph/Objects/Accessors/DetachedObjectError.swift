import Logging

/// An object was changed that is in no context: its deletion was saved, its insertion was rolled back, its context was
/// reset or is gone, or its store was removed (Core Data's 133000). No save writes what was set.
public struct DetachedObjectError: CodedError, Sendable {
    public let objectID: ManagedObjectID

    public var code: Int { 133000 }
}

extension DetachedObjectError: CustomStringConvertible {
    public var description: String {
        "\(objectID) is in no context, so that no save writes what is set; fetch it again, or keep its context alive."
    }
}

extension ManagedObject {
    /// Tells whoever handles the faults of the context that a change of this object comes to nothing.
    @inline(never)
    final func changeIsLost() {
        let handler = binding.context?.faultHandler ?? ManagedObjectContext.logsFaults
        handler(objectID, DetachedObjectError(objectID: objectID))
    }
}

extension ManagedObjectContext {
    static let logsFaults: @Sendable (ManagedObjectID, any Error) -> Void = { id, error in
        let message =
            error is DetachedObjectError
            ? "\(error)" : "The values of \(id) could not be read: \(error)"
        Logger(label: "ObjectGraph").error("\(message)")
    }
}
