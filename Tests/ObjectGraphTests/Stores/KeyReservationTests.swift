import Testing

@testable import ObjectGraph

@Suite struct `Reserving keys (§8.2)` {
    @Test(arguments: [true, false]) func `more keys than there are cannot be reserved (§5.6)`(
        inMemory: Bool
    ) throws {
        let model = try ManagedObjectModel(entities: [EntityDescription(name: "Thing")])
        let root = model.entities[0]
        let store: any PersistentStore =
            try inMemory
            ? InMemoryStore(model: model)
            : SQLiteStore(.sqliteInMemory(), model: model, debug: DebugOptions())
        _ = try store.reserveKeys(1, root: root)
        let error = #expect(throws: StoreError.self) {
            try store.reserveKeys(.max, root: root)
        }
        let text = error?.description ?? ""
        #expect(text.contains("cannot reserve 9223372036854775807 keys of 'Thing'"), "\(text)")
        #expect(error?.code == 259)
    }
}
