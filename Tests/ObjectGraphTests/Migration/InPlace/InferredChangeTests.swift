import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// The SQL of each kind of change, and what becomes of a row.
@Suite struct `Statements of inferred migrations` {
    private typealias Change = ChangeOfModel
    private static let (page, book) = (Change.page, Change.book)
    private static let fixture = ChangeOfModel.fixture

    static let relationships: [ChangeOfModel] = [
        Change(
            testDescription: "a to-one relationship is added",
            before: [Change.page(), Change.book()], after: Change.library(pages: true),
            sql: [
                "ALTER TABLE ZPAGE ADD COLUMN ZBOOK INTEGER",
                "CREATE INDEX ZPAGE_ZBOOK_INDEX ON ZPAGE (ZBOOK)",
            ]),
        Change(
            testDescription: "a to-one relationship is removed",
            before: Change.library(pages: true), after: [Change.page(), Change.book()],
            sql: [
                #"DROP INDEX "ZPAGE_ZBOOK_INDEX""#,
                "ALTER TABLE ZPAGE RENAME TO Z_OLD_1",
                "CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR)",
                "INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZTITLE) SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE FROM Z_OLD_1",
                "DROP TABLE Z_OLD_1",
            ]),
        Change(
            testDescription: "a to-one relationship is renamed",
            before: Change.library(pages: true),
            after: [
                Change.page(
                    [],
                    [
                        RelationshipDescription(
                            name: "volume", destination: "Book", inverse: "pages", maxCount: 1,
                            renamingIdentifier: "book")
                    ]), Change.book([.toMany("pages", "Page", inverse: "volume")]),
            ],
            sql: [
                #"DROP INDEX "ZPAGE_ZBOOK_INDEX""#,
                "ALTER TABLE ZPAGE RENAME COLUMN ZBOOK TO Z_OLD_0",
                "ALTER TABLE ZPAGE RENAME COLUMN Z_OLD_0 TO ZVOLUME",
                "CREATE INDEX ZPAGE_ZVOLUME_INDEX ON ZPAGE (ZVOLUME)",
            ]),
        Change(
            testDescription: "a relationship between many is added",
            before: [Change.page(), Change.book()],
            after: Change.library(pages: true, books: true),
            sql: [
                "CREATE TABLE Z_1PAGES (Z_1BOOKS INTEGER, Z_2PAGES INTEGER, PRIMARY KEY (Z_1BOOKS, Z_2PAGES))",
                "CREATE INDEX Z_1PAGES_Z_2PAGES_INDEX ON Z_1PAGES (Z_2PAGES, Z_1BOOKS)",
            ]),
        Change(
            testDescription: "a relationship between many is removed",
            before: Change.library(pages: true, books: true),
            after: [Change.page(), Change.book()],
            sql: [
                "DROP TABLE Z_1PAGES"
            ]),
        Change(
            testDescription: "to-one becomes to-many", before: Change.library(pages: true),
            after: Change.library(pages: true, books: true),
            sql: [
                #"DROP INDEX "ZPAGE_ZBOOK_INDEX""#,
                "CREATE TEMP TABLE Z_PAIRS_0_0 AS SELECT * FROM (SELECT ZBOOK AS owner, Z_PK AS member, NULL AS place, NULL AS inverse_place FROM ZPAGE WHERE ZBOOK NOT NULL) ORDER BY owner, place, member",
                "CREATE INDEX temp.Z_PAIRS_0_0_INDEX ON Z_PAIRS_0_0 (owner, place, member)",
                "ALTER TABLE ZPAGE RENAME TO Z_OLD_1",
                "CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR)",
                "INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZTITLE) SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE FROM Z_OLD_1",
                "CREATE TABLE Z_1PAGES (Z_1BOOKS INTEGER, Z_2PAGES INTEGER, PRIMARY KEY (Z_1BOOKS, Z_2PAGES))",
                "INSERT OR IGNORE INTO Z_1PAGES (Z_1BOOKS, Z_2PAGES) SELECT owner, member FROM temp.Z_PAIRS_0_0 ORDER BY owner, member",
                "CREATE INDEX Z_1PAGES_Z_2PAGES_INDEX ON Z_1PAGES (Z_2PAGES, Z_1BOOKS)",
                "DROP TABLE Z_OLD_1",
                "DROP TABLE temp.Z_PAIRS_0_0",
            ]),
        Change(
            testDescription: "to-many becomes to-one",
            before: Change.library(pages: true, books: true), after: Change.library(pages: true),
            sql: [
                "CREATE TEMP TABLE Z_PAIRS_1_1 AS SELECT * FROM (SELECT Z_2PAGES AS owner, Z_1BOOKS AS member, NULL AS place, NULL AS inverse_place FROM Z_1PAGES) ORDER BY owner, place, member",
                "CREATE INDEX temp.Z_PAIRS_1_1_INDEX ON Z_PAIRS_1_1 (owner, place, member)",
                "DROP TABLE Z_1PAGES",
                "ALTER TABLE ZPAGE ADD COLUMN ZBOOK INTEGER",
                "UPDATE ZPAGE SET (ZBOOK) = (SELECT member FROM temp.Z_PAIRS_1_1 WHERE owner = ZPAGE.Z_PK ORDER BY place, member LIMIT 1) WHERE ZBOOK NOT NULL OR Z_PK IN (SELECT owner FROM temp.Z_PAIRS_1_1)",
                "DROP TABLE temp.Z_PAIRS_1_1",
                "CREATE INDEX ZPAGE_ZBOOK_INDEX ON ZPAGE (ZBOOK)",
            ]),
        Change(
            testDescription: "one-to-many becomes one-to-one",
            before: Change.library(pages: true), after: Change.library(pages: false),
            sql: [
                "CREATE TEMP TABLE Z_PAIRS_0_0 AS SELECT * FROM (SELECT ZBOOK AS owner, Z_PK AS member, NULL AS place, NULL AS inverse_place FROM ZPAGE WHERE ZBOOK NOT NULL) ORDER BY owner, place, member",
                "CREATE INDEX temp.Z_PAIRS_0_0_INDEX ON Z_PAIRS_0_0 (owner, place, member)",
                "ALTER TABLE ZBOOK ADD COLUMN ZPAGE INTEGER",
                "DELETE FROM temp.Z_PAIRS_0_0 WHERE rowid NOT IN (SELECT min(rowid) FROM temp.Z_PAIRS_0_0 GROUP BY member)",
                "DELETE FROM temp.Z_PAIRS_0_0 WHERE rowid NOT IN (SELECT min(rowid) FROM temp.Z_PAIRS_0_0 GROUP BY owner)",
                "UPDATE ZBOOK SET (ZPAGE) = (SELECT member FROM temp.Z_PAIRS_0_0 WHERE owner = ZBOOK.Z_PK ORDER BY place, member LIMIT 1) WHERE ZPAGE NOT NULL OR Z_PK IN (SELECT owner FROM temp.Z_PAIRS_0_0)",
                "CREATE TEMP TABLE Z_PAIRS_1_1 AS SELECT * FROM (SELECT member AS owner, owner AS member, inverse_place AS place, place AS inverse_place FROM temp.Z_PAIRS_0_0) ORDER BY owner, place, member",
                "CREATE INDEX temp.Z_PAIRS_1_1_INDEX ON Z_PAIRS_1_1 (owner, place, member)",
                "UPDATE ZPAGE SET (ZBOOK) = (SELECT member FROM temp.Z_PAIRS_1_1 WHERE owner = ZPAGE.Z_PK ORDER BY place, member LIMIT 1) WHERE ZBOOK NOT NULL OR Z_PK IN (SELECT owner FROM temp.Z_PAIRS_1_1)",
                "DROP TABLE temp.Z_PAIRS_0_0",
                "DROP TABLE temp.Z_PAIRS_1_1",
                "CREATE INDEX ZBOOK_ZPAGE_INDEX ON ZBOOK (ZPAGE)",
            ]),
        Change(
            testDescription: "unordered becomes ordered", before: Change.library(pages: true),
            after: Change.library(pages: true, isOrdered: true),
            sql: ["ALTER TABLE ZPAGE ADD COLUMN Z_FOK_BOOK INTEGER"]),
        Change(
            testDescription: "ordered becomes unordered",
            before: Change.library(pages: true, isOrdered: true),
            after: Change.library(pages: true),
            sql: [
                #"DROP INDEX "ZPAGE_ZBOOK_INDEX""#,
                "ALTER TABLE ZPAGE RENAME TO Z_OLD_1",
                "CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZBOOK INTEGER, ZTITLE VARCHAR)",
                "INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZBOOK, ZTITLE) SELECT Z_PK, Z_ENT, Z_OPT, ZBOOK, ZTITLE FROM Z_OLD_1",
                "DROP TABLE Z_OLD_1",
                "CREATE INDEX ZPAGE_ZBOOK_INDEX ON ZPAGE (ZBOOK)",
            ]),
        Change(
            testDescription: "unordered becomes ordered between many",
            before: Change.library(pages: true, books: true),
            after: Change.library(pages: true, books: true, isOrdered: true),
            sql: [
                "CREATE TEMP TABLE Z_PAIRS_0_0 AS SELECT * FROM (SELECT Z_1BOOKS AS owner, Z_2PAGES AS member, NULL AS place, NULL AS inverse_place FROM Z_1PAGES) ORDER BY owner, place, member",
                "CREATE INDEX temp.Z_PAIRS_0_0_INDEX ON Z_PAIRS_0_0 (owner, place, member)",
                "DROP TABLE Z_1PAGES",
                "CREATE TABLE Z_1PAGES (Z_1BOOKS INTEGER, Z_2PAGES INTEGER, Z_FOK_2PAGES INTEGER, PRIMARY KEY (Z_1BOOKS, Z_2PAGES))",
                "INSERT OR IGNORE INTO Z_1PAGES (Z_1BOOKS, Z_2PAGES, Z_FOK_2PAGES) SELECT owner, member, place FROM temp.Z_PAIRS_0_0 ORDER BY owner, member",
                "CREATE INDEX Z_1PAGES_Z_2PAGES_INDEX ON Z_1PAGES (Z_2PAGES, Z_1BOOKS)",
                "DROP TABLE temp.Z_PAIRS_0_0",
            ]),
    ]

