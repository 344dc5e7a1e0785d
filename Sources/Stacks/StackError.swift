/// A use that a stack does not allow.
public enum StackError: Error, Sendable, Hashable {
    /// The stack was closed.
    case closed(stack: String)
    /// The context passed to `saveToDisk` belongs to another stack, or was made before the last
    /// reset.
    case foreignContext(name: String?, stack: String)
    /// The stack opens its store more than once, and each opening would see only its own rows.
    case storeNotShared(stack: String, location: String)
    /// `saveToDisk` was called with the view of a stack whose view only reads.
    case readOnlyView(stack: String)
}

extension StackError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .closed(let stack): "The stack '\(stack)' is closed; create a new one."
        case .foreignContext(let name, let stack):
            "The context '\(name ?? "without a name")' belongs to another stack than '\(stack)', or was made before its last reset; use a context that the stack has made since."
        case .storeNotShared(let stack, let location):
            "The stack '\(stack)' opens its store twice, but with \(location) the two would not share rows; use a SQLite file, or the URL /dev/null/NAME for a database in memory that both share."
        case .readOnlyView(let stack):
            "The view of the stack '\(stack)' only reads; make the changes in makeWorkerContext() and save that."
        }
    }
}
