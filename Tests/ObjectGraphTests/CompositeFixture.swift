import TestSupport

@testable import ObjectGraph

/// Places with a location, which has a street within, and regions that have places.
enum Atlas {
    struct Street: CompositeValue, Hashable {
        var name = ""
        var number: Int?

        init() {}

        init(_ name: String, _ number: Int? = nil) { (self.name, self.number) = (name, number) }

        static let elements: [CompositeElement<Street>] = [
            CompositeElement("name", \.name), CompositeElement("number", \.number, .integer16),
        ]
    }

    struct Location: CompositeValue, Hashable {
        var latitude = 0.0
        var longitude = 0.0
        var label: String?
        var street: Street?

        init() {}

        init(
            _ latitude: Double, _ longitude: Double, label: String? = nil, street: Street? = nil
        ) {
            (self.latitude, self.longitude) = (latitude, longitude)
            (self.label, self.street) = (label, street)
        }

        static let elements: [CompositeElement<Location>] = [
            CompositeElement("latitude", \.latitude), CompositeElement("longitude", \.longitude),
            CompositeElement("label", \.label), CompositeElement("street", \.street),
        ]
    }

    final class Place: ManagedObject {
        static let name = Attribute<String>("name")
        static let location = Composite<Location>("location")
        static let region = ToOne<Region>("region")
        override class var entityName: String { "Place" }
        override class var managedProperties: [any ManagedProperty] { [name, location, region] }
    }

    final class Region: ManagedObject {
        static let name = Attribute<String?>("name")
        static let centre = Attribute<[String: AttributeValue]?>("centre")
        static let places = ToMany<Place>("places", inverse: Place.region)
        override class var entityName: String { "Region" }
        override class var managedProperties: [any ManagedProperty] { [name, places] }
    }

    static let model = try! makeModel()

    private static func makeModel() throws -> ManagedObjectModel {
        let north = FetchRequest(
            entityName: "Place",
            predicate: try ObjectPredicate(
                "location.latitude > $FETCH_SOURCE.location.latitude"),
            sortKeys: [.ascending("name")])
        let place = EntityDescription(
            Place.self, fetchedProperties: [FetchedPropertyDescription("north", north)],
            indexes: [
                FetchIndexDescription("byLatitude", on: "location.latitude"),
                .fullText("words", on: "name", "location.label"),
            ])
        var region = EntityDescription(Region.self)
        region.attributes.append(
            AttributeDescription(
                "centre", .composite,
                elements: [
                    AttributeDescription("x", .integer32), AttributeDescription("y", .float),
                ]
            ))
        return try ManagedObjectModel(entities: [place, region])
    }

    static func store(inMemory: Bool = false, tracksHistory: Bool = false) throws -> StoreFixture {
        try StoreFixture(model, inMemory: inMemory, tracksHistory: tracksHistory)
    }

    /// The columns of a location in the table of places.
    static let columns = [
        "ZLOCATION_LATITUDE", "ZLOCATION_LONGITUDE", "ZLOCATION_LABEL", "ZLOCATION_STREET_NAME",
        "ZLOCATION_STREET_NUMBER",
    ]
}

extension ManagedObjectContext {
    @discardableResult
    func makePlace(_ name: String, _ location: Atlas.Location? = nil) -> Atlas.Place {
        let place = Atlas.Place(context: self)
        place[Atlas.Place.name] = name
        if let location { place[Atlas.Place.location] = location }
        return place
    }
}