    private static let note = AttributeDescription("note", .string)

    private static func item(_ attributes: [AttributeDescription]) -> EntityDescription {
        fixture.entity("Item", [Change.title] + attributes)
    }

    private static func leaf(_ attributes: [AttributeDescription]) -> EntityDescription {
        fixture.entity("Page", parent: "Item", attributes)
    }

    static let hierarchies: [ChangeOfModel] = [
        Change(
            testDescription: "an attribute moves up", before: [item([]), leaf([note])],
            after: [item([note]), leaf([])],
            sql: []),
        Change(
            testDescription: "an attribute moves down", before: [item([note]), leaf([])],
            after: [item([]), leaf([note])],
            sql: [
                #"DROP INDEX "ZITEM_Z_ENT_INDEX""#,
                "ALTER TABLE ZITEM RENAME TO Z_OLD_0",
                "CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR, ZNOTE VARCHAR)",
                "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZNOTE) SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, CASE Z_ENT WHEN 2 THEN ZNOTE END FROM Z_OLD_0",
                "DROP TABLE Z_OLD_0",
                "CREATE INDEX ZITEM_Z_ENT_INDEX ON ZITEM (Z_ENT)",
            ]),
        Change(
            testDescription: "an entity leaves its hierarchy", before: [item([]), leaf([note])],
            after: [item([]), fixture.entity("Page", [Change.title, note])],
            sql: [
                #"DROP INDEX "ZITEM_Z_ENT_INDEX""#,
                "ALTER TABLE ZITEM RENAME TO Z_OLD_0",
                "CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR)",
                "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZTITLE) SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE FROM Z_OLD_0 WHERE Z_ENT IN (1)",
                "CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR, ZNOTE VARCHAR)",
                "INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZNOTE) SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, ZNOTE FROM Z_OLD_0 WHERE Z_ENT IN (2)",
                "DROP TABLE Z_OLD_0",
            ]),
        Change(
            testDescription: "a parent is removed", before: [item([]), leaf([note])],
            after: [fixture.entity("Page", [Change.title, note])],
            sql: [
                #"DROP INDEX "ZITEM_Z_ENT_INDEX""#,
                "ALTER TABLE ZITEM RENAME TO Z_OLD_0",
                "CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR, ZNOTE VARCHAR)",
                "INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZNOTE) SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, ZNOTE FROM Z_OLD_0 WHERE Z_ENT IN (2)",
                "DROP TABLE Z_OLD_0",
            ]),
        Change(
            testDescription: "a child is added", before: [Change.page()],
            after: [Change.page(), fixture.entity("Cover", parent: "Page", [note])],
            sql: [
                "ALTER TABLE ZPAGE ADD COLUMN ZNOTE VARCHAR",
                "CREATE INDEX ZPAGE_Z_ENT_INDEX ON ZPAGE (Z_ENT)",
            ]),
        Change(
            testDescription: "an entity becomes abstract", before: [item([]), leaf([])],
            after: {
                var abstract = item([])
                abstract.isAbstract = true
                return [abstract, leaf([])]
            }(),
            sql: []),
    ]

