#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

@Suite(.onServer) struct `Folded texts in PostgreSQL (§11.8)` {
    let schema = TestSchema()
    let coordinator: PersistentStoreCoordinator
    let context: ManagedObjectContext

    init() throws {
        coordinator = try schema.coordinator(makeFoldedModel())
        let context = coordinator.context()
        self.context = context
        try context.performAndWait {
            let countries = try ["Österreich", nil, "STRASSE"].map {
                try context.insert("Country", $0.map { ["name": $0] } ?? [:])
            }
            for (number, name) in foldedNames.enumerated() {
                let place = try context.insert(
                    number % 3 == 0 ? "City" : "Place", ["number": number])
                if let name {
                    try place.setValue(name, forKey: "name")
                    try place.setValue(name, forKey: "note")
                }
                if number % 4 > 0 {
                    try place.setValue(countries[number % 4 - 1], forKey: "country")
                }
            }
            try context.save()
        }
    }

    private func isStated(_ request: FetchRequest) -> Bool {
        request.isStated(
            inSQLOf: coordinator.model.entity(named: request.entityName)!,
            coordinator.postgreSQL.layout)
    }

    @Test(
        arguments: [
            ("Place", "name ==[c] 'STRASSE'", 2), ("Place", "name ==[cd] 'strasse'", 2),
            ("Place", "name ==[cl] 'Strasse'", 2), ("City", "name ==[c] 'ss'", nil),
            ("Place", "name ==[c] 'ss'", 3), ("Place", "name ==[c] 'i\u{307}'", 2),
            ("Place", "name ==[c] 'i'", 2), ("Place", "name ==[cd] 'I'", 4),
            ("Place", "name ==[c] 'fi'", 2), ("Place", "name BEGINSWITH[c] 'F'", 4),
            ("Place", "name BEGINSWITH[cd] 'STRASSE'", 3), ("Place", "name ==[c] ''", 1),
            ("Place", "name ==[cd] '\\u0301'", 3), ("Place", "name BEGINSWITH[cd] '\\u0301'", 0),
            ("Place", "name CONTAINS[cd] ''", 0), ("Place", "name CONTAINS[c] '\\u0301'", nil),
            ("Place", "name CONTAINS[cd] 'E'", nil), ("Place", "name CONTAINS[c] '_B'", 1),
            ("Place", "name ENDSWITH[c] '0%'", 1), ("Place", #"name CONTAINS[c] '\\'"#, 1),
            ("Place", "name ENDSWITH[c] 'É'", 3),
            ("Place", "name ENDSWITH[c] '\u{10FFFF}'", 1),
            ("Place", "name BEGINSWITH[c] '\u{10FFFF}'", 1),
            ("Place", "name BEGINSWITH[c] '\u{D7FF}'", 1), ("Place", "name LIKE[c] 'STR*'", 3),
            ("Place", "name LIKE[cd] '?'", nil), ("Place", "name LIKE[c] 'a_*'", 1),
            ("Place", #"name LIKE[c] 'a\\*b'"#, nil), ("Place", "name LIKE[c] '*%'", 1),
            ("Place", "name IN[c] {'É', 'AB', 'x'}", 4), ("Place", "name IN[cd] {'\\u0301'}", 3),
            ("Place", "name IN[c] {nil, 'Z'}", 2), ("Place", "name <[c] 'B'", nil),
            ("Place", "name >=[cd] 'Z'", nil), ("Place", "name BETWEEN[c] {'B', 'K'}", nil),
            ("Place", "NOT (name CONTAINS[c] 'S')", nil),
            ("Place", "NOT name BEGINSWITH[c] 'S'", nil),
            ("Place", "'STRASSENBAHN' BEGINSWITH[c] name", nil),
            ("Place", "name ==[cd] country.name AND number > 0", nil),
            ("Place", "country.name BEGINSWITH[cd] 'ost'", nil),
            ("Place", "number > 3 AND (name ==[c] 'A' OR country.name ==[c] 'straße')", nil),
            ("Country", "ANY places.name ==[c] 'aB C'", 1),
            ("Country", "SUBQUERY(places, $p, $p.name CONTAINS[cd] 'É').@count > 0", nil),
            ("Country", "ALL places.name !=[c] 'xyz'", nil),
            ("Place", "TERNARY(name ==[c] 'a', 1, 2) == 1", 2),
        ] as [(String, String, Int?)])
    func `comparisons are stated in SQL, with the evaluator's meaning (§11.8.42)`(
        _ entityName: String, _ format: String, _ count: Int?
    ) throws {
        let predicate = try ObjectPredicate(format)
        let request = FetchRequest(entityName: entityName, predicate: predicate)
        #expect(isStated(request))
        try context.performAndWait {
            let found = try context.fetch(request, as: ManagedObject.self)
            let all = try context.all(entityName)
            #expect(try Set(found) == Set(all.filter(predicate)))
            if let count { #expect(found.count == count) }
        }
    }

    @Test(arguments: [true, false])
    func `sorts ignore case by the folded text (§11.8.42)`(_ isAscending: Bool) throws {
        let key = SortKey("name", ascending: isAscending, comparison: .caseInsensitive)
        var request = FetchRequest(
            entityName: "Place",
            sortKeys: [
                SortKey("country.name", comparison: .caseInsensitive), key, .descending("number"),
            ])
        #expect(isStated(request))
        let entity = coordinator.model.entity(named: "Place")!
        let sort = try CompiledSort(request.sortKeys, entity: entity, model: coordinator.model)
        request.fetchBatchSize = 7
        try context.performAndWait { [request] in
            let found = try Array(context.fetch(request, as: ManagedObject.self))
            let sorted = try context.all("Place").sorted {
                sort.areInIncreasingOrder(ObjectSubject(object: $0), ObjectSubject(object: $1))
            }
            #expect(found == sorted)
        }
    }

    @Test(arguments: [
        "note ==[c] 'A'", "name ==[d] 'A'", "name MATCHES[c] 'a.*'", "name ==[l] 'É'",
        "name ==[c] note", "name LIKE[c] note",
    ])
    func `what no index folds is evaluated in memory (§11.8.19)`(_ format: String) throws {
        let predicate = try ObjectPredicate(format)
        let request = FetchRequest(entityName: "Place", predicate: predicate)
        #expect(!isStated(request))
        try context.performAndWait {
            let found = try context.fetch(request, as: ManagedObject.self)
            #expect(!found.isEmpty)
            #expect(try Set(found) == Set(context.all("Place").filter(predicate)))
        }
    }

    /// A group has no folded text.
    @Test func `groups and their conditions compare in memory (§11.8.19)`() throws {
        var request = FetchRequest(
            entityName: "Place", predicate: try ObjectPredicate("name BEGINSWITH[c] 's'"),
            sortKeys: [SortKey("name", comparison: .caseInsensitive)])
        request.propertiesToFetch = [
            "name",
            FetchedProperty(name: "count", expression: .function("count:", [.evaluatedObject])),
        ]
        request.propertiesToGroupBy = ["name"]
        request.havingPredicate = try ObjectPredicate("name !=[c] 'SS'")
        let found = try context.performAndWait { [request] in
            try context.fetchDictionaries(request)
        }
        #expect(Set(found.map { $0["name"] }) == ["straße", "STRASSE", "Straßenbahn"])
    }

    @Test func `an explanation names what a folding would serve (§11.8.46)`() throws {
        let request = FetchRequest(
            entityName: "Place",
            predicate: try ObjectPredicate(
                "number > 1 AND note CONTAINS[cd] 'a' AND name ==[c] 'x' AND note MATCHES 'x'"),
            sortKeys: [SortKey("note", comparison: .caseInsensitive), .ascending("number")])
        try context.performAndWait {
            let explanation = try #require(try context.explain(request).first)
            #expect(
                explanation.warnings.prefix(3) == [
                    .evaluatedInMemory, .missingFolding(#"note CONTAINS[cd] "a""#),
                    .missingFolding("note"),
                ])
            #expect(explanation.bindings == [.integer(1), "x"])
        }
    }

    @Test func `the index is on the folded text (§11.8.41)`() throws {
        let definitions = try schema.texts(
            "SELECT indexdef FROM pg_indexes WHERE schemaname = '\(schema.name)' AND indexname = 'z_place_name3'"
        )
        #expect(definitions.count == 1)
        #expect(definitions.first?.hasSuffix("(z_f3_name NULLS FIRST)") == true)
    }
}
#endif
