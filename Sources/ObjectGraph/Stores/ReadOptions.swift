/// What a read of rows may see, and who follows its progress.
package struct ReadOptions: Sendable {
    /// How long ago a cached row may have been read; nil means however long.
    var staleness: Duration?

    /// Whether later reads of the turn may see the state that this one sees; `endTurn` must follow.
    ///
    /// A read of one row may then also see what an earlier read of the turn saw, unless this process
    /// has written to the store since. Other reads see the newest state in either case.
    var keepsSnapshot: Bool

    /// Gets the number of rows read so far, and can cancel the read.
    package var progress: FetchProgress?

    package init(
        staleness: Duration? = nil, keepsSnapshot: Bool = false, progress: FetchProgress? = nil
    ) {
        self.staleness = staleness
        self.keepsSnapshot = keepsSnapshot
        self.progress = progress
    }
}
