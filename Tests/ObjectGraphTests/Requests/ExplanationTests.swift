import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// A predicate of Thing and its expected warnings.
struct WarningCase: Sendable, CustomTestStringConvertible {
    let format: String
    let warnings: [FetchExplanation.Warning]
    var testDescription: String { format }

    init(_ format: String, _ warnings: FetchExplanation.Warning...) {
        (self.format, self.warnings) = (format, warnings)
    }
}

@Suite struct `Explanations of fetches` {
    private let fixture: StoreFixture

    /// Things with an indexed number and name, and an unindexed weight and note.
    init() throws {
        fixture = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Thing",
                    attributes: [
                        AttributeDescription("number", .integer64),
                        AttributeDescription("name", .string),
                        AttributeDescription("weight", .double),
                        AttributeDescription("note", .string),
                    ],
                    relationships: [.toOne("box", "Box", inverse: "things")],
                    indexes: [
                        FetchIndexDescription("byNumber", on: "number"),
                        FetchIndexDescription("byName", on: "name"),
                    ]),
                EntityDescription(
                    name: "Box", attributes: [AttributeDescription("label", .string)],
                    relationships: [.toMany("things", "Thing", inverse: "box")]),
            ]))
    }

    private func explain(
        _ request: FetchRequest, _ resultType: FetchResultType = .managedObject
    ) throws -> FetchExplanation {
        try fixture.run { try $0.explain(request, resultType: resultType)[0] }
    }

    private static let scan = FetchExplanation.Warning.fullScan("SCAN t0")

    @Test(arguments: [
        WarningCase("number == 3"), WarningCase("number IN {3, 4}"), WarningCase("number > 3"),
        WarningCase("number BETWEEN {3, 4}"), WarningCase("name BEGINSWITH 'a'"),
        WarningCase("name == nil"), WarningCase("number == 3 OR name == 'x'"),
        WarningCase("box.things.@count > 0 AND number == 3"),
        WarningCase("name CONTAINS 'x' AND number == 3"),
        WarningCase("weight == 3", scan, .missingIndex("weight == 3")),
        WarningCase(
            "number == 3 OR weight == 3", scan, .missingIndex("number == 3 OR weight == 3")),
        WarningCase(
            "name CONTAINS 'x' AND weight > 3", scan, .unindexableTerm("name CONTAINS \"x\""),
            .missingIndex("weight > 3")),
        WarningCase("name ENDSWITH[cd] 'x'", scan, .unindexableTerm("name ENDSWITH[cd] \"x\"")),
        WarningCase("name LIKE 'x*'", scan, .unindexableTerm("name LIKE \"x*\"")),
        WarningCase("number != 3", scan, .unindexableTerm("number != 3")),
        WarningCase("number + 1 == 3", scan, .unindexableTerm("number + 1 == 3")),
        WarningCase("weight == number", scan, .unindexableTerm("weight == number")),
    ])
    func `terms that no index answers are named`(warning: WarningCase) throws {
        let request = FetchRequest(
            entityName: "Thing", predicate: try ObjectPredicate(warning.format))
        #expect(try explain(request).warnings == warning.warnings)
    }

    @Test func `without a predicate every row is wanted`() throws {
        #expect(try explain(FetchRequest(entityName: "Thing")).warnings == [])
    }

    @Test(arguments: [
        ([SortKey.ascending("number")], false), ([.descending("name")], false),
        ([.ascending("weight")], true),
        ([.ascending("number"), .ascending("weight")], true), ([.ascending("box.label")], true),
        ([SortKey("name", comparison: .localizedStandard)], true),
    ])
    func `sorting without an index is told`(_ keys: [SortKey], _ isTold: Bool) throws {
        var request = FetchRequest(entityName: "Thing", sortKeys: keys)
        request.fetchLimit = 20
        let warnings = try explain(request).warnings
        let isSorted = warnings.contains { if case .unindexedSort = $0 { true } else { false } }
        #expect(isSorted == isTold)
    }

    @Test func `the text shows the statement, its bindings, the plan and advice`() throws {
        let explanation = try explain(
            FetchRequest(
                entityName: "Thing",
                predicate: try ObjectPredicate("weight > 3 AND name != 'x'"),
                sortKeys: [.ascending("weight")]))
        #expect(
            explanation.description == """
                SELECT t0.ZBOX, t0.ZNOTE, t0.ZWEIGHT, t0.ZNAME, t0.ZNUMBER, t0.Z_OPT, t0.Z_PK FROM ZTHING t0 WHERE t0.ZWEIGHT > ? AND t0.ZNAME <> ? ORDER BY t0.ZWEIGHT
                with 3.0, "x"
                  SCAN t0
                  USE TEMP B-TREE FOR ORDER BY
                ! The database reads every row: SCAN t0.
                ! The database sorts the results after reading them: USE TEMP B-TREE FOR ORDER BY. Add a fetch index with the sort keys in their order.
                ! No index helps with 'weight > 3'; add a fetch index on it.
                ! No index can help with 'name != "x"'; compare with ==, IN, a range or a plain BEGINSWITH, or add a term that uses an index.
                """)
    }

    @Test func `inner steps are indented`() throws {
        let request = FetchRequest(
            entityName: "Box", predicate: try ObjectPredicate("ANY things.number == 3"))
        #expect(try explain(request).plan.contains { $0.hasPrefix("  ") })
    }

    @Test func `explaining reads no rows and registers nothing`() throws {
        try fixture.run { context in
            try context.insert("Thing", ["number": 3])
            try context.save()
            context.reset()
            _ = try context.explain(FetchRequest(entityName: "Thing"))
            #expect(context.registeredObjects.isEmpty)
        }
    }

    @Test func `a store in memory has no statement, a mistake is an error`() throws {
        let memory = try StoreFixture(fixture.coordinator.model, inMemory: true)
        #expect(try memory.run { try $0.explain(FetchRequest(entityName: "Thing")) } == [])
        #expect(throws: FetchError.self) {
            try explain(FetchRequest(entityName: "Thing", sortKeys: [.ascending("colour")]))
        }
    }
}
