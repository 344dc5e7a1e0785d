import Foundation
import Synchronization

/// The metadata of an open store that is not SQLite's.
final class OpenMetadata: Sendable {
    private struct State {
        var values: [String: AttributeValue]
        var isUnwritten = false
    }

    let identifier: String
    private let type: PersistentStoreDescription.StoreType
    private let versionHashes: [String: [UInt8]]
    private let state: Mutex<State>

    /// - Parameter stored: The metadata that were written last; nil for a new store.
    /// - Throws: `StoreError` if they are of another model or damaged.
    init(
        _ stored: StoreMetadata?, _ description: PersistentStoreDescription,
        model: ManagedObjectModel
    ) throws(StoreError) {
        let names = model.entityNames(inConfiguration: description.configuration) ?? []
        let own = model.entityVersionHashesByName.filter { names.contains($0.key) }
        identifier = stored?.identifier ?? UUID().uuidString
        type = description.type
        versionHashes = own
        state = Mutex(State(values: stored?.values ?? [:]))
        guard let stored else { return }
        guard UUID(uuidString: stored.identifier) != nil else {
            throw StoreError(
                .incompatibleSchema("its identifier is not a UUID"), url: description.url)
        }
        try model.requireVersionHashes(
            stored.versionHashes.mapValues { Data($0) }, of: description)
    }

    var current: StoreMetadata {
        StoreMetadata(
            identifier: identifier, type: type, versionHashes: versionHashes,
            values: state.withLock { $0.values })
    }

    var isUnwritten: Bool { state.withLock { $0.isUnwritten } }

    func setValues(_ values: [String: AttributeValue]) {
        state.withLock { $0 = State(values: values, isUnwritten: true) }
    }

    /// Called when these metadata were written. Values may have been set since.
    func noteWritten(_ metadata: StoreMetadata) {
        state.withLock { $0.isUnwritten = $0.values != metadata.values }
    }
}

extension ManagedObjectModel {
    /// Checks the version hashes of a store.
    ///
    /// - Throws: `StoreError` with `incompatibleModel` if they differ from those of the entities that
    ///   the description's configuration has, and the description does not ignore that.
    package func requireVersionHashes(
        _ hashes: [String: Data], of description: PersistentStoreDescription
    ) throws(StoreError) {
        let own = versionHashes(inConfiguration: description.configuration)
        let hashes = updating(hashes)
        let differing = Set(hashes.keys).union(own.keys).filter { hashes[$0] != own[$0] }.sorted()
        guard description.ignoresModelVersions || differing.isEmpty else {
            var error = StoreError(.incompatibleModel(entities: differing), url: description.url)
            error.differences = [ModelDifference](from: hashes, to: self)
                .filter { differing.contains($0.entity) }
            throw error
        }
    }

    /// The version hashes of the entities of a configuration.
    package func versionHashes(inConfiguration name: String?) -> [String: Data] {
        let names = entityNames(inConfiguration: name) ?? []
        return entityVersionHashesByName.filter { names.contains($0.key) }.mapValues { Data($0) }
    }
}