    private static func text(_ name: String, _ derivation: String? = nil) -> AttributeDescription {
        AttributeDescription(name, .string, derivation: derivation)
    }

    private static func place(_ elements: String...) -> AttributeDescription {
        AttributeDescription(
            "place", .composite, elements: elements.map { AttributeDescription($0, .double) })
    }

    private static func data(isExternal: Bool) -> AttributeDescription {
        AttributeDescription("data", .binaryData, allowsExternalStorage: isExternal)
    }

    static let attributes: [ChangeOfModel] = [
        Change(
            testDescription: "an attribute becomes optional",
            before: [
                Change.page([
                    AttributeDescription("note", .string, isOptional: false, defaultValue: "-")
                ])
            ],
            after: [Change.page([note])], sql: [],
            content: ["Page 1": "", "Page 1.title": "one", "Page 1.note": "-"]),
        Change(
            testDescription: "a transient attribute is stored",
            before: [
                Change.page([AttributeDescription("note", .string, isTransient: true)])
            ],
            after: [Change.page([note])],
            sql: [
                "ALTER TABLE ZPAGE ADD COLUMN ZNOTE VARCHAR"
            ]),
        Change(
            testDescription: "a stored attribute becomes transient",
            before: [Change.page([note])],
            after: [
                Change.page([AttributeDescription("note", .string, isTransient: true)])
            ],
            sql: [
                "ALTER TABLE ZPAGE RENAME TO Z_OLD_0",
                "CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR)",
                "INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZTITLE) SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE FROM Z_OLD_0",
                "DROP TABLE Z_OLD_0",
            ]),
        Change(
            testDescription: "a derived attribute is added", before: [Change.page()],
            after: [Change.page([text("upper", "uppercase:(title)")])],
            sql: [
                "ALTER TABLE ZPAGE ADD COLUMN ZUPPER VARCHAR",
                "UPDATE ZPAGE SET ZUPPER = OGUppercase(ZTITLE) WHERE true",
                "CREATE TRIGGER Z_DA_ZPAGE_Page_upper_INSERT AFTER INSERT ON ZPAGE FOR EACH ROW BEGIN UPDATE ZPAGE SET ZUPPER = OGUppercase(ZTITLE) WHERE Z_PK = NEW.Z_PK; SELECT NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('ZPAGE', Z_ENT, Z_PK, 'upper', ZUPPER) FROM ZPAGE WHERE Z_PK = NEW.Z_PK; END",
                "CREATE TRIGGER Z_DA_ZPAGE_Page_upper_UPDATE AFTER UPDATE OF ZTITLE ON ZPAGE FOR EACH ROW WHEN NEW.ZTITLE IS NOT OLD.ZTITLE BEGIN UPDATE ZPAGE SET ZUPPER = OGUppercase(ZTITLE) WHERE Z_PK = NEW.Z_PK; SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZPAGE', Z_ENT, Z_PK, 'upper', ZUPPER) FROM ZPAGE WHERE Z_PK = NEW.Z_PK; END",
            ],
            content: ["Page 1": "", "Page 1.title": "one", "Page 1.upper": "ONE"]),
        Change(
            testDescription: "a derivation changes",
            before: [Change.page([text("form", "uppercase:(title)")])],
            after: [Change.page([text("form", "title")])],
            sql: [
                #"DROP TRIGGER "Z_DA_ZPAGE_Page_form_INSERT""#,
                #"DROP TRIGGER "Z_DA_ZPAGE_Page_form_UPDATE""#,
                "ALTER TABLE ZPAGE RENAME TO Z_OLD_0",
                "CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR, ZFORM VARCHAR)",
                "INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZFORM) SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, NULL FROM Z_OLD_0",
                "DROP TABLE Z_OLD_0",
                "UPDATE ZPAGE SET ZFORM = ZTITLE WHERE true",
                "CREATE TRIGGER Z_DA_ZPAGE_Page_form_INSERT AFTER INSERT ON ZPAGE FOR EACH ROW BEGIN UPDATE ZPAGE SET ZFORM = ZTITLE WHERE Z_PK = NEW.Z_PK; SELECT NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('ZPAGE', Z_ENT, Z_PK, 'form', ZFORM) FROM ZPAGE WHERE Z_PK = NEW.Z_PK; END",
                "CREATE TRIGGER Z_DA_ZPAGE_Page_form_UPDATE AFTER UPDATE OF ZTITLE ON ZPAGE FOR EACH ROW WHEN NEW.ZTITLE IS NOT OLD.ZTITLE BEGIN UPDATE ZPAGE SET ZFORM = ZTITLE WHERE Z_PK = NEW.Z_PK; SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZPAGE', Z_ENT, Z_PK, 'form', ZFORM) FROM ZPAGE WHERE Z_PK = NEW.Z_PK; END",
            ],
            content: ["Page 1": "", "Page 1.title": "one", "Page 1.form": "one"]),
        Change(
            testDescription: "a derived attribute becomes one that is set",
            before: [Change.page([text("upper", "uppercase:(title)")])],
            after: [Change.page([text("upper")])],
            sql: [
                #"DROP TRIGGER "Z_DA_ZPAGE_Page_upper_INSERT""#,
                #"DROP TRIGGER "Z_DA_ZPAGE_Page_upper_UPDATE""#,
            ],
            content: ["Page 1": "", "Page 1.title": "one", "Page 1.upper": "ONE"]),
        Change(
            testDescription: "a composite gets an element", before: [Change.page([place("x")])],
            after: [Change.page([place("x", "y")])],
            sql: [
                "ALTER TABLE ZPAGE ADD COLUMN ZPLACE_Y FLOAT"
            ]),
        Change(
            testDescription: "a composite loses an element",
            before: [Change.page([place("x", "y")])], after: [Change.page([place("x")])],
            sql: [
                "ALTER TABLE ZPAGE RENAME TO Z_OLD_0",
                "CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPLACE_X FLOAT, ZTITLE VARCHAR)",
                "INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZPLACE_X, ZTITLE) SELECT Z_PK, Z_ENT, Z_OPT, ZPLACE_X, ZTITLE FROM Z_OLD_0",
                "DROP TABLE Z_OLD_0",
            ]),
        Change(
            testDescription: "data may go out", before: [Change.page([data(isExternal: false)])],
            after: {
                var page = Change.page([data(isExternal: true)])
                page.versionHashModifier = "2"
                return [page]
            }(),
            sql: [
                "ALTER TABLE ZPAGE RENAME TO Z_OLD_0",
                "CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR, ZDATA BLOB)",
                "INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZDATA) SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, CASE WHEN ZDATA NOT NULL THEN CAST(x'01' || ZDATA AS BLOB) END FROM Z_OLD_0",
                "DROP TABLE Z_OLD_0",
            ]),
        Change(
            testDescription: "data stay in their rows",
            before: [Change.page([data(isExternal: true)])],
            after: {
                var page = Change.page([data(isExternal: false)])
                page.versionHashModifier = "2"
                return [page]
            }(),
            sql: [
                "ALTER TABLE ZPAGE RENAME TO Z_OLD_0",
                "CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR, ZDATA BLOB)",
                "INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZDATA) SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, OGExternalData(ZDATA, 'Page.data') FROM Z_OLD_0",
                "DROP TABLE Z_OLD_0",
            ]),
    ]

