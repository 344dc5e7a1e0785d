import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Random changes of composite attributes, after each of which they are compared with a reference
/// and with the columns that plain SQL reads.
@Suite struct `Random composite values (§1.3)` {
    @Test func `a composite equals its columns (§1.3.11, §1.3.30)`() throws {
        var generator = SeededGenerator.fromEnvironment()
        for number in 0..<20 {
            let store = try Atlas.store(tracksHistory: number.isMultiple(of: 2))
            var script = CompositeScript(store: store, generator: generator)
            for step in 0..<15 {
                let what = try script.step()
                let differences = try script.differences()
                #expect(
                    differences == [],
                    "TEST_SEED=\(generator.seed), script \(number), step \(step): \(what)")
                guard differences.isEmpty else { return }
            }
            _ = generator.next()
        }
    }
}

private struct CompositeScript {
    typealias Place = Atlas.Place
    typealias Location = Atlas.Location

    let store: StoreFixture
    var generator: SeededGenerator

    /// The locations by the names of the places.
    private var expected: [String: Location?] = [:]

    init(store: StoreFixture, generator: SeededGenerator) {
        self.store = store
        self.generator = generator
    }

    /// Changes places and saves them, or runs a batch request.
    mutating func step() throws -> String {
        let kind = Int.random(in: 0..<8, using: &generator)
        switch kind {
        case 0: try batchInsert()
        case 1: try batchUpdate()
        case 2: try change(in: ManagedObjectContext(.privateQueue, parent: store.context))
        case 3: try change(in: store.makeContext())
        default: try change(in: store.context)
        }
        return "kind \(kind)"
    }

    private mutating func makeLocation() -> Location? {
        if generator.chance(20) { return nil }
        var location = Location(
            Double(Int.random(in: -9...9, using: &generator)) / 2,
            Double(Int.random(in: -9...9, using: &generator)))
        if generator.chance(50) { location.label = generator.pick(["", "é", "label"]) }
        if generator.chance(50) {
            location.street = Atlas.Street(
                generator.pick(["Main", "Side"]), generator.chance(50) ? 7 : nil)
        }
        return location
    }

    private mutating func change(in context: ManagedObjectContext) throws {
        var next = expected
        var changes: [(name: String, location: Location?, way: Int)] = []
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
            let known = next.keys.sorted()
            let name =
                known.isEmpty || generator.chance(40)
                ? "p\(next.count)" : generator.pick(known)
            let location = makeLocation()
            changes.append((name, location, generator.pick([0, 1, 2])))
            next[name] = .some(location)
        }
        let (made, isUndone) = (changes, generator.chance(20))
        try context.performAndWait {
            for change in made {
                let request = FetchRequest(
                    entityName: "Place", predicate: try ObjectPredicate("name == %@", change.name))
                let found = try context.fetch(request, as: Place.self).first
                let place = found ?? context.makePlace(change.name)
                switch change.way {
                case 0: place[Place.location] = change.location
                case 1: try place.setValue(change.location?.dictionary, forKey: "location")
                default:
                    // First another value, so that elements have to be cleared.
                    place[Place.location] = Location(
                        1, 1, label: "old", street: Atlas.Street("old", 1))
                    place[Place.location] = change.location
                }
            }
            if isUndone { context.rollback() } else { try context.save() }
        }
        if !isUndone {
            if context.parent != nil { try store.run { try $0.save() } }
            expected = next
        }
        store.run { $0.refreshAllObjects() }
    }

    private mutating func batchInsert() throws {
        let (name, location) = ("p\(expected.count)", makeLocation())
        expected[name] = .some(location)
        try store.run { context in
            try context.execute(
                BatchInsertRequest(
                    entityName: "Place",
                    objects: [
                        ["name": .string(name), "location": location?.attributeValue ?? .null]
                    ]))
        }
    }

    private mutating func batchUpdate() throws {
        guard let name = expected.keys.sorted().randomElement(using: &generator) else { return }
        let location = makeLocation()
        let takesAll = generator.chance(50) || expected[name] == .some(nil)
        if takesAll {
            expected[name] = .some(location)
        } else {
            expected[name]??.label = location?.label
        }
        try store.run { context in
            try context.execute(
                BatchUpdateRequest(
                    entityName: "Place", predicate: try ObjectPredicate("name == %@", name),
                    propertiesToUpdate: takesAll
                        ? ["location": .constant(location?.attributeValue ?? .null)]
                        : [
                            "location.label": .constant(
                                location?.label.map { .string($0) } ?? .null)
                        ]
                ))
            context.refreshAllObjects()
        }
    }

    // MARK: - Comparing

    /// The places whose location differs from the reference, in columns or objects, in words.
    func differences() throws -> [String] {
        let columns = ["ZNAME"] + Atlas.columns
        let rows = try store.sql("SELECT \(columns.joined(separator: ", ")) FROM ZPLACE")
        var stored: [String: Location?] = [:]
        for row in rows { stored[row[0] ?? ""] = .some(Location(columns: Array(row.dropFirst()))) }
        var found: [String] = []
        for (name, location) in expected.sorted(by: { $0.key < $1.key })
        where stored[name] != .some(location) {
            found.append("\(name): columns \(stored[name] as Any), not \(location as Any)")
        }
        if stored.count != expected.count { found.append("\(stored.count) rows") }
        let known = expected
        for context in [store.makeContext(), store.context] {
            found += try context.performAndWait {
                try context.all("Place").compactMap { object in
                    guard let place = object as? Place else { return nil }
                    let (name, location) = (place[Place.name], place[Place.location])
                    return known[name] == .some(location)
                        ? nil : "\(name): \(String(describing: location))"
                }
            }
        }
        return found
    }
}

extension Atlas.Location {
    /// From the values of the columns; nil if all are null.
    fileprivate init?(columns: [String?]) {
        guard columns.contains(where: { $0 != nil }) else { return nil }
        self.init(
            columns[0].flatMap(Double.init) ?? .nan, columns[1].flatMap(Double.init) ?? .nan,
            label: columns[2])
        if columns[3] != nil || columns[4] != nil {
            street = Atlas.Street(columns[3] ?? "?", columns[4].flatMap(Int.init))
        }
    }

    fileprivate var dictionary: [String: Any] {
        var values: [String: Any] = ["latitude": latitude, "longitude": longitude]
        values["label"] = label
        if let street {
            values["street"] = ["name": street.name, "number": street.number] as [String: Any?]
        }
        return values
    }

    fileprivate var attributeValue: AttributeValue {
        var values: [String: AttributeValue] = [
            "latitude": .double(latitude), "longitude": .double(longitude),
        ]
        values["label"] = label.map { .string($0) }
        values["street"] = street.map {
            .composite([
                "name": .string($0.name), "number": $0.number.map { .integer(Int64($0)) } ?? .null,
            ])
        }
        return .composite(values)
    }
}
