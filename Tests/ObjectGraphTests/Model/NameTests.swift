import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Names in a model (§1.1)` {
    private func model(entity: String = "Thing", _ attribute: String) throws(ModelError) {
        _ = try ManagedObjectModel(entities: [
            EntityDescription(
                name: entity, attributes: [AttributeDescription(attribute, .string)])
        ])
    }

    @Test(arguments: ["a", "_a", "__", "_1", "été", "_pk", "_ent", "_opt", "_fok_a", "_old"])
    func `a letter or an underscore begins a name (§1.1.3)`(_ name: String) throws {
        try model(name)
        try model(entity: name, "a")
    }

    @Test(arguments: ["", "1a", "a b", "a-b", "a.b", "(a", "a'", "@a", "$a"])
    func `other texts are no names (§1.1.3)`(_ name: String) {
        #expect(throws: ModelError("Thing", name, .invalidName)) { try model(name) }
        #expect(throws: ModelError(name, nil, .invalidName)) { try model(entity: name, "a") }
    }

    @Test(arguments: ["_RT_Thing_a", "_ft_x", "_F1_a", "_deferred_1_0", "_Old_1"])
    func `names of the engine's own tables and columns are refused (§1.1.4)`(_ name: String) {
        #expect(throws: ModelError("Thing", name, .reservedName)) { try model(name) }
        #expect(throws: ModelError(name, nil, .reservedName)) { try model(entity: name, "a") }
    }

    @Test func `names that look like the file's own get others in it (§8.3)`() throws {
        let names = ["_pk", "_ent", "_opt", "_fok_owner", "_1_owner", "name", "_name"]
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "_Metadata",
                    attributes: names.map { AttributeDescription($0, .string) },
                    relationships: [
                        .toOne("owner", "_Metadata", inverse: "_owned"),
                        .toMany("_owned", "_Metadata", inverse: "owner", isOrdered: true),
                        .toMany("_others", "_PrimaryKey", inverse: "_others"),
                    ]),
                EntityDescription(name: "_Special", superentity: "_Metadata"),
                EntityDescription(
                    name: "_PrimaryKey",
                    relationships: [.toMany("_others", "_Metadata", inverse: "_others")]),
                EntityDescription(name: "_ModelCache"),
            ]))
        try store.run { context in
            let first = try context.insert("_Metadata", ["_owned": [context.insert("_Special")]])
            for name in names { try first.setValue(name, forKey: name) }
            try first.setValue([context.insert("_PrimaryKey")], forKey: "_others")
            try context.insert("_ModelCache")
            try context.save()
        }
        let coordinator = PersistentStoreCoordinator(model: store.coordinator.model)
        try store.coordinator.removePersistentStore(store.coordinator.persistentStores[0])
        try coordinator.addPersistentStore(.sqlite(at: store.folder.url("store.sqlite")))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let request = FetchRequest(
                entityName: "_Metadata", predicate: try ObjectPredicate("_pk == '_pk'"))
            let first = try #require(context.fetch(request, as: ManagedObject.self).first)
            for name in names { #expect(try first.value(forKey: name) as? String == name) }
            #expect(try (first.value(forKey: "_owned") as? [ManagedObject])?.count == 1)
            #expect(try (first.value(forKey: "_others") as? Set<ManagedObject>)?.count == 1)
            #expect(try context.all("_ModelCache").count == 1)
        }
    }
}