    private static let byText = FetchIndexDescription.fullText("byText", on: "title")
    private static let byTitle = FetchIndexDescription("byTitle", on: "title")
    private static let bySize = FetchIndexDescription(
        "bySize", elements: [.init("size")], kind: .rTree)
    private static let size = AttributeDescription(
        "size", .float, isOptional: false, defaultValue: .double(2))
    private static let sized = ["Page 1": "", "Page 1.title": "one", "Page 1.size": "2.0"]

    // Indexes do not count for the version hash, so another change goes with theirs.
    static let indexes: [ChangeOfModel] = [
        Change(
            testDescription: "a constraint is removed",
            before: [Change.page(unique: [["title"]])], after: [Change.page()],
            sql: [
                #"DROP INDEX "Z_Page_UNIQUE_title""#
            ]),
        Change(
            testDescription: "an index is added", before: [Change.page()],
            after: [Change.page(indexes: [byTitle], modifier: "2")],
            sql: [
                "CREATE INDEX Z_Page_byTitle ON ZPAGE (ZTITLE COLLATE BINARY ASC)"
            ]),
        Change(
            testDescription: "an index is removed", before: [Change.page(indexes: [byTitle])],
            after: [Change.page(modifier: "2")],
            sql: [
                #"DROP INDEX "Z_Page_byTitle""#
            ]),
        Change(
            testDescription: "an R*Tree is added", before: [Change.page([size])],
            after: [Change.page([size], indexes: [bySize], modifier: "2")],
            sql: [
                "CREATE VIRTUAL TABLE Z_RT_Page_bySize USING RTREE (Z_PK INTEGER PRIMARY KEY, ZSIZE_MIN FLOAT, ZSIZE_MAX FLOAT)",
                "CREATE TRIGGER Z_RT_Page_bySize_INSERT AFTER INSERT ON ZPAGE WHEN NEW.Z_ENT IN (1) BEGIN INSERT OR REPLACE INTO Z_RT_Page_bySize VALUES (NEW.Z_PK, NEW.ZSIZE, NEW.ZSIZE); END",
                "CREATE TRIGGER Z_RT_Page_bySize_UPDATE AFTER UPDATE OF ZSIZE ON ZPAGE WHEN NEW.Z_ENT IN (1) BEGIN INSERT OR REPLACE INTO Z_RT_Page_bySize VALUES (NEW.Z_PK, NEW.ZSIZE, NEW.ZSIZE); END",
                "CREATE TRIGGER Z_RT_Page_bySize_DELETE AFTER DELETE ON ZPAGE BEGIN DELETE FROM Z_RT_Page_bySize WHERE Z_PK = OLD.Z_PK; END",
                "INSERT INTO Z_RT_Page_bySize SELECT Z_PK, ZSIZE, ZSIZE FROM ZPAGE WHERE Z_ENT IN (1)",
            ],
            content: sized),
        Change(
            testDescription: "an R*Tree is removed",
            before: [Change.page([size], indexes: [bySize])],
            after: [Change.page([size], modifier: "2")],
            sql: [
                #"DROP TRIGGER "Z_RT_Page_bySize_INSERT""#,
                #"DROP TRIGGER "Z_RT_Page_bySize_UPDATE""#,
                #"DROP TRIGGER "Z_RT_Page_bySize_DELETE""#,
                #"DROP TABLE "Z_RT_Page_bySize""#,
            ], content: sized),
        Change(
            testDescription: "a full-text index is added", before: [Change.page()],
            after: [Change.page(indexes: [byText], modifier: "2")],
            sql: [
                "CREATE VIRTUAL TABLE Z_FT_Page_byText USING fts5(ZTITLE, content='ZPAGE', content_rowid='Z_PK', tokenize='unicode61 remove_diacritics 2')",
                "CREATE TRIGGER Z_FT_Page_byText_INSERT AFTER INSERT ON ZPAGE BEGIN INSERT INTO Z_FT_Page_byText (rowid, ZTITLE) VALUES (NEW.Z_PK, NEW.ZTITLE); END",
                "CREATE TRIGGER Z_FT_Page_byText_UPDATE AFTER UPDATE OF ZTITLE ON ZPAGE WHEN (OLD.ZTITLE IS NOT NEW.ZTITLE) BEGIN INSERT INTO Z_FT_Page_byText (Z_FT_Page_byText, rowid, ZTITLE) VALUES ('delete', OLD.Z_PK, OLD.ZTITLE); INSERT INTO Z_FT_Page_byText (rowid, ZTITLE) VALUES (NEW.Z_PK, NEW.ZTITLE); END",
                "CREATE TRIGGER Z_FT_Page_byText_DELETE AFTER DELETE ON ZPAGE BEGIN INSERT INTO Z_FT_Page_byText (Z_FT_Page_byText, rowid, ZTITLE) VALUES ('delete', OLD.Z_PK, OLD.ZTITLE); END",
                "INSERT INTO Z_FT_Page_byText (Z_FT_Page_byText) VALUES ('rebuild')",
            ]),
        Change(
            testDescription: "a full-text index is removed",
            before: [Change.page(indexes: [byText])], after: [Change.page(modifier: "2")],
            sql: [
                #"DROP TRIGGER "Z_FT_Page_byText_INSERT""#,
                #"DROP TRIGGER "Z_FT_Page_byText_UPDATE""#,
                #"DROP TRIGGER "Z_FT_Page_byText_DELETE""#,
                #"DROP TABLE "Z_FT_Page_byText""#,
            ]),
        Change(
            testDescription: "a full-text index of a subentity is kept over a copy of its table",
            before: [
                fixture.entity("Item", [Change.title, note]),
                fixture.entity("Page", parent: "Item", indexes: [byText]),
            ],
            after: [
                fixture.entity("Item", [Change.title]),
                fixture.entity("Page", parent: "Item", indexes: [byText]),
            ],
            sql: [
                #"DROP TRIGGER "Z_FT_Page_byText_INSERT""#,
                #"DROP TRIGGER "Z_FT_Page_byText_UPDATE""#,
                #"DROP TRIGGER "Z_FT_Page_byText_DELETE""#,
                #"DROP TABLE "Z_FT_Page_byText""#,
                #"DROP VIEW "Z_FT_Page_byText_CONTENT""#,
                #"DROP INDEX "ZITEM_Z_ENT_INDEX""#,
                "ALTER TABLE ZITEM RENAME TO Z_OLD_0",
                "CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR)",
                "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZTITLE) SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE FROM Z_OLD_0",
                "DROP TABLE Z_OLD_0",
                "CREATE INDEX ZITEM_Z_ENT_INDEX ON ZITEM (Z_ENT)",
                "CREATE VIEW Z_FT_Page_byText_CONTENT AS SELECT Z_PK, ZTITLE FROM ZITEM WHERE Z_ENT IN (2)",
                "CREATE VIRTUAL TABLE Z_FT_Page_byText USING fts5(ZTITLE, content='Z_FT_Page_byText_CONTENT', content_rowid='Z_PK', tokenize='unicode61 remove_diacritics 2')",
                "CREATE TRIGGER Z_FT_Page_byText_INSERT AFTER INSERT ON ZITEM WHEN NEW.Z_ENT IN (2) BEGIN INSERT INTO Z_FT_Page_byText (rowid, ZTITLE) VALUES (NEW.Z_PK, NEW.ZTITLE); END",
                "CREATE TRIGGER Z_FT_Page_byText_UPDATE AFTER UPDATE OF ZTITLE ON ZITEM WHEN NEW.Z_ENT IN (2) AND (OLD.ZTITLE IS NOT NEW.ZTITLE) BEGIN INSERT INTO Z_FT_Page_byText (Z_FT_Page_byText, rowid, ZTITLE) VALUES ('delete', OLD.Z_PK, OLD.ZTITLE); INSERT INTO Z_FT_Page_byText (rowid, ZTITLE) VALUES (NEW.Z_PK, NEW.ZTITLE); END",
                "CREATE TRIGGER Z_FT_Page_byText_DELETE AFTER DELETE ON ZITEM WHEN OLD.Z_ENT IN (2) BEGIN INSERT INTO Z_FT_Page_byText (Z_FT_Page_byText, rowid, ZTITLE) VALUES ('delete', OLD.Z_PK, OLD.ZTITLE); END",
                "INSERT INTO Z_FT_Page_byText (Z_FT_Page_byText) VALUES ('rebuild')",
            ]),
        Change(
            testDescription: "a modifier of the version hash alone", before: [Change.page()],
            after: [Change.page(modifier: "2")], sql: []),
    ]

