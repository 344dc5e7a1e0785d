/// What a save does about objects that were changed elsewhere since they were read, and about shared unique values.
///
/// Source: spec §5.4 and §5.5. *Base* is what the change was based on, *theirs* the newest row, *mine* the unsaved values.
public enum MergePolicy: Int, Sendable, Hashable, Codable, CaseIterable {
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
