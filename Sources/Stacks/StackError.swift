/// A stack that is used in a way that it cannot serve.
public enum StackError: Error, Sendable, Hashable {
    /// The stack was closed.
    case closed(stack: String)
    /// The context to be saved belongs to another stack, or was made before the last reset.
    case foreignContext(name: String?, stack: String)
    /// The stack opens its store more than once, which a store in memory does not allow.
    case needsFile(stack: String)
}

extension StackError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .closed(let stack): "The stack '\(stack)' is closed; make a new one."
        case .foreignContext(let name, let stack):
            "The context '\(name ?? "without a name")' does not belong to the stack '\(stack)', or was made before its last reset; use a context that the stack has made since."
        case .needsFile(let stack):
            "The stack '\(stack)' opens its store twice and cannot keep it in memory; give it a SQLite file."
        }
    }
}
