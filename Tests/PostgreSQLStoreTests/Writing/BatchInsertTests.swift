#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

@Suite(.onServer) struct `Batch inserts in PostgreSQL (§6.2)` {
    @Test func `every attribute type is copied as a save writes it (§11.8.37)`() throws {
        let fixture = WritingFixture(try makeLibraryModel())
        let values: [[String: AttributeValue]] = [
            [
                "integer16": .integer(-32768), "integer64": .integer(.min),
                "decimal": .decimal(Decimal(string: "-0.1")!), "double": .double(.infinity),
                "string": .string("Ünïcode \u{10FFFF} '\"\\\t\n"), "boolean": .boolean(true),
                "date": .date(Date(timeIntervalSinceReferenceDate: -1.25)),
                "data": .data(Data(0...255)), "uuid": .uuid(UUID()),
                "uri": .uri(URL(string: "https://example.org/ä")!),
            ], [:],
        ]
        try fixture.run { context in
            let result = try context.execute(
                BatchInsertRequest(entityName: "Specimen", objects: values),
                resultType: .objectIDs)
            #expect(result.count == 2)
            for (id, values) in zip(result.objectIDs, values) {
                let specimen = try context.existingObject(with: id)
                for attribute in specimen.entity.attributes {
                    #expect(
                        specimen.attributeValue(
                            of: context.model.entity(named: "Specimen")!.property(
                                named: attribute.name)!) == values[attribute.name] ?? .null,
                        "\(attribute.name)")
                }
            }
        }
    }

    @Test func `keys that were reserved and not needed are given back (§11.8.37)`() throws {
        let fixture = WritingFixture(try makeLibraryModel())
        try fixture.run { context in
            for expected in ["7", "14"] {
                let objects = (0..<7).map { ["name": AttributeValue.string("\($0)")] }
                try context.execute(BatchInsertRequest(entityName: "Author", objects: objects))
                #expect(
                    try fixture.schema.texts(
                        "SELECT z_max FROM z_primarykey WHERE z_name = 'Author'")
                        == [expected])
            }
        }
        #expect(try fixture.schema.texts("SELECT max(z_pk) FROM zauthor") == ["14"])
    }

    @Test func `more rows than a block of keys, and another writer between`() throws {
        let fixture = WritingFixture(try makeLibraryModel())
        let other = try fixture.coordinator()
        let root = other.model.entity(named: "Author")!
        let count = BatchKeys.firstSize + 10
        let calls = Counter()
        let request = BatchInsertRequest(entityName: "Author") { row in
            if calls.value == 5 { _ = try other.postgreSQL.reserveKeys(1, root: root) }
            try row.set(.string("a"), forKey: "name")
            return calls.next() == count
        }
        let result = try fixture.run { try $0.execute(request, resultType: .objectIDs) }
        #expect(result.count == count)
        #expect(Set(result.objectIDs.map(\.reference)).count == count)
        #expect(
            try fixture.schema.texts("SELECT z_pk FROM zauthor ORDER BY z_pk")
                == result.objectIDs.map(\.reference).sorted().map { "\($0)" })
    }

    @Test func `an error of the source inserts nothing and leaves the store usable`() throws {
        struct SourceError: Error {}
        let fixture = WritingFixture(try makeLibraryModel())
        let calls = Counter()
        try fixture.run { context in
            let request = BatchInsertRequest(entityName: "Author") { row in
                if calls.next() == 1000 { throw SourceError() }
                try row.set(.string("a"), forKey: "name")
                return false
            }
            #expect(throws: SourceError.self) { try context.execute(request) }
            try context.execute(
                BatchInsertRequest(entityName: "Author", objects: [["name": "b"]]))
        }
        #expect(try fixture.schema.texts("SELECT zname FROM zauthor") == ["b"])
    }

    @Test(arguments: ["Author", "Topic"])
    func `a text with U+0000 is refused by its name`(entityName: String) throws {
        let fixture = WritingFixture(try makeLibraryModel())
        try fixture.run { context in
            let error = #expect(throws: StoreError.self) {
                try context.execute(
                    BatchInsertRequest(
                        entityName: entityName, objects: [["name": "a"], ["name": "b\0"]]))
            }
            guard case .unacceptableValue(_, "name", entityName) = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        #expect(try fixture.schema.texts("SELECT count(*) FROM z\(entityName)") == ["0"])
    }
}

/// Things are unique by code, and with `hasPlace` by place too; each has a name and a count with a
/// default.
@Suite(.onServer)
struct `Batch inserts in PostgreSQL whose unique values are taken (§6.2)` {
    private func makeFixture(hasPlace: Bool) throws -> WritingFixture {
        let fixture = try WritingFixture(
            EntityDescription(
                name: "Thing",
                attributes: [
                    AttributeDescription("code", .string),
                    AttributeDescription("place", .integer32),
                    AttributeDescription("name", .string),
                    AttributeDescription("count", .integer64, defaultValue: 7),
                ], uniquenessConstraints: hasPlace ? [["code"], ["place"]] : [["code"]]))
        try fixture.run { context in
            try context.insert("Thing", ["code": "a", "place": 1, "name": "old", "count": 1])
            try context.save()
        }
        return fixture
    }

