import Testing

@testable import ObjectGraph

/// A predicate of Place, and the SQL in PostgreSQL after `FROM ZPLACE t0 WHERE `.
struct FoldedShape: Sendable, CustomTestStringConvertible {
    let format: String
    let sql: String
    let bindings: [SQLBinding]
    var testDescription: String { format }

    init(_ format: String, _ sql: String, _ bindings: SQLBinding...) {
        self.format = format
        self.sql = sql
        self.bindings = bindings
    }
}

@Suite struct `Columns with folded texts in PostgreSQL (§11.8)` {
    /// Names are folded in two ways, codes in one, and notes not at all.
    private let model = try! ManagedObjectModel(entities: [
        EntityDescription(
            name: "Place",
            attributes: [
                AttributeDescription("name", .string), AttributeDescription("code", .string),
                AttributeDescription("note", .string), AttributeDescription("data", .binaryData),
            ],
            indexes: [
                FetchIndexDescription("one", elements: [.init("name", folding: .caseInsensitive)]),
                FetchIndexDescription(
                    "two",
                    elements: [
                        .init("note"), .init("name", folding: .caseAndDiacriticInsensitive),
                    ]),
            ]),
        EntityDescription(
            name: "City", superentity: "Place",
            indexes: [
                FetchIndexDescription(
                    "code",
                    elements: [.init("code", isAscending: false, folding: .caseInsensitive)])
            ]),
    ])

    private var layout: StoreLayout {
        StoreLayout(postgreSQL: model, storeIdentifier: "S")
    }

    private func translate(
        _ request: FetchRequest, _ selection: FetchTranslation.Selection = .columns("t0.Z_PK")
    ) throws -> FetchTranslation {
        try FetchTranslation(
            request, entity: model.entity(named: request.entityName)!, layout: layout,
            selection: selection)
    }

