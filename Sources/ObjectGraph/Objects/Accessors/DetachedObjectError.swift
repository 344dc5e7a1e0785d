import Logging

/// A detached object was changed (Core Data's 133000). No save writes the change.
///
/// The object's deletion was saved, its insertion was rolled back, its context was reset or no
/// longer exists, or its store was removed.
public struct DetachedObjectError: CodedError, Sendable {
    public let objectID: ManagedObjectID

    public var code: Int { 133000 }
}

extension DetachedObjectError: CustomStringConvertible {
    public var description: String {
        "\(objectID) is in no context, so no save writes its changes; fetch it again, or keep its context alive."
    }
}

extension ManagedObject {
    /// Reports to the context's fault handler that a change of this object is lost.
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
