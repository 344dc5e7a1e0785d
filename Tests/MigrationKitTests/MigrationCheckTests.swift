import Foundation
import MigrationKit
import ObjectGraph
import TestSupport
import Testing

@Suite struct `Checks of migrations` {
    private let place = TemporaryFolder()
    private var folder: SnapshotFolder { SnapshotFolder(place.url) }

    @Test func `every version migrates to the newest one with all its rows (§9.10.4)`() throws {
        try Catalogue.export(to: folder)
        let check = try Catalogue.newest.check()
        #expect(try folder.versions() == Catalogue.allCases.map(\.rawValue))
        let findings = try check.findings(in: folder)
        #expect(findings.isEmpty, "\(findings.map(\.description).joined(separator: "\n"))")
    }

    @Test func `snapshots do not change`() throws {
        try folder.export("1.0", of: try Catalogue.first.model())
        let before = try Data(contentsOf: folder.snapshot(of: "1.0"))
        let check = try MigrationCheck(
            to: try Catalogue.newest.model(), opening: try Catalogue.newest.store())
        _ = try check.findings(in: folder)
        #expect(try Data(contentsOf: folder.snapshot(of: "1.0")) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.url.path).count == 2)
    }

    @Test func `without its mappings and code a migration is refused, or values differ (§9.10.5)`()
        throws
    {
        try Catalogue.export(to: folder)
        let model = try Catalogue.newest.model()
        let bare = try MigrationCheck(to: model, expecting: Catalogue.expectations)
        let findings = try bare.findings(of: "1.10", in: folder)
        // The artists are missing, and titles are as they were.
        #expect(findings.contains { $0.entity == "Artist" && $0.property == nil })
        #expect(findings.contains { $0.entity == "Podcast" && $0.property == "title" })

        // Without the expectations, what the mapping does is a finding.
        let check = try MigrationCheck(to: model, opening: try Catalogue.newest.store())
        let lost = try check.findings(of: "1.10", in: folder).filter { $0.problem == .lost }
        #expect(lost.map(\.property) == ["artistName"])
    }

    // MARK: - What is found