    @discardableResult
    private func insert(
        _ rows: [[String: AttributeValue]], in fixture: WritingFixture, _ kind: MergePolicy.Kind
    ) throws -> BatchResult {
        try fixture.run { context in
            context.mergePolicy = MergePolicy(kind)
            return try context.execute(
                BatchInsertRequest(entityName: "Thing", objects: rows), resultType: .objectIDs)
        }
    }

    private func contents(_ fixture: WritingFixture) throws -> [String] {
        try fixture.schema.texts(
            """
            SELECT concat_ws(' ', coalesce(zcode, '-'), coalesce(zplace::text, '-'), \
            coalesce(zname, '-'), zcount, z_opt) FROM zthing ORDER BY z_pk
            """)
    }

    @Test(arguments: [true, false])
    func `the error names entity, constraint and values (§6.2.7)`(isStored: Bool) throws {
        let fixture = try makeFixture(hasPlace: true)
        let rows: [[String: AttributeValue]] = (0..<3000).map { number in
            number == 2500
                ? ["code": isStored ? "a" : "code7", "place": 9999]
                : ["code": .string("code\(number)"), "place": .integer(Int64(number + 10))]
        }
        let error = #expect(throws: StoreError.self) { try insert(rows, in: fixture, .error) }
        #expect(
            error?.reason
                == .valuesTaken(
                    entity: "Thing", constraint: ["code"], values: [isStored ? "a" : "code7"]))
        #expect(try contents(fixture) == ["a 1 old 1 1"])
    }

    @Test(arguments: [MergePolicy.Kind.mergeByPropertyStoreTrump, .rollback])
    func `store trump and rollback skip the row (§6.2.8)`(_ kind: MergePolicy.Kind) throws {
        let fixture = try makeFixture(hasPlace: true)
        let result = try insert(
            [
                ["code": "a", "name": "new"], ["code": "b"], ["code": "b", "place": 3],
                ["place": 1], ["code": "c", "place": 1],
            ], in: fixture, kind)
        #expect(result.count == 1 && result.objectIDs.count == 1)
        #expect(try contents(fixture) == ["a 1 old 1 1", "b - - 7 1"])
    }

    private static let updates: [(given: [String: AttributeValue], stored: String)] = [
        (["code": "a"], "a 1 old 1 2"),
        (["code": "a", "name": "new"], "a 1 new 1 2"),
        (["code": "a", "name": .null], "a 1 - 1 2"),
        (["code": "a", "count": 5, "place": 2], "a 2 old 5 2"),
        (["code": "b", "place": 1], "b 1 old 1 2"),
        (["code": .null, "place": 1], "- 1 old 1 2"),
        (["code": "a", "place": 1], "a 1 old 1 2"),
    ]

    @Test(arguments: updates.indices)
    func `object trump updates what was given (§6.2.9)`(_ index: Int) throws {
        let (given, stored) = Self.updates[index]
        let fixture = try makeFixture(hasPlace: true)
        let result = try insert([given], in: fixture, .mergeByPropertyObjectTrump)
        #expect(result.count == 1 && result.changes.updated.count == 1)
        #expect(try contents(fixture) == [stored])
    }

    @Test func `rows of one source collide in their order`() throws {
        let fixture = try makeFixture(hasPlace: false)
        let result = try insert(
            [
                ["code": "b", "name": "1", "place": 5], ["code": "b", "name": "2"],
                ["code": "c"], ["code": "b", "count": 9], ["code": "a", "name": "3"],
                ["code": .null], ["code": .null],
            ], in: fixture, .overwrite)
        #expect(result.count == 7)
        #expect(result.changes.inserted.count == 4 && result.changes.updated.count == 1)
        #expect(
            try contents(fixture)
                == ["a 1 3 1 2", "b 5 2 9 3", "c - - 7 1", "- - - 7 1", "- - - 7 1"])
    }

    @Test func `a row that collides with two others is refused`() throws {
        let fixture = try makeFixture(hasPlace: true)
        try insert([["code": "b", "place": 2]], in: fixture, .error)
        let error = #expect(throws: StoreError.self) {
            try insert([["code": "c"], ["code": "a", "place": 2]], in: fixture, .overwrite)
        }
        #expect(error?.code == 133021)
        #expect(try contents(fixture) == ["a 1 old 1 1", "b 2 - 7 1"])
    }

    @Test func `a row of another entity is not updated`() throws {
        let fixture = try WritingFixture(
            EntityDescription(
                name: "Thing", attributes: [AttributeDescription("code", .string)],
                uniquenessConstraints: [["code"]]),
            EntityDescription(
                name: "Part", superentity: "Thing",
                attributes: [AttributeDescription("size", .integer32)]))
        try fixture.run { context in
            try context.insert("Thing", ["code": "a"])
            try context.save()
            context.mergePolicy = .overwrite
            let error = #expect(throws: StoreError.self) {
                try context.execute(
                    BatchInsertRequest(
                        entityName: "Part", objects: [["code": "b"], ["code": "a", "size": 1]]))
            }
            #expect(
                error?.reason
                    == .valuesTaken(entity: "Part", constraint: ["code"], values: ["a"]))
        }
        #expect(try fixture.schema.texts("SELECT zcode || z_opt FROM zthing") == ["a1"])
    }
}
#endif
