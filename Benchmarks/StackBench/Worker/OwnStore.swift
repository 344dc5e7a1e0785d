import Foundation
import ObjectGraph

/// The store of an app, of which `bench run --store` measures copies, and its model.
///
/// Jobs carry one with the run's own copy, so that workers never touch the user's file.
struct OwnStore: Codable, Sendable {
    var url: URL
    /// Nil for the model that the store itself holds.
    var modelURL: URL?
    /// Whether reports replace the names of entities and properties.
    var isRedacted: Bool

    /// - Throws: `ModelFileError` with file and line, or if the store holds no model; `StoreError`
    ///   if it is not a store.
    func loadModel() throws -> ManagedObjectModel {
        guard let modelURL else { return try PersistentStoreCoordinator.model(ofStoreAt: url) }
        return try ManagedObjectModel(contentsOf: modelURL)
    }
}
