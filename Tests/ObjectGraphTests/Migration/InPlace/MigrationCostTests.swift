import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `The cost of a migration` {
    private let fixture = MigrationFixture()
    private let title = AttributeDescription("title", .string)
    private let size = AttributeDescription("size", .integer64)

    private func cost(
        _ before: [EntityDescription], _ after: [EntityDescription]
    ) throws -> MigrationCost {
        try MigrationCost(
            from: ManagedObjectModel(entities: before), to: ManagedObjectModel(entities: after))
    }

    private func works(
        _ before: [EntityDescription], _ after: [EntityDescription]
    ) throws -> [String] {
        try cost(before, after).tables.map { table in
            let indexes = table.indexCount > 0 ? " \(table.indexCount)" : ""
            return "\(table.name) \(table.work)\(indexes)\(table.growsWithRows ? " grows" : "")"
        }
    }

    @Test func `each table is kept, altered, filled, rebuilt, made or removed (§9.2.31)`() throws {
        let page = fixture.entity("Page", [title, size])
        let book = fixture.entity("Book", [title])
        #expect(try works([page], [page]) == ["ZPAGE kept"])
        #expect(try cost([page], [page]).isIndependentOfRows)
        #expect(try works([book], [book, page]) == ["ZBOOK kept", "ZPAGE created"])
        #expect(try works([book, page], [book]) == ["ZBOOK kept", "ZPAGE removed"])
        let note = AttributeDescription("note", .string)
        #expect(try works([book], [fixture.entity("Book", [title, note])]) == ["ZBOOK altered"])
        let count = AttributeDescription("count", .integer64, isOptional: false, defaultValue: 1)
        #expect(
            try works([book], [fixture.entity("Book", [title, count])]) == ["ZBOOK filled grows"])
        #expect(
            try works([page], [fixture.entity("Page", [title])]) == ["ZPAGE rebuilt grows"])
        #expect(
            try works([page], [fixture.entity("Leaf", was: "Page", [title, size])])
                == ["ZLEAF altered"])
    }

    @Test func `pairs that change their form are gathered (§9.2.31)`() throws {
        func model(_ isToMany: Bool) -> [EntityDescription] {
            [
                fixture.entity("Book", [title], [.toMany("pages", "Page", inverse: "book")]),
                fixture.entity(
                    "Page", [title],
                    [
                        isToMany
                            ? .toMany("book", "Book", inverse: "pages")
                            : .toOne("book", "Book", inverse: "pages")
                    ]),
            ]
        }
        let tables = try cost(model(false), model(true)).tables
        let pairs = try #require(tables.first { $0.work == .gathered })
        #expect(pairs.source == "ZPAGE" && pairs.contents == ["Book.pages"] && pairs.growsWithRows)
        #expect(pairs.name.hasPrefix("Z_"))
    }

    @Test func `a change that cannot be inferred has no cost (§9.2.31)`() throws {
        let error = #expect(throws: MigrationError.self) {
            try cost(
                [fixture.entity("Page", [size])],
                [fixture.entity("Page", [AttributeDescription("size", .string)])])
        }
        #expect(error?.code == 134190)
    }

    @Test func `a cost reads as a sentence and a line for each table (§9.2.31)`() throws {
        let (page, book) = (fixture.entity("Page", [title, size]), fixture.entity("Book", [title]))
        #expect(
            "\(try cost([page, book], [page, book]))"
                == "No row is read or written: the time is the same however many there are. 2 tables stay as before."
        )
        let note = AttributeDescription("note", .string)
        let text = "\(try cost([page, book], [fixture.entity("Page", [title, note]), book]))"
        #expect(
            text == """
                The time grows with the rows of ZPAGE. 1 table stays as before.

                table  what  work
                ZPAGE  Page  rebuilt, every row is copied
                """)
    }
}
