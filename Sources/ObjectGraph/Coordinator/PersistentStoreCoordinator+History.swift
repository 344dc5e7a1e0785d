// The histories of the stores (spec §10.4).
extension PersistentStoreCoordinator {
    /// Whether a store records its changes.
    var recordsHistory: Bool {
        records.contains { ($0.store as? SQLiteStore)?.history?.isRecording == true }
    }
}
