import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Changes while a save is written (§5.1)` {
    /// Changes another object at the third validation.
    private final class Meddler: ManagedObject {
        static let text = Attribute<String?>("text")
        // nonisolated(unsafe): one test uses the class, on one queue at a time.
        nonisolated(unsafe) static var validationCount = 0

        override func validateForInsert() throws {
            try super.validateForInsert()
            Self.validationCount += 1
            guard Self.validationCount == 3, let context = managedObjectContext else { return }
            let others = context.registeredObjects.compactMap { $0 as? Meddler }
            others.first { $0[Self.text] == "other" }?[Self.text] = "changed"
        }
    }

    @Test func `are saved by the next save`() throws {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Meddler", managedObjectClass: Meddler.self,
                    attributes: [
                        AttributeDescription("text", .string),
                        AttributeDescription("name", .string),
                    ],
                    uniquenessConstraints: [["name"]])
            ]))
        try store.run { context in
            try context.insert("Meddler", ["name": "a", "text": "stored"])
            let other = try context.insert("Meddler", ["name": "b", "text": "other"])
            try context.save()
            Meddler.validationCount = 0

            // The conflict of the names is settled, which validates again.
            try context.insert("Meddler", ["name": "a", "text": "new"])
            try context.insert("Meddler", ["name": "c", "text": "new"])
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            #expect(Meddler.validationCount >= 3)
            #expect(other.isUpdated && context.updatedObjects == [other])
            try context.save()
        }
        #expect(
            try store.sql("SELECT ZNAME, ZTEXT FROM ZMEDDLER ORDER BY ZNAME")
                == [["a", "new"], ["b", "changed"], ["c", "new"]])
    }
}
