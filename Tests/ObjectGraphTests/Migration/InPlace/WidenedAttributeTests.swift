import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Attributes whose new type holds all values of the old one.
@Suite struct `Wider numbers (§9.2)` {
    static let changes: [(AttributeType, AttributeType, AttributeValue)] = [
        (.boolean, .integer16, true), (.boolean, .integer32, true), (.boolean, .integer64, false),
        (.integer16, .integer32, -32768), (.integer16, .integer64, 32767),
        (.integer32, .integer64, -2_147_483_648), (.float, .double, 0.25),
    ]

    /// The values of two objects, one of them without any.
    private static func values(
        _ fixture: MigrationFixture, _ entities: [EntityDescription]
    ) throws -> [String] {
        try fixture.open(entities) { context in
            try context.all("Thing", by: "title").map {
                try "\($0.value(forKey: "amount") ?? "nil")"
            }
        }
    }

    @Test(arguments: changes.indices, [nil, "muted"])
    func `the values stay in their column, also under another name (§9.2.10)`(
        _ index: Int, _ formerName: String?
    ) throws {
        let (from, to, value) = Self.changes[index]
        let fixture = MigrationFixture()
        let title = AttributeDescription("title", .string)
        let before = [
            fixture.entity("Thing", [title, AttributeDescription(formerName ?? "amount", from)])
        ]
        let after = [
            fixture.entity(
                "Thing",
                [title, AttributeDescription("amount", to, renamingIdentifier: formerName)]
            )
        ]
        try fixture.make(
            before,
            [
                ("Thing", ["title": "a", formerName ?? "amount": value]),
                ("Thing", ["title": "b"]),
            ])
        let copy = MigrationFixture()
        try FileManager.default.copyItem(at: fixture.url, to: copy.url)
        let expected = value.converted(to: to).flatMap { $0.swiftValue(of: to) }.map { "\($0)" }
        #expect(try Self.values(fixture, after) == [#require(expected), "nil"])
        // The same through objects.
        let mapping = try MappingModel.inferred(
            from: ManagedObjectModel(entities: before), to: ManagedObjectModel(entities: after))
        try MigrationManager.migrateStore(.sqlite(at: copy.url), with: mapping)
        #expect(try Self.values(copy, after) == [#require(expected), "nil"])
    }
}
