import Foundation
import Testing

@testable import ObjectGraph

@Suite struct `Tables of a store in PostgreSQL` {
    private func statements(
        _ entities: EntityDescription...
    ) throws -> [String] {
        let model = try ManagedObjectModel(entities: entities)
        let layout = StoreLayout(postgreSQL: model, storeIdentifier: "S")
        return try StoreTables(layout, entityNames: Set(entities.map(\.name))).statements
    }

    @Test func `columns hold values as rows in memory do (§8.5)`() throws {
        let statements = try statements(
            EntityDescription(
                name: "Thing",
                attributes: [
                    AttributeDescription("number", .integer16),
                    AttributeDescription("flag", .boolean), AttributeDescription("real", .float),
                    AttributeDescription("price", .decimal), AttributeDescription("day", .date),
                    AttributeDescription("name", .string), AttributeDescription("link", .uri),
                    AttributeDescription("key", .uuid), AttributeDescription("data", .binaryData),
                ]))
        #expect(
            statements == [
                "CREATE TABLE Z_PRIMARYKEY (Z_ENT bigint PRIMARY KEY, Z_NAME text COLLATE \"C\", Z_SUPER bigint, Z_MAX bigint)",
                "CREATE TABLE Z_METADATA (Z_VERSION bigint PRIMARY KEY, Z_UUID text COLLATE \"C\", Z_PLIST bytea)",
                "CREATE TABLE Z_MODELCACHE (Z_CONTENT bytea)",
                "CREATE TABLE ZTHING (Z_PK bigint PRIMARY KEY, Z_ENT bigint, Z_OPT bigint, ZNUMBER bigint, ZFLAG bigint, ZREAL double precision, ZDAY double precision, ZPRICE double precision, ZNAME text COLLATE \"C\", ZLINK text COLLATE \"C\", ZKEY bytea, ZDATA bytea)",
            ])
    }

    @Test func `relationships, indexes and constraints (§1.7, §8.4)`() throws {
        let statements = try statements(
            EntityDescription(
                name: "Author", attributes: [AttributeDescription("name", .string)],
                relationships: [.toMany("books", "Book", inverse: "authors", isOrdered: true)],
                uniquenessConstraints: [["name"]],
                indexes: [
                    FetchIndexDescription(
                        "folded", elements: [.init("name", folding: .caseInsensitive)]),
                    FetchIndexDescription(
                        "named",
                        elements: [.init("name", isAscending: false)],
                        partialIndexPredicate: "name != 'a?\\'t0.' AND name IN {'x', 'y'}"),
                    FetchIndexDescription(
                        "later", elements: [.init("name")],
                        partialIndexPredicate: "name BEGINSWITH[c] 'a'"),
                    FetchIndexDescription(
                        "whole", elements: [.init("name")],
                        partialIndexPredicate: "name BEGINSWITH[d] 'a'"),
                    .fullText("words", on: "name"),
                ]),
            EntityDescription(
                name: "Book",
                relationships: [
                    .toMany("authors", "Author", inverse: "books"),
                    .toOne("shelf", "Place", inverse: "books"),
                ]),
            EntityDescription(
                name: "Place", relationships: [.toMany("books", "Book", inverse: "shelf")]),
            EntityDescription(name: "Shelf", superentity: "Place"))
        #expect(
            statements.dropFirst(6).map(\.self) == [
                "CREATE INDEX Z_Author_folded ON ZAUTHOR (Z_F1_NAME NULLS FIRST)",
                "CREATE INDEX Z_Author_named ON ZAUTHOR (ZNAME DESC NULLS LAST) WHERE ZNAME <> 'a?''t0.' AND ZNAME = ANY(ARRAY['x', 'y']::text[])",
                "CREATE INDEX Z_Author_later ON ZAUTHOR (ZNAME NULLS FIRST) WHERE (Z_F1_NAME >= 'a' AND Z_F1_NAME < 'b')",
                "CREATE INDEX Z_Author_whole ON ZAUTHOR (ZNAME NULLS FIRST)",
                "CREATE UNIQUE INDEX Z_Author_UNIQUE_name ON ZAUTHOR (ZNAME NULLS FIRST)",
                "CREATE INDEX ZBOOK_ZSHELF_INDEX ON ZBOOK (ZSHELF)",
                "CREATE INDEX ZPLACE_Z_ENT_INDEX ON ZPLACE (Z_ENT)",
                "CREATE TABLE Z_1BOOKS (Z_1AUTHORS bigint, Z_2BOOKS bigint, Z_FOK_2BOOKS bigint, PRIMARY KEY (Z_1AUTHORS, Z_2BOOKS))",
                "CREATE INDEX Z_1BOOKS_Z_2BOOKS_INDEX ON Z_1BOOKS (Z_2BOOKS, Z_1AUTHORS)",
            ])
    }

    /// PostgreSQL would cut names after 63 bytes, so that two of them could be equal.
    @Test func `long names are shortened, and stay different`() throws {
        let long = String(repeating: "länge", count: 15)
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: long,
                attributes: [
                    AttributeDescription(long + "1", .string),
                    AttributeDescription(long + "2", .string),
                ], uniquenessConstraints: [[long + "1"]]),
            EntityDescription(name: long + "B"),
        ])
        let names = names(of: model)
        #expect(names.count == 4)
        #expect(Set(names).count == 4)
        #expect(names.allSatisfy { $0.utf8.count <= 63 && $0.hasPrefix("ZLÄNGE") })
        #expect(names == self.names(of: model))
        #expect(SQLiteDialect().name(long) == long)
        #expect(PostgreSQLDialect().name("short") == "short")
    }

    private func names(of model: ManagedObjectModel) -> [String] {
        let layout = StoreLayout(postgreSQL: model, storeIdentifier: "T")
        return model.entities.flatMap { [layout.table(of: $0)] + layout.columns(of: $0) }
    }

    /// The mark and the accent are one character.
    @Test(arguments: [SQLiteDialect(), PostgreSQLDialect()] as [any SQLDialect])
    func `a quotation mark with an accent is doubled too`(dialect: any SQLDialect) {
        #expect(dialect.literal(.text("a'\u{301}b'")) == "'a''\u{301}b'''")
    }

    @Test func `values as literals`() {
        func literal(_ value: SQLBinding) -> String { PostgreSQLDialect().literal(value) }
        #expect(literal(.integer(-5)) == "-5")
        #expect(literal(.real(0.1)) == "'0.1'::double precision")
        #expect(literal(.real(.infinity)) == "'inf'::double precision")
        #expect(literal(.real(.nan)) == "NULL")
        #expect(literal(.blob(Data([1, 255]))) == "'\\x01ff'::bytea")
    }
}
