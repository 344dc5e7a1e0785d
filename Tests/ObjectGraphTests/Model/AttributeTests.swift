import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Attributes (§1.3)` {
    /// Saves a value, and reads it back from an empty context and from SQLite.
    private func roundTrip<Value: ManagedValue & Equatable>(
        _ attribute: Attribute<Value?>, _ value: Value
    ) throws -> (read: Value?, column: String?, kind: String?) {
        let store = try StoreFixture(makeLibraryModel())
        let read = try store.run { context in
            let specimen = Specimen(context: context)
            specimen[attribute] = value
            #expect(specimen[attribute] == value)
            try context.save()
            context.reset()
            return try #require(
                try context.fetch(FetchRequest(entityName: "Specimen"), as: Specimen.self).first)[
                    attribute]
        }
        let column = "Z" + attribute.key.name.uppercased()
        let row = try store.sql("SELECT \(column), typeof(\(column)) FROM ZSPECIMEN")[0]
        return (read, row[0], row[1])
    }

    private func declaredType(_ column: String) throws -> String? {
        let store = try StoreFixture(makeLibraryModel())
        return try store.sql(
            "SELECT type FROM pragma_table_info('ZSPECIMEN') WHERE name = '\(column)'")[0][0]
    }

    @Test func `integers of each width (§1.3.1)`() throws {
        for value in [Int16.min, -1, 0, .max] {
            #expect(try roundTrip(Specimen.integer16, value).read == value)
        }
        for value in [Int32.min, -1, 0, .max] {
            #expect(try roundTrip(Specimen.integer32, value).read == value)
        }
        for value in [Int64.min, -1, 0, .max] {
            #expect(try roundTrip(Specimen.integer64, value).read == value)
        }
        #expect(try declaredType("ZINTEGER16") == "INTEGER")
    }

    @Test func `an absent integer reads 0 as a scalar (§1.3.1)`() throws {
        let store = try StoreFixture(makeLibraryModel())
        store.run { context in
            let specimen = Specimen(context: context)
            #expect(specimen[Attribute<Int16>("integer16")] == 0)
            #expect(specimen[Specimen.integer16] == nil)
        }
    }

    @Test func `Booleans are 0 and 1 (§1.3.2)`() throws {
        #expect(try roundTrip(Specimen.boolean, true) == (true, "1", "integer"))
        #expect(try roundTrip(Specimen.boolean, false) == (false, "0", "integer"))
    }

    @Test func `decimals are kept in double precision (§1.3.3)`() throws {
        let price = try #require(Decimal(string: "12.34"))
        let found = try roundTrip(Specimen.decimal, price)
        #expect(found.read == price)
        #expect(found.kind == "real")
        #expect(try declaredType("ZDECIMAL") == "DECIMAL")
    }

    @Test(arguments: [AttributeValue.double(1e300), .double(.nan), .double(.infinity)])
    func `a number that no decimal can be is refused (§1.3.3)`(_ value: AttributeValue) {
        #expect(value.converted(to: .decimal) == nil)
    }

    private static let unstorable: [(key: String, value: AttributeValue)] = [
        ("double", .double(.nan)), ("float", .double(.nan)),
        ("date", .date(Date(timeIntervalSinceReferenceDate: .nan))), ("decimal", .decimal(.nan)),
        ("decimal", .decimal(.greatestFiniteMagnitude)),
        ("decimal", .decimal(.leastFiniteMagnitude)),
        ("decimal", .decimal(Decimal(string: "12345678901234567.89")!)),
        ("decimal", .decimal(Decimal(string: "-0.12345678901234567890123")!)),
        ("decimal", .decimal(Decimal(string: "9007199254740993")!)),
        ("decimal", .decimal(Decimal(1) / 3)),
    ]

    @Test(arguments: unstorable.indices, [true, false])
    func `a value that a store would not give back is refused by the save (§1.3.3, §1.3.4)`(
        _ position: Int, isNew: Bool
    ) throws {
        let (key, value) = Self.unstorable[position]
        let store = try StoreFixture(makeLibraryModel())
        try store.run { context in
            let specimen = Specimen(context: context)
            if !isNew { try context.save() }
            try specimen.setValue(value, forKey: key)
            let errors = try context.validationErrors()
            #expect(errors.map(\.key) == [key])
            #expect(errors.first?.code == 1550 && errors.first?.reason == .unstorable)
            #expect(errors.first?.description.contains(", which a store cannot keep") == true)
            try specimen.setValue(nil, forKey: key)
            try context.save()
        }
    }

    @Test func `NaN does not pass for a mandatory value (§1.3.15)`() throws {
        final class Reading: ManagedObject {
            static let value = Attribute<Double>("value")
        }
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Reading", managedObjectClass: Reading.self,
                    attributes: [AttributeDescription("value", .double, isOptional: false)])
            ]))
        try store.run { context in
            let reading = Reading(context: context)
            reading[Reading.value] = .nan
            #expect(try context.validationErrors().map(\.reason) == [.unstorable])
            reading[Reading.value] = 1
            try context.save()
            reading[Reading.value] = .nan
            #expect(try context.validationErrors().map(\.reason) == [.unstorable])
            context.rollback()
            let calls = Recorder<Int>()
            let typed = BatchInsertRequest(entityName: "Reading") { row in
                guard calls.values.isEmpty else { return true }
                calls.values.append(1)
                row.set(Double.nan, for: Reading.value)
                return false
            }
            let named = BatchInsertRequest(
                entityName: "Reading", objects: [["value": .double(.nan)]])
            for request in [typed, named] {
                let error = #expect(throws: StoreError.self) { try context.execute(request) }
                #expect(error?.code == 134060, "\(String(describing: error))")
            }
            #expect(throws: FetchError.self) {
                try context.execute(
                    BatchUpdateRequest(
                        entityName: "Reading",
                        propertiesToUpdate: ["value": .constant(.double(.nan))]))
            }
            #expect(try store.sql("SELECT ZVALUE FROM ZREADING") == [["1.0"]])
        }
    }

    @Test(arguments: [
        "23.42", "66.92999999999999", "0.1", "-1.005", "1e-90", "-12345e80", "99999999999999e90",
        "1e-100", "999999999999999", "-9007199254740992", "1234567890123456e3",
        "0.3000000000000004",
    ])
    func `decimals of any size that come back are kept (§1.3.3)`(_ text: String) throws {
        let value = try #require(Decimal(string: text))
        #expect(try roundTrip(Specimen.decimal, value).read == value)
    }

    @Test func `a literal, which is a Double, is stored as one (§1.3.3)`() throws {
        let price: Decimal = 19.99
        #expect(price != Decimal(string: "19.99"))
        let read = try #require(try roundTrip(Specimen.decimal, price).read)
        #expect(abs(read - price) < Decimal(string: "1e-13")!)
    }

    @Test func `infinities come back (§1.3.4)`() throws {
        #expect(try roundTrip(Specimen.double, .infinity).read == .infinity)
    }

    @Test func `double and single precision (§1.3.4)`() throws {
        #expect(try roundTrip(Specimen.double, -1.5e300).read == -1.5e300)
        #expect(try roundTrip(Specimen.float, 0.1).read == 0.1)
        #expect(try declaredType("ZDOUBLE") == "FLOAT")
    }

    @Test func `strings (§1.3.5)`() throws {
        for text in ["", "a", "Ünï\u{0}code 🎈", String(repeating: "x", count: 100_000)] {
            #expect(try roundTrip(Specimen.string, text).read == text)
        }
        #expect(try declaredType("ZSTRING") == "VARCHAR")
    }

    @Test func `dates are seconds since 2001 (§1.3.6)`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 86_400.5)
        #expect(try roundTrip(Specimen.date, date) == (date, "86400.5", "real"))
        #expect(try declaredType("ZDATE") == "TIMESTAMP")
    }

    @Test func `binary data (§1.3.7)`() throws {
        for data in [Data(), Data([0, 255, 0])] {
            let found = try roundTrip(Specimen.data, data)
            #expect(found.read == data)
            #expect(found.kind == "blob")
        }
    }

    @Test func `UUIDs have 16 bytes (§1.3.8)`() throws {
        let uuid = UUID()
        let found = try roundTrip(Specimen.uuid, uuid)
        #expect(found.read == uuid)
        #expect(found.kind == "blob")
        #expect(try declaredType("ZUUID") == "BLOB")
    }

    @Test func `URIs are text (§1.3.9)`() throws {
        let uri = try #require(URL(string: "https://example.org/a?b=c#d"))
        #expect(
            try roundTrip(Specimen.uri, uri) == (uri, "https://example.org/a?b=c#d", "text"))
    }

    @Test(arguments: [AttributeType.undefined, .objectID])
    func `some types are for transient attributes only (§1.3.12, §1.3.13)`(
        _ type: AttributeType
    ) throws {
        #expect(throws: ModelError("Thing", "a", .persistentType(type))) {
            _ = try StoreFixture(AttributeDescription("a", type))
        }
        _ = try StoreFixture(AttributeDescription("a", type, isTransient: true))
    }

    @Test func `an undefined attribute takes any value (§1.3.12)`() throws {
        let store = try StoreFixture(AttributeDescription("a", .undefined, isTransient: true))
        try store.run { context in
            let thing = try context.insert("Thing", ["a": "text"])
            #expect(try thing.value(forKey: "a") as? String == "text")
            try thing.setValue(7, forKey: "a")
            #expect(thing[Attribute<Int?>("a")] == 7)
        }
    }

    @Test func `an attribute can be an identifier (§1.3.13)`() throws {
        let store = try StoreFixture(AttributeDescription("a", .objectID, isTransient: true))
        try store.run { context in
            let other = try context.insert("Thing")
            let thing = try context.insert("Thing", ["a": other.objectID])
            #expect(thing[Attribute<ManagedObjectID?>("a")] == other.objectID)
        }
    }

    @Test(arguments: [
        ("integer16", "1" as any Sendable), ("string", 1), ("boolean", "true"), ("date", "today"),
        ("uuid", "x"), ("data", "x"), ("decimal", 1e300), ("integer32", 1.5), ("uri", 1),
    ])
    func `a value of another type is refused at once (§1.3.14)`(
        _ key: String, _ value: any Sendable
    ) throws {
        let store = try StoreFixture(makeLibraryModel())
        try store.run { context in
            let specimen = Specimen(context: context)
            #expect(throws: PropertyError.self) { try specimen.setValue(value, forKey: key) }
            let found = try specimen.value(forKey: key)
            #expect(found == nil)
        }
    }

    @Test func `an accessor of another type stops the program (§1.3.14)`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let store = try StoreFixture(makeLibraryModel())
            store.run { context in
                _ = Specimen(context: context)[Attribute<String?>("integer16")]
            }
        }
        #expect(result.message.contains("make them agree"), "\(result.message)")
    }

    @Test func `an accessor that leads to another class stops the program (§1.3.14)`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let store = try StoreFixture(makeLibraryModel())
            store.run { context in
                _ = Book(context: context)[ToOne<Topic>("author")]
            }
        }
        #expect(result.message.contains("make them agree"), "\(result.message)")
    }

    @Test func `a mandatory value may be missing until the save (§1.3.15)`() throws {
        let store = try StoreFixture(AttributeDescription("a", .string, isOptional: false))
        try store.run { context in
            let thing = try context.insert("Thing")
            #expect(try thing.value(forKey: "a") == nil)
            #expect(throws: SaveError.self) { try context.save() }
            try thing.setValue("x", forKey: "a")
            try thing.setValue(nil, forKey: "a")
            try thing.setValue("y", forKey: "a")
            try context.save()
        }
    }

    @Test func `defaults are there when awakeFromInsert runs (§1.3.16)`() throws {
        let store = try StoreFixture.notebook()
        Journal.keeping { journal in
            journal.on("awakeFromInsert") { note in
                #expect(note.count == 1)
                note.count += 1
            }
            store.run { #expect(Note(context: $0).count == 2) }
        }
    }

    @Test func `a null that is read does not become the default (§1.3.16)`() throws {
        let store = try StoreFixture(AttributeDescription("a", .integer32, defaultValue: 5))
        try store.run { context in
            let thing = try context.insert("Thing", ["a": 1])
            try thing.setValue(nil, forKey: "a")
            try context.save()
            context.reset()
            #expect(try context.all("Thing")[0].value(forKey: "a") == nil)
        }
    }

    @Test func `a batch insert gives omitted attributes their defaults (§1.3.16, §6.2.2)`() throws {
        let store = try StoreFixture(
            AttributeDescription("a", .integer32, defaultValue: 5),
            AttributeDescription("b", .string))
        try store.run { context in
            try context.execute(BatchInsertRequest(entityName: "Thing", objects: [["b": "x"]]))
            #expect(try context.all("Thing")[0].value(forKey: "a") as? Int32 == 5)
        }
    }

    @Test func `an equal value is a change, but no persistent one (§1.3.18, §14.11)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            note.text = "a"
            #expect(note.hasChanges)
            #expect(note.isUpdated)
            #expect(!note.hasPersistentChangedValues)
            let count = try store.statements { try context.save() }
            #expect(count == 0)
            #expect(!note.hasChanges)
        }
        #expect(try store.sql("SELECT Z_OPT FROM ZNOTE") == [["1"]])
    }
}
