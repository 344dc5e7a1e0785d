import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Statistics over a relationship in groups (§3.7)` {
    private static let model = try! ManagedObjectModel(entities: [
        EntityDescription(
            name: "Team", attributes: [AttributeDescription("city", .string)],
            relationships: [
                .toMany("players", "Player", inverse: "team"),
                .toMany("fans", "Player", inverse: "favourites"),
            ]),
        EntityDescription(
            name: "Player",
            attributes: [
                AttributeDescription("goals", .integer32), AttributeDescription("name", .string),
            ],
            relationships: [
                .toOne("team", "Team", inverse: "players"),
                .toMany("favourites", "Team", inverse: "fans"),
            ]),
    ])

    /// Two teams in A with three players, one in B with one, who has no goals, one in C without any.
    private func makeStore(inMemory: Bool) throws -> StoreFixture {
        let store = try StoreFixture(Self.model, inMemory: inMemory)
        try store.run { context in
            func team(_ city: String, _ goals: [Int?]) throws -> ManagedObject {
                let team = try context.insert("Team", ["city": city])
                for (number, goals) in goals.enumerated() {
                    let player = try context.insert("Player", ["name": "\(city)\(number)"])
                    try player.setValue(goals, forKey: "goals")
                    try player.setValue(team, forKey: "team")
                }
                return team
            }
            let first = try team("A", [4, 1])
            let second = try team("A", [2])
            _ = try team("B", [nil])
            _ = try team("C", [])
            let players = try context.all("Player")
            try first.setValue(Set(players), forKey: "fans")
            try second.setValue(Set(players.prefix(2)), forKey: "fans")
            try context.save()
        }
        return store
    }

    private static func expression(_ format: String) throws -> ObjectExpression {
        let predicate = try ObjectPredicate("\(format) == 0")
        guard case .comparison(let comparison) = predicate else { throw CancellationError() }
        return comparison.left
    }

    private static let cases: [(String, [AttributeValue?])] = [
        ("count:(players)", [3, 1, 0]), ("count:(fans)", [6, 0, 0]),
        ("count:(players.goals)", [3, 0, 0]), ("sum:(players.goals)", [7.0, 0.0, 0.0]),
        ("max:(players.goals)", [4, nil, nil]), ("min:(players.goals)", [1, nil, nil]),
        ("max:(players.name)", ["A1", "B0", nil]),
        ("average:(players.goals)", [.double(7.0 / 3), nil, nil]),
        ("sum:(players.goals) + count:(players)", [10.0, 1.0, 0.0]),
    ]

    @Test(arguments: cases.indices, [true, false])
    func `it is one over the members of all rows of a group (§3.7.21)`(
        _ position: Int, inMemory: Bool
    ) throws {
        let (format, expected) = Self.cases[position]
        try makeStore(inMemory: inMemory).run { context in
            var request = FetchRequest(entityName: "Team", sortKeys: [.ascending("city")])
            request.propertiesToFetch = [
                "city", FetchedProperty(name: "value", expression: try Self.expression(format)),
            ]
            request.propertiesToGroupBy = ["city"]
            let found = try context.fetchDictionaries(request)
            #expect(found.map { $0["city"] } == ["A", "B", "C"])
            #expect(found.map { $0["value"] } == expected, "\(format)")
        }
    }

    @Test(arguments: [true, false])
    func `groups are chosen and sorted by it (§3.7.21)`(inMemory: Bool) throws {
        try makeStore(inMemory: inMemory).run { context in
            var request = FetchRequest(entityName: "Team", sortKeys: [.ascending("number")])
            request.propertiesToFetch = [
                "city",
                FetchedProperty(
                    name: "number", expression: .function("count:", [.keyPath("players")])),
            ]
            request.propertiesToGroupBy = ["city"]
            request.havingPredicate = try ObjectPredicate("count:(players) > 0")
            let found = try context.fetchDictionaries(request)
            #expect(found.map { $0["city"] } == ["B", "A"])
        }
    }

    @Test(arguments: [true, false])
    func `without groups it is one for each row (§3.7.21)`(inMemory: Bool) throws {
        try makeStore(inMemory: inMemory).run { context in
            var request = FetchRequest(entityName: "Team", sortKeys: [.ascending("city")])
            request.propertiesToFetch = [
                FetchedProperty(
                    name: "number", expression: .function("count:", [.keyPath("players")]))
            ]
            let found = try context.fetchDictionaries(request).map { $0["number"] }
            #expect(found.count == 4 && found.suffix(2) == [1, 0])
        }
    }

    @Test(arguments: ["median:(players.goals)", "mode:(players.goals)", "stddev:(players.goals)"])
    func `what needs all values at once is refused (§3.7.21)`(_ format: String) throws {
        try makeStore(inMemory: true).run { context in
            var request = FetchRequest(entityName: "Team")
            request.propertiesToFetch = [
                FetchedProperty(name: "value", expression: try Self.expression(format))
            ]
            request.propertiesToGroupBy = ["city"]
            #expect(throws: FetchError.self) { try context.fetchDictionaries(request) }
        }
    }
}