    @Test func `each folding has a column, which is null with the attribute's (§11.8.41)`() throws {
        let statements = try StoreTables(layout, entityNames: ["Place"]).statements
        #expect(
            statements.dropFirst(3).map(\.self) == [
                "CREATE TABLE ZPLACE (Z_PK bigint PRIMARY KEY, Z_ENT bigint, Z_OPT bigint, ZNAME text COLLATE \"C\", Z_F1_NAME text COLLATE \"C\", Z_F3_NAME text COLLATE \"C\", ZCODE text COLLATE \"C\", Z_F1_CODE text COLLATE \"C\", ZNOTE text COLLATE \"C\", ZDATA bytea, CHECK ((ZNAME IS NULL) = (Z_F1_NAME IS NULL)), CHECK ((ZNAME IS NULL) = (Z_F3_NAME IS NULL)), CHECK ((ZCODE IS NULL) = (Z_F1_CODE IS NULL)))",
                "CREATE INDEX ZPLACE_Z_ENT_INDEX ON ZPLACE (Z_ENT)",
                "CREATE INDEX Z_Place_one ON ZPLACE (Z_F1_NAME NULLS FIRST)",
                "CREATE INDEX Z_Place_two ON ZPLACE (ZNOTE NULLS FIRST, Z_F3_NAME NULLS FIRST)",
                "CREATE INDEX Z_City_code ON ZPLACE (Z_F1_CODE DESC NULLS LAST)",
            ])
    }

    @Test(arguments: [
        FoldedShape("name ==[c] 'STRAßE'", "t0.Z_F1_NAME = $1", .text("strasse")),
        FoldedShape("name ==[cl] 'É'", "t0.Z_F1_NAME = $1", .text("é")),
        FoldedShape("name !=[cd] 'É'", "t0.Z_F3_NAME <> $1", .text("e")),
        FoldedShape("'É' <[cd] name", "$1 < t0.Z_F3_NAME", .text("e")),
        FoldedShape("name ==[c] code", "t0.Z_F1_NAME = t0.Z_F1_CODE"),
        FoldedShape(
            "name BEGINSWITH[cd] 'Ü'", "(t0.Z_F3_NAME >= $1 AND t0.Z_F3_NAME < $2)", .text("u"),
            .text("v")),
        FoldedShape(
            "NOT name BEGINSWITH[c] 'A'", "NOT (COALESCE(starts_with(t0.Z_F1_NAME, $1), FALSE))",
            .text("a")),
        FoldedShape("name BEGINSWITH[cd] '\\u0301'", "FALSE"),
        FoldedShape("name CONTAINS[c] 'SS%'", "t0.Z_F1_NAME LIKE $1", .text(#"%ss\%%"#)),
        FoldedShape(
            "NOT name CONTAINS[c] 'A'", "NOT (COALESCE(t0.Z_F1_NAME LIKE $1, FALSE))", .text("%a%")),
        FoldedShape(
            "code CONTAINS[c] name",
            "(t0.Z_F1_NAME <> '' AND strpos(t0.Z_F1_CODE, t0.Z_F1_NAME) > 0)"),
        FoldedShape(
            "name ENDSWITH[c] '_A'", "t0.Z_F1_NAME LIKE $1", .text(#"%\_a"#)),
        FoldedShape("name LIKE[c] 'A*%'", "t0.Z_F1_NAME LIKE $1", .text(#"a%\%"#)),
        FoldedShape(
            "name IN[c] {'A', nil}", "(t0.Z_F1_NAME IS NULL OR t0.Z_F1_NAME = ANY($1))",
            .array(.texts(["a"]))),
        FoldedShape("noindex:(name) ==[c] 'A'", "t0.Z_F1_NAME = $1", .text("a")),
        FoldedShape("name ==[n] 'A'", "t0.ZNAME = $1", .text("A")),
        // The comparison around the condition is not folded.
        FoldedShape(
            "TERNARY(name ==[c] 'A', code, note) == name",
            "CASE WHEN t0.Z_F1_NAME = $1 THEN t0.ZCODE ELSE t0.ZNOTE END = t0.ZNAME", .text("a")),
    ])
    func `comparisons with the same options read them (§11.8.42)`(_ shape: FoldedShape) throws {
        let translation = try translate(
            FetchRequest(entityName: "Place", predicate: ObjectPredicate(shape.format)))
        #expect(translation.sql == "SELECT t0.Z_PK FROM ZPLACE t0 WHERE " + shape.sql)
        #expect(translation.bindings == shape.bindings)
    }

    @Test(arguments: [
        "name ==[d] 'a'", "name ==[l] 'a'", "code ==[cd] 'a'", "note ==[c] 'a'",
        "name ==[c] note", "name MATCHES[c] 'a'", "lowercase:(name) ==[c] 'a'",
        "TERNARY(code == 'x', name, code) ==[c] 'a'", "name CONTAINS[c] note",
    ])
    func `others are evaluated in memory (§11.8.19)`(_ format: String) throws {
        let request = FetchRequest(
            entityName: "Place", predicate: try ObjectPredicate(format))
        let error = try #require(throws: FetchError.self) { try translate(request) }
        guard case .inMemoryOnly = error else {
            Issue.record(error)
            return
        }
    }

    @Test func `sorts that ignore case read them (§11.8.42)`() throws {
        var request = FetchRequest(
            entityName: "City",
            sortKeys: [SortKey("name", ascending: false, comparison: .caseInsensitive)])
        #expect(
            try translate(request).sql.hasSuffix(
                " ORDER BY t0.Z_F1_NAME DESC NULLS LAST, t0.Z_PK"))
        request.sortKeys = [SortKey("note", comparison: .caseInsensitive)]
        #expect(throws: FetchError.self) { try translate(request) }
    }

    /// A group has the values of its own columns only.
    @Test func `groups do not read them (§11.8.19)`() throws {
        var request = FetchRequest(
            entityName: "Place", predicate: try ObjectPredicate("name ==[c] 'A'"))
        request.propertiesToFetch = ["name"]
        request.propertiesToGroupBy = ["name"]
        #expect(
            try translate(request, .dictionaries).sql
                == "SELECT t0.ZNAME FROM ZPLACE t0 WHERE t0.Z_F1_NAME = $1 GROUP BY t0.ZNAME")
        request.havingPredicate = try ObjectPredicate("name ==[c] 'A'")
        #expect(throws: FetchError.self) { try translate(request, .dictionaries) }
    }

    @Test func `a batch update writes them (§11.8.43)`() throws {
        func update(_ values: [String: ObjectExpression]) throws -> BatchUpdateTranslation {
            try BatchUpdateTranslation(
                BatchUpdateRequest(entityName: "Place", propertiesToUpdate: values),
                entity: model.entity(named: "Place")!, layout: layout)
        }
        let set = "UPDATE ZPLACE AS t0 SET Z_OPT = COALESCE(Z_OPT, 0) + 1, "
        let constant = try update(["name": .constant("É")])
        #expect(constant.sql == set + "ZNAME = $1, Z_F1_NAME = $2, Z_F3_NAME = $3")
        #expect(constant.bindings == [.text("É"), .text("é"), .text("e")])
        #expect(
            try update(["name": .constant(.null)]).sql
                == set + "ZNAME = NULL, Z_F1_NAME = NULL, Z_F3_NAME = NULL")
        #expect(
            try update(["code": .keyPath("name"), "note": .keyPath("name")]).sql
                == set + "ZCODE = t0.ZNAME, Z_F1_CODE = t0.Z_F1_NAME, ZNOTE = t0.ZNAME")
        let error = #expect(throws: FetchError.self) { try update(["name": .keyPath("code")]) }
        #expect(
            error?.description
                == "A computed value for 'name' in a batch update of a PostgreSQL store with an index that folds the attribute is not supported."
        )
    }

    @Test func `SQLite has none`() {
        let layout = StoreLayout(model, storeIdentifier: "S")
        let place = model.entity(named: "Place")!
        #expect(layout.writtenColumns(0..<4, of: place) == layout.ownColumns(0..<4, of: place))
    }
}
