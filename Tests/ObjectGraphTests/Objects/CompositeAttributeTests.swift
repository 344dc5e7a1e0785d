import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Composite attributes (§1.3)` {
    typealias Place = Atlas.Place
    typealias Location = Atlas.Location

    private static let city = Location(
        48.5, 9.25, label: "Tower", street: Atlas.Street("Main", 7))

    // MARK: - Values

    @Test(arguments: [false, true])
    func `a value is read as it was set, by type and by key (§1.3.11, §1.3.28, §1.3.36)`(
        _ inMemory: Bool
    ) throws {
        let store = try Atlas.store(inMemory: inMemory)
        let id = try store.run { context in
            let place = context.makePlace("A", Self.city)
            #expect(place[Place.location] == Self.city)
            try context.save()
            #expect(place[Place.location] == Self.city)
            return place.objectID
        }
        let context = store.makeContext()
        try context.performAndWait {
            let place = try #require(context.object(with: id) as? Place)
            #expect(place[Place.location] == Self.city)
            let value = try #require(place.value(forKey: "location") as? [String: Any])
            #expect(value["latitude"] as? Double == 48.5 && value["label"] as? String == "Tower")
            let street = try #require(value["street"] as? [String: Any])
            #expect(street["name"] as? String == "Main" && street["number"] as? Int16 == 7)
            #expect(try place.value(forKeyPath: "location.latitude") as? Double == 48.5)
            #expect(try place.value(forKeyPath: "location.street.number") as? Int16 == 7)
            let whole = try place.value(forKeyPath: "location.street") as? [String: AnyHashable]
            #expect(whole == ["name": "Main", "number": 7 as Int16])
        }
    }

    @Test func `nil means that no element has a value (§1.3.28)`() throws {
        let store = try Atlas.store()
        try store.run { context in
            let place = context.makePlace("A")
            #expect(place[Place.location] == nil)
            #expect(try place.value(forKey: "location") == nil)
            place[Place.location] = Self.city
            try context.save()
            try place.setValue([String: Any](), forKey: "location")
            #expect(place[Place.location] == nil)
            try context.save()
            context.refresh(place, mergeChanges: false)
            #expect(place[Place.location] == nil)
        }
        let columns = Atlas.columns.joined(separator: ", ")
        #expect(
            try store.sql("SELECT \(columns) FROM ZPLACE") == [[nil, nil, nil, nil, nil]])
    }

    @Test func `a dictionary replaces all elements (§1.3.30)`() throws {
        let store = try Atlas.store()
        try store.run { context in
            let place = context.makePlace("A", Self.city)
            try place.setValue(["latitude": 1, "longitude": 2.5], forKey: "location")
            #expect(place[Place.location] == Location(1, 2.5))
            try place.setValue(
                [
                    "latitude": 3.0, "longitude": 4.0, "label": nil,
                    "street": ["name": "Side"],
                ] as [String: Any?], forKey: "location")
            #expect(place[Place.location] == Location(3, 4, street: Atlas.Street("Side")))
            let region = Atlas.Region(context: context)
            region[Atlas.Region.centre] = ["x": 5, "y": 0.5]
            #expect(region[Atlas.Region.centre] == ["x": 5, "y": 0.5])
            #expect(
                try region.value(forKey: "centre") as? [String: AnyHashable]
                    == ["x": 5 as Int32, "y": 0.5 as Float])
            region[Atlas.Region.centre] = [:]
            #expect(region[Atlas.Region.centre] == nil)
        }
    }

    @Test(arguments: [
        ["height": 1] as [String: AttributeValue], ["latitude": "north"], ["street": "Main"],
        ["street": .composite(["name": 1])], ["street": .composite(["number": 70_000])],
    ])
    func `a dictionary with another name or type is refused (§1.3.28)`(
        _ value: [String: AttributeValue]
    ) throws {
        try Atlas.store().run { context in
            let place = context.makePlace("A", Self.city)
            let error = #expect(throws: PropertyError.self) {
                try place.setValue(value, forKey: "location")
            }
            #expect(error?.description.contains("a dictionary with 'latitude', ") == true)
            #expect(throws: PropertyError.self) { try place.setValue(3, forKey: "location") }
            #expect(place[Place.location] == Self.city)
        }
    }

    @Test func `an element has no value of its own to set (§1.3.30)`() throws {
        try Atlas.store().run { context in
            let place = context.makePlace("A", Self.city)
            #expect(throws: PropertyError.self) {
                try place.setValue(1.0, forKey: "location.latitude")
            }
            #expect(throws: PropertyError.self) {
                _ = try place.observe("location.latitude") { _ in }
            }
            #expect(place.entity.attributesByName.keys.sorted() == ["location", "name"])
            #expect(place.committedValues().keys.sorted() == ["location", "name", "region"])
        }
    }

    // MARK: - Changes

    @Test func `a change of one element is one of the whole (§1.3.30)`() throws {
        try Atlas.store().run { context in
            let place = context.makePlace("A", Self.city)
            #expect(place.changedValues().keys.sorted() == ["location", "name"])
            try context.save()
            var location = Self.city
            location.street?.number = 8
            place[Place.location] = location
            #expect(place.changedValues().keys.sorted() == ["location"])
            #expect(place.changedValuesForCurrentEvent().keys.sorted() == ["location"])
            let old = try #require(
                place.committedValues(forKeys: ["location"])["location"] as? [String: Any])
            #expect((old["street"] as? [String: Any])?["number"] as? Int16 == 7)
            place[Place.location] = Self.city
            #expect(place.changedValues().isEmpty && !place.hasPersistentChangedValues)
            #expect(place.hasChanges)
        }
    }

    @Test func `undo and rollback restore the whole (§1.3.30)`() throws {
        try Atlas.store().run { context in
            context.undoManager = UndoManager()
            let place = context.makePlace("A", Self.city)
            try context.save()
            context.processPendingChanges()
            place[Place.location] = Location(1, 2)
            context.processPendingChanges()
            place[Place.location] = nil
            context.processPendingChanges()
            context.undo()
            #expect(place[Place.location] == Location(1, 2))
            context.undo()
            #expect(place[Place.location] == Self.city)
            context.redo()
            #expect(place[Place.location] == Location(1, 2))
            context.rollback()
            #expect(place[Place.location] == Self.city)
        }
    }

    @Test func `observers are called once for the whole (§1.3.30)`() throws {
        try Atlas.store().run { context in
            context.undoManager = UndoManager()
            let place = context.makePlace("A", Self.city)
            try context.save()
            var count = 0
            let observation = try place.observe("location") { _ in count += 1 }
            place[Place.location] = Location(1, 2)
            #expect(count == 1)
            try place.setValue(["latitude": 5, "longitude": 6], forKey: "location")
            place[Place.location] = nil
            #expect(count == 3)
            context.processPendingChanges()
            context.undo()
            #expect(count == 4 && place[Place.location] == Self.city)
            place[Place.name] = "B"
            #expect(count == 4)
            observation.cancel()
        }
    }

    @Test func `a sequence has the whole values (§1.3.30)`() async throws {
        let store = try Atlas.store()
        let values = await store.context.perform {
            let place = store.context.makePlace("A", Self.city)
            let values = place.values(for: Place.location)
            place[Place.location] = Location(1, 2)
            return values
        }
        var iterator = values.makeAsyncIterator()
        #expect(await iterator.next() == .some(Location(1, 2)))
    }

    @Test func `a primitive setter sets the elements (§1.3.30)`() throws {
        try Atlas.store().run { context in
            let region = Atlas.Region(context: context)
            try context.save()
            region.setPrimitiveValue(["x": 3, "y": 2], of: Atlas.Region.centre)
            #expect(region[Atlas.Region.centre] == ["x": 3, "y": 2.0])
            #expect(!region.hasChanges)
            let place = context.makePlace("A")
            try place.setPrimitiveValue(["latitude": 1, "longitude": 2], forKey: "location")
            #expect(place[Place.location] == Location(1, 2))
            try context.save()
            context.refresh(place, mergeChanges: false)
            #expect(place[Place.location] == Location(1, 2))
        }
    }

    /// One context has changed one element, another context another one.
    @Test(arguments: [
        (MergePolicy.Kind.mergeByPropertyObjectTrump, Location(48.5, 9.25, label: "mine")),
        (.mergeByPropertyStoreTrump, Location(1, 9.25, label: "Tower")),
        (.overwrite, Location(48.5, 9.25, label: "mine")),
        (.rollback, Location(1, 9.25, label: "Tower")),
    ])
    func `a merge takes all elements from one side (§1.3.30)`(
        _ kind: MergePolicy.Kind, _ expected: Location
    ) throws {
        let store = try Atlas.store()
        let id = try store.run { context in
            context.mergePolicy = MergePolicy(kind)
            let place = context.makePlace("A", Location(48.5, 9.25, label: "Tower"))
            try context.save()
            place[Place.location]?.label = "mine"
            return place.objectID
        }
        let other = store.makeContext()
        try other.performAndWait {
            (other.object(with: id) as? Place)?[Place.location]?.latitude = 1
            try other.save()
        }
        try store.run { context in
            try context.save()
            #expect((context.object(with: id) as? Place)?[Place.location] == expected)
        }
        let sql = "SELECT ZLOCATION_LATITUDE, ZLOCATION_LABEL FROM ZPLACE"
        #expect(try store.sql(sql) == [["\(expected.latitude)", expected.label]])
    }

    @Test func `a refresh keeps a changed composite whole (§1.3.30)`() throws {
        let store = try Atlas.store()
        let id = try store.run { context in
            let place = context.makePlace("A", Location(48.5, 9.25, label: "Tower"))
            try context.save()
            place[Place.location]?.label = "mine"
            return place.objectID
        }
        let other = store.makeContext()
        try other.performAndWait {
            let place = try #require(other.object(with: id) as? Place)
            place[Place.location]?.latitude = 1
            place[Place.name] = "B"
            try other.save()
        }
        store.run { context in
            guard let place = context.object(with: id) as? Place else { return }
            context.refresh(place, mergeChanges: true)
            #expect(place[Place.location] == Location(48.5, 9.25, label: "mine"))
            #expect(place[Place.name] == "B")
        }
    }

    @Test func `a child saves the whole to its parent (§1.3.30)`() throws {
        let store = try Atlas.store()
        let id = try store.run { context in
            let place = context.makePlace("A", Self.city)
            try context.save()
            return place.objectID
        }
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        try child.performAndWait {
            let place = try #require(child.object(with: id) as? Place)
            place[Place.location] = Location(1, 2)
            child.makePlace("B", Location(3, 4))
            try child.save()
        }
        try store.run { context in
            #expect((context.object(with: id) as? Place)?[Place.location] == Location(1, 2))
            try context.save()
        }
        let sql = "SELECT ZLOCATION_LONGITUDE, ZLOCATION_LABEL FROM ZPLACE ORDER BY ZNAME"
        #expect(try store.sql(sql) == [["2.0", nil], ["4.0", nil]])
    }

    @Test func `the history names the composite (§1.3.30)`() throws {
        let store = try Atlas.store(tracksHistory: true)
        try store.run { context in
            let place = context.makePlace("A", Self.city)
            try context.save()
            place[Place.location]?.street = nil
            try context.save()
            try context.execute(
                BatchUpdateRequest(
                    entityName: "Place", propertiesToUpdate: ["location.latitude": .constant(2)]))
            let changes = try context.fetchHistory().flatMap { $0.changes ?? [] }
            #expect(changes.map(\.updatedProperties) == [nil, ["location"], ["location"]])
        }
    }
}
