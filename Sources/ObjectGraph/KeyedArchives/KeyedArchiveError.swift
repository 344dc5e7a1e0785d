/// The reason why data could not be read as a property list, or why a property list could not be
/// archived.
public enum KeyedArchiveError: Error, Sendable, Hashable {
    /// The data are not a binary property list that `NSKeyedArchiver` wrote.
    case notAnArchive
    /// A description of the damage, and the byte at which the object starts.
    case damaged(String, offset: Int)
    /// An object in the archive is of a class that is not a property list type.
    case unsupportedClass(String)
    /// A dictionary has a key that is not a string.
    case unsupportedKey
    /// The object at this byte contains itself.
    case circular(offset: Int)
    /// Collections are nested more deeply than the limit.
    case tooDeep(limit: Int)
    /// The archive repeats shared objects so often that it holds more values than the limit.
    case tooLarge(limit: Int)
}

extension KeyedArchiveError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAnArchive:
            "The data are not a keyed archive; name the transformer that made them in the model."
        case .damaged(let fault, let offset):
            """
            The keyed archive is damaged: \(fault) at byte \(offset). Restore it from a backup \
            or set the value again.
            """
        case .unsupportedClass(let name):
            """
            The keyed archive has an object of class '\(name)', which is not a property list type; \
            name a transformer for it in the model.
            """
        case .unsupportedKey:
            """
            The keyed archive has a dictionary with a key that is not a string; name a transformer \
            for it in the model.
            """
        case .circular(let offset):
            """
            The keyed archive is damaged: the object at byte \(offset) contains itself. Restore it \
            from a backup or set the value again.
            """
        case .tooDeep(let limit):
            "The property list has more than \(limit) levels of nested collections; divide it."
        case .tooLarge(let limit):
            """
            The keyed archive repeats shared objects to more than \(limit) values; divide the \
            value into several attributes or objects.
            """
        }
    }
}
