import Testing

@testable import ObjectGraph

@Suite struct `Delete rules (§1.5)` {
    private func store(
        _ rule: DeleteRule, isToOne: Bool = false
    ) throws -> (StoreFixture, owner: ManagedObjectID, member: ManagedObjectID) {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "A",
                    relationships: [
                        isToOne
                            ? .toOne("b", "B", inverse: "a", deleteRule: rule)
                            : .toMany("b", "B", inverse: "a", deleteRule: rule)
                    ]),
                EntityDescription(
                    name: "B",
                    relationships: [.toOne("a", "A", inverse: "b", deleteRule: .nullify)]),
            ]))
        let (owner, member) = try store.run { context in
            let owner = try context.insert("A")
            let member = try context.insert("B", ["a": owner])
            try context.save()
            return (owner.objectID, member.objectID)
        }
        return (store, owner, member)
    }

    @Test(arguments: [true, false])
    func `nullify clears the inverse (§1.5.8)`(isToOne: Bool) throws {
        let (store, owner, member) = try store(.nullify, isToOne: isToOne)
        try store.run { context in
            context.delete(context.object(with: owner))
            try context.save()
            context.reset()
            #expect(try context.existingObject(with: member).value(forKey: "a") == nil)
        }
    }

    @Test(arguments: [true, false])
    func `cascade deletes the destinations (§1.5.9)`(isToOne: Bool) throws {
        let (store, owner, member) = try store(.cascade, isToOne: isToOne)
        try store.run { context in
            context.delete(context.object(with: owner))
            try context.save()
            #expect(throws: FetchError.self) { _ = try context.existingObject(with: member) }
        }
    }

    @Test func `cascade goes around circles, each object once (§1.5.9)`() throws {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "A",
                    relationships: [
                        .toMany("next", "A", inverse: "previous", deleteRule: .cascade),
                        .toMany("previous", "A", inverse: "next", deleteRule: .cascade),
                    ])
            ]))
        try store.run { context in
            let ring = try (0..<4).map { _ in try context.insert("A") }
            for index in 0..<4 { try ring[index].setValue([ring[(index + 1) % 4]], forKey: "next") }
            try context.insert("A")
            try context.save()
            context.delete(ring[2])
            context.processPendingChanges()
            #expect(context.deletedObjects == Set(ring))
            try context.save()
            #expect(try context.count(for: FetchRequest(entityName: "A")) == 1)
        }
    }

    @Test func `deny fails while a destination stays (§1.5.10, §2.6.4, §2.7.2)`() throws {
        let (store, owner, member) = try store(.deny)
        try store.run { context in
            let object = context.object(with: owner)
            context.delete(object)
            context.processPendingChanges()
            #expect(object.isDeleted)
            let errors = try context.validationErrors()
            #expect(errors.map(\.code) == [1600])
            #expect(errors[0].key == "b")
            context.delete(context.object(with: member))
            try context.save()
            #expect(try context.count(for: FetchRequest(entityName: "A")) == 0)
        }
    }

    @Test func `noAction leaves a dangling reference (§1.5.11)`() throws {
        let (store, owner, _) = try store(.noAction)
        try store.run { context in
            context.delete(context.object(with: owner))
            try context.save()
        }
        #expect(try store.sql("SELECT count(ZA) FROM ZB") == [["1"]])
        #expect(try store.sql("SELECT count(*) FROM ZA") == [["0"]])
    }

    @Test func `only the rule of the deleted side counts (§1.5.7)`() throws {
        let (store, owner, member) = try store(.cascade)
        try store.run { context in
            context.delete(context.object(with: member))
            try context.save()
            _ = try context.existingObject(with: owner)
        }
    }
}
