import Foundation
import Synchronization

/// A store without a file, which evaluates requests over its rows itself (spec §11.3).
final class InMemoryStore: PersistentStore {
    let identifier = UUID().uuidString
    let url: URL? = nil
    let isReadOnly = false
    private let model: ManagedObjectModel

    init(model: ManagedObjectModel) {
        self.model = model
    }
}
