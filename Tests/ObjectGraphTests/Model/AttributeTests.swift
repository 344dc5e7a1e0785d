import Foundation
import Synchronization
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
        let long = try #require(Decimal(string: "0.12345678901234567890123"))
        #expect(try roundTrip(Specimen.decimal, long).read != long)
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

    @Test(arguments: ["1e-90", "-12345e80", "99999999999999e90", "1e-100"])
    func `decimals of any size that come back are kept (§1.3.3)`(_ text: String) throws {
        let value = try #require(Decimal(string: text))
        #expect(try roundTrip(Specimen.decimal, value).read == value)
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

    @Test func `a batch insert gives omitted attributes their defaults (§1.3.16)`() throws {
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

@Suite struct `Transient attributes (§1.3)` {
    @Test func `no column, and no persistent change (§1.3.20)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            note.mood = "glad"
            #expect(note.mood == "glad")
            #expect(note.hasChanges && context.hasChanges)
            #expect(!note.hasPersistentChangedValues)
            #expect(note.changedValues().isEmpty)
        }
        #expect(
            try store.sql("SELECT 1 FROM pragma_table_info('ZNOTE') WHERE name = 'ZMOOD'").isEmpty)
    }

    @Test func `takes part in undo (§1.3.20)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            context.undoManager = UndoManager()
            note.mood = "glad"
            context.undo()
            #expect(note.mood == "calm")
            context.redo()
            #expect(note.mood == "glad")
        }
    }

    @Test func `saving it alone writes nothing and keeps it (§1.3.21, §14.10)`() throws {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            try store.run { context in
                let note = context.makeNote("a")
                try context.save()
                note.mood = "glad"
                _ = journal.take()
                #expect(try store.statements { try context.save() } == 0)
                #expect(journal.take() == ["willSave", "validateForUpdate", "didSave"])
                #expect(!context.hasChanges)
                #expect(note.mood == "glad")
            }
        }
        #expect(try store.sql("SELECT Z_OPT FROM ZNOTE") == [["1"]])
    }

    @Test func `goes back to its default with refresh and reset (§1.3.22)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            note.mood = "glad"
            try context.save()
            context.refresh(note, mergeChanges: false)
            #expect(note.mood == "calm")
            note.mood = "sad"
            try context.save()
            context.refreshAllObjects()
            #expect(note.mood == "calm")
            note.mood = "sad"
            context.reset()
            #expect(try context.notes()[0].mood == "calm")
        }
    }

    @Test func `a rollback goes back to what it was at the save`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            note.mood = "glad"
            try context.save()
            note.mood = "sad"
            #expect(note.committedValues(forKeys: ["mood"])["mood"] as? String == "glad")
            context.rollback()
            #expect(note.mood == "glad")
        }
    }

    @Test func `a child's save takes it to the parent (§1.3.23)`() throws {
        let store = try StoreFixture.notebook()
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        let id = try child.performAndWait {
            let note = child.makeNote("a")
            note.mood = "glad"
            try child.save()
            return note.objectID
        }
        store.run { context in
            #expect((context.object(with: id) as? Note)?.mood == "glad")
        }
        try child.performAndWait {
            let note = try #require(child.object(with: id) as? Note)
            note.mood = "sad"
            try child.save()
            child.reset()
            #expect((child.object(with: id) as? Note)?.mood == "calm")
        }
        store.run { context in
            #expect((context.object(with: id) as? Note)?.mood == "sad")
        }
    }

    @Test func `SQL cannot be asked about it, memory can (§1.3.24, §11.3.3)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let request = FetchRequest(
                entityName: "Note", predicate: try ObjectPredicate("mood == 'calm'"))
            #expect(throws: FetchError.transientKeyNotAllowedHere("mood", entity: "Note")) {
                _ = try context.fetch(request, as: Note.self)
            }
            let sorted = FetchRequest(entityName: "Note", sortKeys: [.ascending("mood")])
            #expect(throws: FetchError.transientKeyNotAllowedHere("mood", entity: "Note")) {
                _ = try context.fetch(sorted, as: Note.self)
            }
            let predicate = try CompiledPredicate(
                try #require(request.predicate),
                entity: try #require(context.model.entity(named: "Note")),
                model: context.model)
            let note = context.makeNote("a")
            #expect(predicate.matches(ObjectSubject(object: note)))
            note.mood = "glad"
            #expect(!predicate.matches(ObjectSubject(object: note)))
        }
    }
}

@Suite struct `Transformable attributes (§1.3)` {
    private let red = Colour(red: 1)

    @Test(arguments: [true, false])
    func `is stored as data and read back (§1.3.10, §1.3.25)`(inMemory: Bool) throws {
        let store = try StoreFixture.notebook(inMemory: inMemory)
        try store.run { context in
            context.makeNote("a").colour = red
            try context.save()
            context.reset()
            #expect(try context.notes()[0].colour == red)
        }
        guard !inMemory else { return }
        #expect(
            try store.sql("SELECT CAST(ZCOLOUR AS TEXT), typeof(ZCOLOUR) FROM ZNOTE")
                == [["{\"blue\":0,\"green\":0,\"red\":1}", "blob"]])
    }

    @Test func `a transformer of one's own says how (§1.3.25)`() throws {
        let backwards = ValueTransformer(
            "Backwards", of: String.self,
            transform: { Data($0.utf8.reversed()) },
            reverse: { String(decoding: $0.reversed(), as: UTF8.self) })
        let store = try StoreFixture(
            AttributeDescription("a", .transformable, transformer: backwards))
        try store.run { context in
            try context.insert("Thing", ["a": "abc"])
            try context.save()
            context.reset()
            #expect(try context.all("Thing")[0].value(forKey: "a") as? String == "abc")
        }
        #expect(try store.sql("SELECT CAST(ZA AS TEXT) FROM ZTHING") == [["cba"]])
    }

    @Test func `a transformable attribute has a default value (§1.3.16, §1.3.25)`() throws {
        let names = ValueTransformer.codable([String].self)
        let store = try StoreFixture(
            AttributeDescription(
                "a", .transformable, defaultValue: names.attributeValue(of: ["x", "y"]),
                transformer: names),
            AttributeDescription("b", .string))
        try store.run { context in
            #expect(try context.insert("Thing").value(forKey: "a") as? [String] == ["x", "y"])
            try context.save()
            try context.execute(BatchInsertRequest(entityName: "Thing", objects: [["b": "z"]]))
            context.reset()
            for thing in try context.all("Thing") {
                #expect(try thing.value(forKey: "a") as? [String] == ["x", "y"])
            }
            #expect(try context.all("Thing").count == 2)
        }
        #expect(names.attributeValue(of: 5) == nil)
        let numbers = ValueTransformer.codable([Int].self)
        #expect(throws: ModelError.self) {
            _ = try StoreFixture(
                AttributeDescription(
                    "a", .transformable, defaultValue: names.attributeValue(of: ["x"]),
                    transformer: numbers))
        }
    }

    @Test func `attributes of other types have no transformer (§1.3.25)`() {
        #expect(throws: ModelError("Thing", "a", .needlessTransformer)) {
            _ = try StoreFixture(
                AttributeDescription("a", .string, transformer: .codable(String.self)))
        }
    }

    @Test func `data that are no value are reported and read as nil (§1.3.25)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            context.makeNote("a").colour = red
            try context.save()
            context.reset()
        }
        let connection = try Connection(
            SQLiteConfiguration(path: store.folder.path("store.sqlite"), mode: .readWrite))
        try connection.execute("UPDATE ZNOTE SET ZCOLOUR = x'00'")
        try connection.close()
        try store.run { context in
            let reports = Journal()
            context.faultHandler = { _, _ in reports.report() }
            let colour = try context.notes()[0].colour
            #expect(colour == nil)
            #expect(reports.take() == ["report"])
        }
    }

    @Test func `a value that makes no data is refused by the save (§1.3.25)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            context.makeNote("a").colour = Colour(red: .nan)
            let errors = try context.validationErrors()
            #expect(errors.map(\.key) == ["colour"])
            #expect(errors[0].code == 1550)
        }
    }

    @Test func `values are compared by their own equality (§1.3.26)`() throws {
        struct Word: Codable, Hashable {
            var text: String
            static func == (first: Word, second: Word) -> Bool {
                first.text.lowercased() == second.text.lowercased()
            }
            func hash(into hasher: inout Hasher) { hasher.combine(text.lowercased()) }
        }
        let store = try StoreFixture(
            AttributeDescription("a", .transformable, transformer: .codable(Word.self)))
        try store.run { context in
            let thing = try context.insert("Thing", ["a": Word(text: "One")])
            try context.save()
            try thing.setValue(Word(text: "ONE"), forKey: "a")
            #expect(!thing.hasPersistentChangedValues)
            try thing.setValue(Word(text: "two"), forKey: "a")
            #expect(thing.hasPersistentChangedValues)
        }
    }

    @Test func `changing a value in place goes unnoticed (§1.3.19)`() throws {
        let store = try StoreFixture(
            AttributeDescription("a", .transformable, transformer: .codable(Box.self)))
        try store.run { context in
            let thing = try context.insert("Thing", ["a": Box()])
            try context.save()
            (try thing.value(forKey: "a") as? Box)?.text.withLock { $0 = "changed" }
            #expect(!thing.hasChanges)
            try context.save()
            context.reset()
            let box = try #require(try context.all("Thing")[0].value(forKey: "a") as? Box)
            #expect(box.text.withLock { $0 } == "")
        }
    }

    @Test func `a value of another type is refused (§1.3.14)`() throws {
        let store = try StoreFixture.notebook()
        store.run { context in
            let note = context.makeNote("a")
            #expect(throws: PropertyError.self) { try note.setValue("red", forKey: "colour") }
            #expect(note.colour == nil)
        }
    }

    @Test func `it can be fetched by nil only (§1.3.27)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            context.makeNote("plain")
            context.makeNote("red").colour = red
            try context.save()
            func texts(_ format: String) throws -> [String] {
                let request = FetchRequest(
                    entityName: "Note", predicate: try ObjectPredicate(format))
                return try context.fetch(request, as: Note.self).map(\.text)
            }
            #expect(try texts("colour == nil") == ["plain"])
            #expect(try texts("colour != nil") == ["red"])
            #expect(throws: FetchError.self) { _ = try texts("colour == 'red'") }
            let sorted = FetchRequest(entityName: "Note", sortKeys: [.ascending("colour")])
            #expect(throws: FetchError.self) { _ = try context.fetch(sorted, as: Note.self) }
        }
    }
}

/// A value with an identity.
final class Box: Codable, Hashable, Sendable {
    let text = Mutex("")

    init() {}
    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        self.text.withLock { $0 = text }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text.withLock { $0 })
    }

    static func == (first: Box, second: Box) -> Bool { first === second }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