    @Test(arguments: relationships + hierarchies + attributes + indexes)
    func `a kind of change has its SQL (§9.2.19)`(_ change: ChangeOfModel) throws {
        let fixture = MigrationFixture()
        try fixture.make(change.before, change.objects)
        #expect(try fixture.statements(change.after) == change.sql)
        #expect(try fixture.content(change.after) == change.content)
        #expect(try fixture.sql("PRAGMA integrity_check") == ["ok"])
        // The file has what a new one has.
        let new = MigrationFixture()
        try new.make(change.after)
        let schema =
            "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2"
        #expect(try fixture.sql(schema) == new.sql(schema))
    }

    @Test func `what does not change the form of rows needs no migration (§9.2.24)`() throws {
        let fixture = MigrationFixture()
        try fixture.make(
            [ChangeOfModel.page([Self.size], [.toOne("book", "Book")]), ChangeOfModel.book()],
            [("Page", ["title": "one"])])
        var size = Self.size
        size.defaultValue = .double(3)
        size.validationRules = [
            ValidationRule("SELF > 0", .code(1620))
        ]
        let later = [
            ChangeOfModel.page(
                [size], [.toOne("book", "Book", deleteRule: .cascade)], indexes: [Self.byTitle]),
            ChangeOfModel.book(),
        ]
        #expect(try fixture.statements(later) == [])
        let sizes = try fixture.open(later, { $0.migration.isAutomatic = false }) {
            try $0.content()["Page 1.size"]
        }
        #expect(sizes == "2.0")
    }
}
