/// How a save settles changes made elsewhere since objects were read, and violated uniqueness
/// constraints.
///
/// To go further, subclass it: call `super`, look the objects up by their identifiers and adjust
/// their values. The save then continues with those. An error that an override throws is thrown by
/// the save. Source: spec §5.4, §5.5. *Base* is the row that the change is based on, *theirs* the
/// newest row, *mine* the unsaved values.
open class MergePolicy: @unchecked Sendable {
    // @unchecked Sendable: the only state of the class is a constant. A subclass that adds state
    // must guard it.

    public enum Kind: Int, Sendable, Hashable, Codable, CaseIterable {
        /// The save throws.
        case error = 0
        /// Theirs wins where it differs from base; other unsaved values survive.
        case mergeByPropertyStoreTrump = 1
        /// Unsaved values win; other properties take theirs.
        case mergeByPropertyObjectTrump = 2
        /// Every property of the object wins, changed or not.
        case overwrite = 3
        /// Every property of the newest row wins.
        case rollback = 4

        var storeWins: Bool { self == .mergeByPropertyStoreTrump || self == .rollback }
    }

    public static let error = MergePolicy(.error)
    public static let mergeByPropertyStoreTrump = MergePolicy(.mergeByPropertyStoreTrump)
    public static let mergeByPropertyObjectTrump = MergePolicy(.mergeByPropertyObjectTrump)
    public static let overwrite = MergePolicy(.overwrite)
    public static let rollback = MergePolicy(.rollback)

    public let kind: Kind

    public init(_ kind: Kind) { self.kind = kind }

    /// Settles changes made elsewhere. Called on the context's queue, in the middle of a save.
    ///
    /// - Throws: `SaveError.mergeConflicts` if the kind is `error`.
    open func resolve(
        _ conflicts: [MergeConflict], in context: ManagedObjectContext
    ) throws {
        try ConflictSettlement(context: context, kind: kind).settle(conflicts)
    }

    /// Settles violated uniqueness constraints.
    ///
    /// - Throws: `SaveError.constraintConflicts` if the kind is `error`.
    open func resolve(
        _ conflicts: [ConstraintConflict], in context: ManagedObjectContext
    ) throws {
        try ConflictSettlement(context: context, kind: kind).settle(conflicts)
    }
}
