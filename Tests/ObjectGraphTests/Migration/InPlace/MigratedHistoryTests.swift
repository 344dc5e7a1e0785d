import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// A history is written with one model and read with the next one.
@Suite struct `Histories over migrations (§9.2)` {
    private let fixture = MigrationFixture()

    private static func kept(
        _ name: String, _ type: AttributeType = .string, was former: String? = nil
    ) -> AttributeDescription {
        AttributeDescription(
            name, type, preservesValueInHistoryOnDeletion: true, renamingIdentifier: former)
    }

    private static func plain(
        _ name: String, _ type: AttributeType = .string, was former: String? = nil
    ) -> AttributeDescription { AttributeDescription(name, type, renamingIdentifier: former) }

    /// A page of a book, with the attributes.
    private static func pages(
        _ attributes: [AttributeDescription], isOrdered: Bool = false, book: String = "book",
        others: [RelationshipDescription] = [], name: String = "Page"
    ) -> [EntityDescription] {
        let isRenamed = name != "Page"
        return [
            EntityDescription(
                name: "Book", attributes: [plain("title")],
                relationships: [
                    .toMany("pages", name, inverse: book, isOrdered: isOrdered)
                ]),
            EntityDescription(
                name: name, attributes: attributes,
                relationships: [
                    RelationshipDescription.toOne(book, "Book", inverse: "pages")
                        .renamed(from: book == "book" ? nil : "book")
                ] + others,
                renamingIdentifier: isRenamed ? "Page" : nil),
        ]
    }

    private static let before = pages([
        kept("code", .integer32), plain("note"), kept("title"), plain("width", .double),
    ])

    private struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let after: [EntityDescription]
        let updates: [String]
        let tombstone: [String: AttributeValue]
    }

    private static let values: [String: AttributeValue] = [
        "code": .integer(7), "title": .string("two"),
    ]

    private static let changes = [
        Change(
            testDescription: "an attribute is added before the others",
            after: pages([
                plain("added"), kept("code", .integer32), plain("note"), kept("title"),
                plain("width", .double),
            ]),
            updates: ["title", "note width", "book"], tombstone: values),
        Change(
            testDescription: "a preserved attribute is added before the others",
            after: pages([
                kept("added"), kept("code", .integer32), plain("note"), kept("title"),
                plain("width", .double),
            ]),
            updates: ["title", "note width", "book"], tombstone: values),
        Change(
            testDescription: "more preserved attributes than the file has columns",
            after: pages([
                kept("a"), kept("b"), kept("c"), kept("code", .integer32), plain("note"),
                kept("title"), plain("width", .double),
            ]),
            updates: ["title", "note width", "book"], tombstone: values),
        Change(
            testDescription: "attributes are removed",
            after: pages([plain("note"), kept("title")]),
            updates: ["title", "note", "book"], tombstone: ["title": .string("two")]),
        Change(
            testDescription: "all attributes that a change was of are removed",
            after: pages([kept("code", .integer32)]),
            updates: ["", "", "book"], tombstone: ["code": .integer(7)]),
        Change(
            testDescription: "attributes are renamed",
            after: pages([
                kept("zip", .integer32, was: "code"), plain("note"), kept("aim", was: "title"),
                plain("breadth", .double, was: "width"),
            ]),
            updates: ["aim", "breadth note", "book"],
            tombstone: ["zip": .integer(7), "aim": .string("two")]),
        Change(
            testDescription: "the entity and its relationship are renamed",
            after: pages(
                [
                    kept("code", .integer32), plain("note"), kept("title"),
                    plain("width", .double),
                ], book: "volume", name: "Leaf"),
            updates: ["title", "note width", "volume"], tombstone: values),
        Change(
            testDescription: "a value is preserved no longer",
            after: pages([
                plain("added"), plain("code", .integer32), plain("note"), kept("title"),
                plain("width", .double),
            ]),
            updates: ["title", "note width", "book"], tombstone: ["title": .string("two")]),
        Change(
            testDescription: "the relationship becomes ordered",
            after: pages(
                [
                    kept("code", .integer32), plain("note"), kept("title"),
                    plain("width", .double),
                ], isOrdered: true),
            updates: ["title", "note width", "book"], tombstone: values),
        Change(
            testDescription: "an attribute becomes mandatory",
            after: pages([
                kept("code", .integer32), plain("note"), kept("title"),
                AttributeDescription("width", .double, isOptional: false, defaultValue: 0),
            ]),
            updates: ["title", "note width", "book"], tombstone: values),
        Change(
            testDescription: "a relationship is added",
            after: pages(
                [
                    kept("code", .integer32), plain("note"), kept("title"),
                    plain("width", .double),
                ],
                others: [
                    .toMany("back", "Page", inverse: "front"),
                    .toMany("front", "Page", inverse: "back"),
                ]),
            updates: ["title", "note width", "book"], tombstone: values),
    ]

    private func history(
        _ entities: [EntityDescription], after token: PersistentHistoryToken? = nil
    ) throws -> [PersistentHistoryTransaction] {
        try fixture.open(entities, { $0.tracksHistory = true }) { context in
            try context.fetchHistory(PersistentHistoryRequest(after: token.map { .token($0) }))
        }
    }

    /// Writes five transactions: an insertion, two updates of attributes, one of the relationship,
    /// and a deletion.
    private func write() throws {
        try fixture.open(Self.before, { $0.tracksHistory = true }) { context in
            let book = try context.insertObject(entityName: "Book")
            let page = try context.insertObject(entityName: "Page")
            try page.setValue("one", forKey: "title")
            try page.setValue(7, forKey: "code")
            try page.setValue(book, forKey: "book")
            try context.save()
            try page.setValue("two", forKey: "title")
            try context.save()
            try page.setValue("a note", forKey: "note")
            try page.setValue(1.5, forKey: "width")
            try context.save()
            try page.setValue(nil, forKey: "book")
            try context.save()
            context.delete(page)
            try context.save()
        }
    }

    @Test(arguments: changes)
    private func `updates keep their properties and deletions their values (§9.2.23)`(
        _ change: Change
    ) throws {
        try write()
        let before = try history(Self.before)
        let after = try history(change.after)
        #expect(after.map(\.transactionNumber) == before.map(\.transactionNumber))
        #expect(after.map(\.timestamp) == before.map(\.timestamp))
        let changes = after.flatMap { $0.changes ?? [] }.filter {
            $0.changedObjectID.entityName != "Book"
        }
        #expect(changes.map(\.changeType) == [.insert, .update, .update, .update, .delete])
        #expect(
            changes.compactMap(\.updatedProperties).map { $0.sorted().joined(separator: " ") }
                == change.updates)
        #expect(changes.last?.tombstone == change.tombstone)
    }

    @Test(arguments: changes)
    private func `the history goes on behind a token of before (§9.2.23)`(_ change: Change) throws {
        try write()
        let token = try #require(try history(Self.before).last?.token)
        let page = change.after[1].name
        try fixture.open(change.after, { $0.tracksHistory = true }) { context in
            let first = try context.insertObject(entityName: page)
            for (key, value) in change.tombstone { try first.setValue(value, forKey: key) }
            try context.save()
            context.delete(first)
            try context.save()
        }
        let news = try history(change.after, after: token)
        #expect(news.map(\.transactionNumber) == [6, 7])
        #expect(news.last?.changes?.first?.tombstone == change.tombstone)
    }
}

extension RelationshipDescription {
    fileprivate func renamed(from former: String?) -> Self {
        var description = self
        description.renamingIdentifier = former
        return description
    }
}
