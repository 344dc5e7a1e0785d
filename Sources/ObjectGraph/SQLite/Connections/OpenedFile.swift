/// The file of a database as it was when it was opened.
struct OpenedFile: Sendable {
    private let path: String
    private let state: FileState?

    /// Whether SQLite reads the file without locks, so that no other program may change it.
    private let isImmutable: Bool

    /// The file at the path of the configuration; nil for a database in memory.
    init?(_ configuration: SQLiteConfiguration) {
        if configuration.mode.isInMemory { return nil }
        path = configuration.path
        state = FileState(path: path)
        isImmutable = configuration.mode == .immutable
    }

    /// Whether the same file is still at the path.
    var isInPlace: Bool {
        guard let state else { return true }
        return FileState(path: path)?.isOfSameFile(as: state) ?? false
    }

    /// Whether a file that is read without locks is unchanged.
    var isUnchanged: Bool { !isImmutable || FileState(path: path) == state }
}
