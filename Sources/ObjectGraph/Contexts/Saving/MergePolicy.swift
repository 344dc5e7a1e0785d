/// What a save does about objects that were changed elsewhere since they were read, and about shared unique values.
///
/// Subclass it to go further: call `super`, look the objects up by their identifiers and adjust their values; the save then
/// goes on with those. What an override throws, the save throws. Source: spec §5.4, §5.5. *Base* is what the change was
/// based on, *theirs* the newest row, *mine* the unsaved values.
open class MergePolicy: @unchecked Sendable {
    // @unchecked Sendable: the class has no state but a constant, and a subclass that adds some has to guard it.

    public enum Kind: Int, Sendable, Hashable, Codable, CaseIterable {
        /// The save throws.
        case error = 0
        /// Where theirs differs from base it wins; other unsaved values survive.
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

    /// Settles what was changed elsewhere, on the context's queue, in the middle of a save.
    ///
    /// - Throws: `SaveError.mergeConflicts` if the kind is `error`.
    open func resolve(
        _ conflicts: [MergeConflict], in context: ManagedObjectContext
    ) throws {
        try context.settle(conflicts, by: kind)
    }

    /// Settles values that must be unique and are not.
    ///
    /// - Throws: `SaveError.constraintConflicts` if the kind is `error`.
    open func resolve(
        _ conflicts: [ConstraintConflict], in context: ManagedObjectContext
    ) throws {
        try context.settle(conflicts, by: kind)
    }
}
