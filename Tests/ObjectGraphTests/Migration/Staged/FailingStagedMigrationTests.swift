import CSQLite
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

// In the suite of saves, since only one test at a time can use the failing file system.
extension `Failing saves (§5.1)` {
    /// Opens a copy of the store again and again, each time with one more call of SQLite that
    /// succeeds, and then once without failures.
    private func everyFailure(
        of versions: StagedVersions, _ journal: String,
        _ open: (_ change: (inout PersistentStoreDescription) -> Void) throws -> Void,
        check: () throws -> Void
    ) throws {
        FailingFileSystem.register()
        let url = versions.fixture.url
        let template = try Data(contentsOf: url)
        var number = 0
        var failedCount = 0
        while true {
            number += 1
            for file in try versions.fixture.files().keys {
                try FileManager.default.removeItem(at: versions.fixture.folder.url(file))
            }
            try template.write(to: url)
            FailingFileSystem.fail(call: number, with: SQLITE_IOERR)
            let result = Result {
                try open { description in
                    description.vfs = FailingFileSystem.name
                    description.timeout = .zero
                    description.pragmas = ["journal_mode": journal]
                }
            }
            let fired = FailingFileSystem.stop()
            if case .failure(let error) = result {
                failedCount += 1
                #expect(error is StoreError || error is MigrationError, "call \(number): \(error)")
            }
            try open { $0.pragmas = ["journal_mode": journal] }
            try check()
            if !fired { break }
            try #require(number < 5000, "the migration never gets through")
        }
        #expect(failedCount > 10, "\(failedCount) of \(number) calls made the migration fail")
    }

    @Test(arguments: ["WAL", "DELETE"])
    func `stages go on after the failure of any call, each once (§9.5.11)`(
        _ journal: String
    ) throws {
        let versions = try StagedVersions()
        try versions.make(1, "one two", "three")
        /// Not the same if it runs twice.
        @Sendable func repeatTitles(_ context: ManagedObjectContext) throws {
            for page in try context.fetch(
                FetchRequest(entityName: "Page"), as: ManagedObject.self)
            {
                let title = try page.value(forKey: "title") as? String ?? ""
                try page.setValue("\(title) \(title)", forKey: "title")
            }
        }
        try everyFailure(
            of: versions, journal,
            { change in
                try versions.open(
                    3,
                    [
                        versions.custom(
                            1, 2, willMigrate: repeatTitles,
                            didMigrate: StagedVersions.countWords),
                        versions.custom(2, 3, didMigrate: repeatTitles),
                    ], change
                ) { _ in }
            },
            check: {
                let content = try versions.content(3)
                #expect(
                    content == [
                        "Page 1": "", "Page 1.words": "4",
                        "Page 1.title": Array(repeating: "one two", count: 4).joined(
                            separator: " "),
                        "Page 2": "", "Page 2.words": "2",
                        "Page 2.title": "three three three three",
                    ])
            })
    }

    @Test func `migrations of the program go on after any failure, each once (§9.8.7)`() throws {
        let versions = try StagedVersions()
        try versions.make(1, "a")
        @Sendable func append(_ text: String) -> @Sendable (ManagedObjectContext) throws -> Void {
            { context in
                for page in try context.fetch(
                    FetchRequest(entityName: "Page"), as: ManagedObject.self)
                {
                    let title = try page.value(forKey: "title") as? String ?? ""
                    try page.setValue(title + text, forKey: "title")
                }
            }
        }
        try everyFailure(
            of: versions, "WAL",
            { change in
                try versions.open(
                    2, nil,
                    {
                        change(&$0)
                        $0.migration.migrations = [
                            Migration(.appVersion("1.1"), append("b")),
                            Migration(.appVersion("1.2"), append("c")),
                        ]
                    }
                ) { _ in }
            },
            check: {
                let content = try versions.content(2)
                #expect(content == ["Page 1": "", "Page 1.title": "abc"])
            })
    }
}