    private func page(
        _ attributes: AttributeDescription..., name: String = "Page", was former: String? = nil
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(name: name, attributes: attributes, renamingIdentifier: former)
        ])
    }

    private let title = AttributeDescription("title", .string)
    private let size = AttributeDescription("size", .integer64)

    /// The findings of a migration between two models.
    private func findings(
        _ before: ManagedObjectModel, _ after: ManagedObjectModel,
        _ expectations: MigrationExpectation...
    ) throws -> [MigrationFinding] {
        try folder.export("1", of: before, objectCount: 2)
        return try MigrationCheck(to: after, expecting: expectations).findings(in: folder)
    }

    private func finding(
        _ property: String?, _ problem: MigrationFinding.Problem, entity: String? = "Page"
    ) -> MigrationFinding {
        MigrationFinding(version: "1", entity: entity, property: property, problem: problem)
    }

    @Test func `a name that changes without a renaming identifier loses values (§9.10.5)`() throws {
        let name = AttributeDescription("name", .string)
        let found = try findings(try page(title, size), try page(name, size))
        #expect(found == [finding("title", .lost)])
        #expect(found[0].description.contains("the values of Page.title are lost"))

        let renamed = AttributeDescription("name", .string, renamingIdentifier: "title")
        #expect(try findings(try page(title, size), try page(renamed, size)) == [])
        #expect(
            try findings(
                try page(title, size), try page(name, size), .removed("Page.title", before: "2"))
                == [])
    }

    @Test func `an entity that disappears is lost, unless it is removed on purpose (§9.10.5)`()
        throws
    {
        let other = EntityDescription(name: "Book", attributes: [title])
        let both = try ManagedObjectModel(entities: [
            EntityDescription(name: "Page", attributes: [title]), other,
        ])
        #expect(try findings(both, try page(title)) == [finding(nil, .lost, entity: "Book")])
        #expect(try findings(both, try page(title), .removed("Book")) == [])
    }

    @Test func `a change that cannot be inferred is refused (§9.10.5)`() throws {
        let text = AttributeDescription("size", .string)
        let found = try findings(try page(title, size), try page(title, text))
        #expect(found.count == 1)
        guard case .refused(let reason)? = found.first?.problem else {
            Issue.record("\(found)")
            return
        }
        #expect(reason.contains("'Page.size' was of type integer64"))
    }

    @Test func `a new property has its default value (§9.10.4)`() throws {
        let count = AttributeDescription("count", .integer16, isOptional: false, defaultValue: 3)
        #expect(try findings(try page(title), try page(title, count)) == [])
        let found = try findings(
            try page(title), try page(title, count), .value(of: "Page.count", .constant(4)))
        #expect(found.count == 2)
        guard case .value(_, let value, let expected)? = found.first?.problem else {
            Issue.record("\(found)")
            return
        }
        #expect((value, expected) == ("3", "4"))
        #expect(found[0].property == "count")
        #expect(found[0].description.hasPrefix("from 1: Page.count is 3, expected 4, in (count: 3"))
    }

    @Test func `rules say what else becomes of values (§9.10.6)`() throws {
        let models = (try page(title, size), try page(title, size))
        func findings(_ rule: ValueRule) throws -> Int {
            try self.findings(models.0, models.1, .value(of: "Page.title", rule)).count
        }
        #expect(try findings(.computed("title")) == 0)
        #expect(try findings(.computed("uppercase:(title)")) == 1)
        #expect(try findings(.same(as: "size")) == 1)
        #expect(try findings(.constant("a")) == 2)
        #expect(try findings(.satisfies("title == nil OR title CONTAINS 'Page'")) == 0)
        #expect(try findings(.satisfies("title CONTAINS 'Book'")) == 2)
        #expect(try findings(.ignored) == 0)
    }

    @Test func `an expectation holds for the versions before its own (§9.10.6)`() throws {
        let models = (try page(title, size), try page(title, size))
        let rule = ValueRule.computed("uppercase:(title)")
        #expect(
            try findings(models.0, models.1, .value(of: "Page.title", rule, before: "1")) == [])
        #expect(
            try findings(models.0, models.1, .value(of: "Page.title", rule, before: "1.1")).count
                == 1)
        // The earliest later change counts.
        #expect(
            try findings(
                models.0, models.1, .value(of: "Page.title", rule, before: "3"),
                .value(of: "Page.title", .same(as: "title"), before: "2")) == [])
    }

    @Test func `rows that should not be there, or should, are listed (§9.10.7)`() throws {
        let (before, after) = (try page(title), try page(title))
        let none = try findings(before, after, .rows(of: "Page", from: []), .removed("Page"))
        #expect(none.count == 2)
        for finding in none {
            guard case .unexpectedRow = finding.problem else {
                Issue.record("\(finding)")
                continue
            }
        }
        let some = try findings(
            before, after, .rows(of: "Page", from: ["Page"], where: "title != nil"))
        #expect(some.count == 1)
        #expect(some.first?.description == "from 1: Page has an unexpected row (title: nil)")
        #expect(try findings(before, after, .ignored("Page")) == [])
    }

    @Test func `an expectation must name what there is (§9.10.6)`() throws {
        #expect(throws: MigrationKitError.unknownEntity("Leaf")) {
            try MigrationCheck(to: try page(title), expecting: [.ignored("Leaf")])
        }
        #expect(throws: MigrationKitError.unknownProperty(entity: "Page", property: "name")) {
            try MigrationCheck(to: try page(title), expecting: [.ignored("Page.name")])
        }
    }

    /// Expectations that name what no snapshot has, and the name.
    static let unknown: [(expectation: MigrationExpectation, name: String)] = [
        (.removed("Page.plaice"), "Page.plaice"), (.removed("Leaf"), "Leaf"),
        (.removed("Leaf.title"), "Leaf.title"),
        (.removed("Page.place.street"), "Page.place.street"),
        (.rows(of: "Page", from: ["Pages"]), "Pages"),
        (.value(of: "Page.title", .same(as: "nmae")), "nmae"),
    ]

    @Test(arguments: unknown)
    func `an expectation must name what a snapshot has (§9.10.6)`(
        _ expectation: MigrationExpectation, _ name: String
    ) throws {
        let before = try page(title, spot, size)
        #expect(throws: MigrationKitError.unknownInSnapshots(name)) {
            try findings(before, try page(title, spot), expectation)
        }
    }

    private let spot = AttributeDescription(
        "place", .composite,
        elements: [AttributeDescription("row", .integer16), AttributeDescription("col", .string)])

    @Test func `what came later may be missing in the first snapshot (§9.10.6)`() throws {
        try folder.export("1", of: try page(title), objectCount: 2)
        try folder.export("2", of: try page(title, size), objectCount: 2)
        let check = try MigrationCheck(
            to: try page(title), expecting: [.removed("Page.size", before: "3")])
        #expect(try check.findings(in: folder) == [])
    }

    @Test func `a composite attribute stands for its elements (§9.10.6)`() throws {
        let other = AttributeDescription("site", .composite, elements: spot.elements)
        #expect(try findings(try page(title, spot), try page(title)).count == 2)
        #expect(try findings(try page(title, spot), try page(title), .removed("Page.place")) == [])
        #expect(
            try findings(
                try page(title, spot), try page(title, other),
                .value(of: "Page.site", .same(as: "place"))
            ).allSatisfy { $0.problem != .lost })
        #expect(
            try findings(
                try page(title, spot), try page(title, other), .ignored("Page.site"),
                .removed("Page.place")) == [])
        #expect(
            try findings(
                try page(title), try page(title, other),
                .value(of: "Page.site", .constant(.null))) == [])
        #expect(
            try findings(
                try page(title), try page(title, other),
                .value(of: "Page.site", .constant(.composite(["row": 1])))
            ).allSatisfy { $0.property == "site.row" })
        let unsatisfied = try findings(
            try page(title), try page(title, other),
            .value(of: "Page.site", .satisfies("site.row == 1")))
        #expect(unsatisfied.count == 2 && unsatisfied.allSatisfy { $0.property == "site" })
        #expect(
            throws: MigrationKitError.computedComposite(entity: "Page", property: "site")
        ) {
            try MigrationCheck(
                to: try page(title, other),
                expecting: [.value(of: "Page.site", .computed("title"))])
        }
    }
}
