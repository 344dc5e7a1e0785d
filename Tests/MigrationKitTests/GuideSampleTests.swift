import Foundation
import MigrationKit
import ObjectGraph
import TestSupport
import Testing

/// The sample of Documentation/ObjectGraph.md.
@Suite struct `Guide to tests of migrations` {
    private let temporary = TemporaryFolder()

    private func makeModel(isOld: Bool = false) throws -> ManagedObjectModel {
        let name = AttributeDescription("name", .string)
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Author",
                attributes: isOld
                    ? [name, AttributeDescription("shoeSize", .double)]
                    : [name, AttributeDescription("shortName", .string)])
        ])
    }

    @Test func `a check compares the rows of all versions`() throws {
        let snapshots = temporary.url.appending(path: "Snapshots")
        try SnapshotFolder(snapshots).export("1.0", of: try makeModel(isOld: true))

        let folder = SnapshotFolder(snapshots)
        try folder.export("2.0", of: try makeModel())
        let check = try MigrationCheck(
            to: try makeModel(),
            expecting: [
                .removed("Author.shoeSize", before: "2.0"),
                .value(of: "Author.shortName", .computed("uppercase:(name)"), before: "1.1"),
            ])
        let findings = try check.findings(in: folder)

        // Nothing has computed the short names.
        #expect(findings.count == 4)
        #expect(findings.allSatisfy { $0.version == "1.0" && $0.property == "shortName" })
    }
}
