import Foundation
import ObjectGraph
import TestSupport
import Testing

// Not formatted, as the guide's other classes.
// swift-format-ignore
extension `Guide` {
    struct Location: CompositeValue {
        var latitude = 0.0
        var longitude = 0.0
        var label: String?

        static let elements: [CompositeElement<Location>] = [
            CompositeElement("latitude", \.latitude),
            CompositeElement("longitude", \.longitude),
            CompositeElement("label", \.label),
        ]
    }

    final class Station: ManagedObject {
        static let name: Attribute<String> = Attribute("name")
        static let location: Composite<Location> = Composite("location")
        override class var managedProperties: [any ManagedProperty] { [name, location] }
    }
}

extension `Guide` {
    @Test func `a composite attribute has elements`() throws {
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: [EntityDescription(Station.self)]))
        try coordinator.addPersistentStore(.sqlite(at: file))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let station = Station(context: context)
            station[Station.name] = "Halt"
            station[Station.location] = Location(latitude: 48.5, longitude: 9.25)
            station[Station.location]?.label = "by the bridge"
            try context.save()

            let north = FetchRequest(
                entityName: "Station", predicate: try ObjectPredicate("location.latitude > 31.3"),
                sortKeys: [.ascending("location.longitude")])
            let names = try context.fetch(north, as: Station.self).map { $0[Station.name] }

            #expect(names == ["Halt"])
            #expect(station[Station.location]?.label == "by the bridge")
        }
    }
}
