import Testing

@testable import ObjectGraph

/// Names of fetched properties that would mean two things, in every store and below a parent.
@Suite struct `Names of fetched properties (§3.7.22)` {
    private static let sum = ObjectExpression.function("sum:", [.keyPath("width")])

    static let refused: [(properties: [FetchedProperty], having: String?, FetchError)] = [
        (
            ["title", FetchedProperty(name: "title", expression: .keyPath("width"))], nil,
            .duplicateProperty("title")
        ),
        (["title", "title"], nil, .duplicateProperty("title")),
        (
            ["title", FetchedProperty(name: "", expression: sum)], nil,
            .unnamedProperty("sum:(width)")
        ),
        (
            ["title", FetchedProperty(name: "x", expression: sum)],
            "SUBQUERY(parts, $x, $x.width > 1).@count > 0", .ambiguousVariable("x")
        ),
    ]

    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Thing", attributes: [.init("title", .string), .init("width", .integer32)],
                relationships: [
                    .toMany("parts", "Thing", inverse: "whole"),
                    .toOne("whole", "Thing", inverse: "parts"),
                ])
        ])
    }

    @Test(arguments: [false, true], refused)
    func `a name is refused if it is missing, comes twice or is a variable too`(
        _ inMemory: Bool,
        _ refused: (properties: [FetchedProperty], having: String?, error: FetchError)
    ) throws {
        let store = try StoreFixture(model(), inMemory: inMemory)
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        for context in [store.context, child] {
            try context.performAndWait {
                var request = FetchRequest(entityName: "Thing")
                request.propertiesToFetch = refused.properties
                request.returnsDistinctResults = refused.having == nil
                request.propertiesToGroupBy = refused.having == nil ? [] : ["title"]
                request.havingPredicate = try refused.having.map { try ObjectPredicate($0) }
                let error = #expect(throws: FetchError.self) {
                    try context.fetchDictionaries(request)
                }
                #expect(error == refused.error)
                #expect(error?.description.hasSuffix(".") == true)
            }
        }
    }

    @Test func `other names are as before`() throws {
        let store = try StoreFixture(model())
        try store.run { context in
            try context.insert("Thing", ["title": "a", "width": 2])
            try context.save()
            var request = FetchRequest(entityName: "Thing")
            request.propertiesToFetch = ["title", FetchedProperty(name: "x", expression: Self.sum)]
            request.propertiesToGroupBy = ["title"]
            request.havingPredicate = try ObjectPredicate("$x > 1")
            #expect(try context.fetchDictionaries(request) == [["title": "a", "x": 2]])
        }
    }
}
