#if PostgreSQL
import Foundation
import ObjectGraph

/// What the schema of a store says of it.
struct OpenedStore: Sendable {
    let identifier: String

    /// Names the store; has no password.
    let url: URL?
    let isReadOnly: Bool
    let layout: StoreLayout
    let metadataState: MetadataState

    /// By entity index; for identifiers that are compared with those in predicates.
    let scopes: [ObjectIDScope]

    /// Whether the store has the entity's table, by entity index.
    let hasTable: [Bool]

    /// A table whose rows are on another server, so that there is no snapshot of all tables.
    let foreignTable: String?

    /// The channel on which those who write to the store notify those who observe it.
    var channel: String { "stackbench_\(identifier.lowercased())" }

    init(
        _ layout: StoreLayout, _ list: MetadataList, _ description: PersistentStoreDescription,
        foreignTable: String? = nil
    ) {
        self.foreignTable = foreignTable
        identifier = layout.storeIdentifier
        url = description.url
        isReadOnly = description.isReadOnly
        self.layout = layout
        metadataState = MetadataState(list, hasUnwrittenNote: false)
        let model = layout.model
        scopes = ObjectIDScope.all(
            in: model, storeIdentifier: layout.storeIdentifier, storeNumber: 0)
        hasTable = model.haveTables(
            inStoreOf: model.entityNames(inConfiguration: description.configuration) ?? [])
    }
}
#endif
