import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

/// What accessors that are not optional read where there is no value.
@Suite struct `Missing values (§1.3)` {
    private func makeStore() throws -> StoreFixture {
        try StoreFixture(ManagedObjectModel(entities: [EntityDescription(Passport.self)]))
    }

    /// A saved passport with all values.
    private func save(in store: StoreFixture) throws {
        try store.run { context in
            Passport(context: context).fill()
            try context.save()
            context.reset()
        }
    }

    private func change(_ sql: String, in store: StoreFixture) throws {
        let connection = try Connection(
            SQLiteConfiguration(path: store.folder.path("store.sqlite"), mode: .readWrite))
        try connection.execute(sql)
        #expect(connection.changes == 1)
        try connection.close()
    }

    @Test func `zero, false and empty stand for nil (§1.3.33)`() throws {
        let attributes: [AttributeType] = [
            .integer64, .boolean, .double, .decimal, .string, .binaryData,
        ]
        let entity = EntityDescription(
            name: "Passport", managedObjectClass: Passport.self,
            attributes: attributes.map { AttributeDescription("\($0)", $0, isOptional: false) })
        let store = try StoreFixture(ManagedObjectModel(entities: [entity]))
        store.run { context in
            let object = Passport(context: context)
            #expect(object[Attribute<Int>("integer64")] == 0)
            #expect(object[Attribute<Bool>("boolean")] == false)
            #expect(object[Attribute<Double>("double")] == 0)
            #expect(object[Attribute<Decimal>("decimal")] == 0)
            #expect(object[Attribute<String>("string")] == "")
            #expect(object[Attribute<Data>("binaryData")] == Data())
        }
    }

    @Test func `a value that was never set stops the program (§1.3.34)`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let store = try StoreFixture(
                ManagedObjectModel(entities: [EntityDescription(Passport.self)]))
            store.run { context in _ = Passport(context: context)[Passport.number] }
        }
        #expect(result.message.contains("'Passport.number' has no value"), "\(result.message)")
        #expect(result.message.contains("declare Attribute<UUID?>"), "\(result.message)")
    }

    @Test func `a value that was set to nil stops the program (§1.3.34)`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let store = try StoreFixture(
                ManagedObjectModel(entities: [EntityDescription(Passport.self)]))
            try store.run { context in
                let passport = Passport(context: context)
                passport.fill()
                try context.save()
                try passport.setValue(nil, forKey: "page")
                _ = passport[Passport.page]
            }
        }
        #expect(result.message.contains("'Passport.page' has no value"), "\(result.message)")
    }

    @Test func `a transient value that was never set stops the program (§1.3.34)`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let store = try StoreFixture(
                ManagedObjectModel(entities: [EntityDescription(Passport.self)]))
            store.run { context in _ = Passport(context: context)[Passport.shown] }
        }
        #expect(result.message.contains("'Passport.shown' has no value"), "\(result.message)")
    }

    @Test(arguments: [
        "ZNUMBER = NULL", "ZNUMBER = x'0102'", "ZISSUED = NULL", "ZPAGE = NULL", "ZPAGE = ''",
    ])
    func `a value that a store lacks is reported, and not saved (§1.3.35)`(
        _ change: String
    ) throws {
        let store = try makeStore()
        try save(in: store)
        try self.change("UPDATE ZPASSPORT SET \(change)", in: store)
        let reports = Mutex<[String]>([])
        try store.run { context in
            context.faultHandler = { _, error in reports.withLock { $0.append("\(error)") } }
            let passport = try #require(try Passport.findFirst(in: context))
            _ = (passport[Passport.number], passport[Passport.issued], passport[Passport.page])
            let messages = reports.withLock { $0 }
            #expect(messages.count == 1)
            #expect(messages.first?.contains("has no value") == true, "\(messages)")

            passport[Passport.remark] = "copied"
            let error = #expect(throws: SaveError.self) { try context.save() }
            #expect("\(try #require(error))".contains("has no value"))

            context.rollback()
            passport.fill()
            try context.save()
        }
    }

    @Test func `an object that left its context reports, and goes on (§1.3.35)`() throws {
        let store = try makeStore()
        try save(in: store)
        let reports = Mutex<[String]>([])
        try store.run { context in
            context.faultHandler = { _, error in reports.withLock { $0.append("\(error)") } }
            let passport = try #require(try Passport.findFirst(in: context))
            context.reset()
            _ = passport[Passport.number]
            #expect(reports.withLock { $0.count } == 1)
            try context.save()
        }
    }

    @Test(arguments: [true, false])
    func `a fault whose row is gone reports once (§1.3.35, §3.5.3)`(countsAsDeleted: Bool) throws {
        let store = try makeStore()
        try save(in: store)
        let reports = Mutex<[String]>([])
        try store.run { context in
            context.shouldDeleteInaccessibleFaults = countsAsDeleted
            context.faultHandler = { _, error in reports.withLock { $0.append("\(error)") } }
            var request = FetchRequest(entityName: "Passport")
            request.includesPropertyValues = false
            let passport = try #require(try context.fetch(request, as: Passport.self).first)
            try change("DELETE FROM ZPASSPORT", in: store)
            _ = passport[Passport.issued]
            #expect(reports.withLock { $0.count } == 1)
            try context.save()
        }
    }
}

private final class Passport: ManagedObject {
    static let number = Attribute<UUID>("number")
    static let issued = Attribute<Date>("issued")
    static let page = Attribute<URL>("page")
    static let remark = Attribute<String?>("remark")
    static let shown = Attribute<Date>("shown", isTransient: true)

    override class var managedProperties: [any ManagedProperty] {
        [number, issued, page, remark, shown]
    }

    /// Gives all mandatory attributes a value.
    func fill() {
        (self[Self.number], self[Self.issued], self[Self.shown]) = (UUID(), .now, .now)
        self[Self.page] = URL(string: "https://example.org")!
    }
}
