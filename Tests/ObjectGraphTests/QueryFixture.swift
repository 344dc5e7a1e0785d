import Foundation

@testable import ObjectGraph

/// A model with a relationship of each kind, rows of it in memory, and the same rows in a SQLite
/// database.
enum QueryFixture {
    static let layout = StoreLayout(model, storeIdentifier: "S")
    static let postgreSQL = StoreLayout(postgreSQL: model, storeIdentifier: "S")
    static let model = try! ManagedObjectModel(entities: [
        EntityDescription(
            name: "Airline", attributes: [AttributeDescription("name", .string)],
            relationships: [.toMany("flights", "Flight", inverse: "airline")]),
        EntityDescription(
            name: "Flight",
            attributes: [
                AttributeDescription("distance", .integer32),
                AttributeDescription("delay", .double),
                AttributeDescription("tail", .string), AttributeDescription("isLate", .boolean),
                AttributeDescription("departure", .date), AttributeDescription("id", .uuid),
                AttributeDescription("payload", .binaryData),
                AttributeDescription("price", .decimal), AttributeDescription("link", .uri),
                AttributeDescription("seats", .integer16),
                AttributeDescription("note", .string, isTransient: true),
            ],
            relationships: [
                .toOne("airline", "Airline", inverse: "flights"),
                .toOne("origin", "Place", inverse: "departures"),
                .toMany("crew", "Person", inverse: "flights"),
            ]),
        EntityDescription(
            name: "Person", attributes: [AttributeDescription("name", .string)],
            relationships: [
                .toMany("flights", "Flight", inverse: "crew"),
                .toOne("home", "Place", inverse: "residents"),
            ]),
        EntityDescription(
            name: "Place", isAbstract: true,
            attributes: [
                AttributeDescription("code", .string), AttributeDescription("altitude", .integer64),
            ],
            relationships: [
                .toMany("departures", "Flight", inverse: "origin"),
                .toMany("residents", "Person", inverse: "home"),
            ]),
        EntityDescription(
            name: "Airport", superentity: "Place",
            attributes: [AttributeDescription("runways", .integer32)]),
        EntityDescription(name: "Field", superentity: "Airport"),
        EntityDescription(name: "Heliport", superentity: "Place"),
    ])

    static func entity(_ name: String) -> Entity { model.entity(named: name)! }

    static func objectID(_ entity: String, _ key: Int64) -> ManagedObjectID {
        let entity = self.entity(entity)
        return ManagedObjectID(
            scope: ObjectIDScope(
                storeIdentifier: "S", storeNumber: 1, entity: entity,
                root: model.entities[entity.rootIndex]),
            reference: key)
    }
}

/// An object in memory.
final class FixtureRow {
    let entity: Entity
    let key: Int64
    var values: [String: AttributeValue] = [:]
    var destination: [String: FixtureRow] = [:]
    var destinations: [String: [FixtureRow]] = [:]

    init(_ entity: String, _ key: Int64, _ values: [String: AttributeValue] = [:]) {
        self.entity = QueryFixture.entity(entity)
        self.key = key
        self.values = values
    }

    var objectID: ManagedObjectID { QueryFixture.objectID(entity.name, key) }

    /// Sets or adds the destination, and maintains the inverse.
    func connect(_ name: String, to other: FixtureRow) {
        let property = entity.property(named: name)!
        let inverse = QueryFixture.model.inverse(of: property.relationship!)!
        if property.kind == .toOne {
            destination[name] = other
        } else {
            destinations[name, default: []].append(other)
        }
        other.destinations[inverse.name, default: []].append(self)
    }
}

extension FixtureRow: PredicateSubject {
    func value(of property: Property) -> AttributeValue {
        if property.kind == .toOne {
            return destination[property.name].map { .objectID($0.objectID) } ?? .null
        }
        return values[property.name] ?? .null
    }

    func destination(of property: Property) -> FixtureRow? { destination[property.name] }

    func destinations(of property: Property) -> [FixtureRow] {
        destinations[property.name] ?? []
    }
}

/// The tables of the fixture's model in memory.
struct FixtureDatabase {
    let connection: Connection

    init(_ rows: [FixtureRow]) throws {
        connection = try Connection(.memory)
        try QueryFunctions.register(on: connection)
        for root in QueryFixture.model.rootEntities { try createTable(of: root) }
        try connection.execute("CREATE TABLE Z_2CREW (Z_2FLIGHTS INTEGER, Z_3CREW INTEGER)")
        try connection.execute("BEGIN")
        for row in rows { try insert(row) }
        try connection.execute("COMMIT")
    }

    private func createTable(of root: Entity) throws {
        var columns = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
        for index in root.familyIndexes {
            let entity = QueryFixture.model.entities[index]
            for property in entity.properties {
                guard let slot = property.slot else { continue }
                let column =
                    "\(QueryFixture.layout.column(slot, of: entity)) \(property.attributeType?.columnType ?? "INTEGER")"
                if !columns.contains(column) { columns.append(column) }
                if let slot = property.entitySlot {
                    let column = "\(QueryFixture.layout.column(slot, of: entity)) INTEGER"
                    if !columns.contains(column) { columns.append(column) }
                }
            }
        }
        try connection.execute(
            "CREATE TABLE \(QueryFixture.layout.table(of: root)) (\(columns.joined(separator: ", ")))"
        )
    }

    private func insert(_ row: FixtureRow) throws {
        var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
        var bindings: [SQLBinding] = [
            .integer(row.key), .integer(row.entity.number), .integer(1),
        ]
        for property in row.entity.properties {
            guard let slot = property.slot else { continue }
            columns.append(QueryFixture.layout.column(slot, of: row.entity))
            bindings.append(SQLBinding(row.value(of: property)))
            if let slot = property.entitySlot, let destination = row.destination[property.name] {
                columns.append(QueryFixture.layout.column(slot, of: row.entity))
                bindings.append(.integer(destination.entity.number))
            }
        }
        let parameters = columns.map { _ in "?" }.joined(separator: ", ")
        let statement = try connection.statement(
            "INSERT INTO \(QueryFixture.layout.table(of: row.entity)) (\(columns.joined(separator: ", "))) VALUES (\(parameters))"
        )
        statement.bind(bindings)
        try statement.run()
        guard row.entity.name == "Flight" else { return }
        for person in row.destinations["crew"] ?? [] {
            try connection.execute("INSERT INTO Z_2CREW VALUES (\(row.key), \(person.key))")
        }
    }

    /// The primary keys of the results, in their order.
    func keys(_ request: FetchRequest) throws -> [Int64] {
        let translation = try FetchTranslation(
            request, entity: QueryFixture.entity(request.entityName), layout: QueryFixture.layout,
            selection: .columns("t0.Z_PK"))
        return try rows(translation) { $0.value(at: 0).integer }
    }

    func rows<Row>(
        _ translation: FetchTranslation, _ read: (Statement) throws -> Row
    ) throws -> [Row] {
        let statement = try connection.statement(translation.sql)
        defer { statement.reset() }
        statement.bind(translation.bindings)
        var rows: [Row] = []
        while try statement.step() { rows.append(try read(statement)) }
        return rows
    }
}
