/// Why the values of an object were replaced (spec §0.1, §2.3); the raw values are Core Data's.
public struct SnapshotEvents: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// An insertion was undone, and the object left the context.
    public static let undoInsertion = SnapshotEvents(rawValue: 2)
    /// A deletion was undone, or an insertion redone: the object is back.
    public static let undoDeletion = SnapshotEvents(rawValue: 4)
    /// Changes were undone or redone.
    public static let undoUpdate = SnapshotEvents(rawValue: 8)
    public static let rollback = SnapshotEvents(rawValue: 16)
    /// The object was refreshed, and kept its unsaved changes.
    public static let refresh = SnapshotEvents(rawValue: 32)
    /// A conflict was settled.
    public static let mergePolicy = SnapshotEvents(rawValue: 64)
}
