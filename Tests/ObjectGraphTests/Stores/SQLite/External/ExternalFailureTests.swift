import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Every call to the file system fails once. Nothing is lost, no reference leads nowhere, and the
/// next opening removes what is left.
@Suite struct `Failures of files with external data (§8.6.10)` {
    private typealias Fixture = ExternalFixture

    @Test(arguments: [ENOSPC, EACCES, EIO])
    func `every failure is a typed error, or cleaned up later (§8.6.10)`(_ code: Int32) throws {
        var number = 1
        var hasFailed = false
        while true {
            let fixture = try Fixture([Fixture.large, Fixture.other])
            try fixture.close()
            let before = try fixture.references()
            let faults = FileFaults()
            let coordinator = try fixture.open { $0.fileCalls = faults.calls }
            let context = fixture.makeContext(.error, coordinator)
            faults.fail(number, with: code)
            let failure: (any Error)? = try context.performAndWait {
                try fixture.photo("0", in: context).setValue(Fixture.other, forKey: "data")
                context.delete(try fixture.photo("1", in: context))
                try context.insert("Photo", ["name": "2", "data": Fixture.large])
                do { try context.save() } catch { return error }
                return nil
            }
            let fired = faults.stop()
            if let failure {
                hasFailed = true
                switch (failure as? StoreError)?.reason {
                case .diskFull?: #expect(code == ENOSPC)
                case .unwritableExternalData?: #expect(code != ENOSPC)
                default: Issue.record("\(failure)")
                }
                #expect(try fixture.references() == before)
                #expect(fixture.files() == before)
                try context.performAndWait { try context.save() }
            }
            #expect(Set(fixture.files()).isSuperset(of: try fixture.references()))
            try fixture.close(coordinator)
            #expect(try fixture.stored() == [Fixture.other, Fixture.large])
            #expect(try fixture.files() == fixture.references())
            #expect(!fixture.isInUse)
            guard fired else { break }
            number += 1
        }
        #expect(hasFailed && number > 12, "\(number)")
    }

    @Test func `a folder that cannot be made is a typed error (§8.6.10)`() throws {
        let fixture = try Fixture()
        try Data().write(to: fixture.support)
        let error = #expect(throws: StoreError.self) { try fixture.add([Fixture.large]) }
        guard case .unwritableExternalData? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.code == 512)
        try FileManager.default.removeItem(at: fixture.support)
        try fixture.context.performAndWait { try fixture.context.save() }
        #expect(try fixture.stored() == [Fixture.large])
    }

    @Test func `a commit that waits in vain for readers removes what it wrote (§8.6.2)`() throws {
        let fixture = try Fixture([Fixture.large]) {
            $0.pragmas = ["journal_mode": "DELETE"]
            $0.timeout = .zero
        }
        let files = fixture.files()
        let reader = try Connection(
            SQLiteConfiguration(path: fixture.folder.path("App.sqlite"), mode: .readOnly))
        let row = try reader.statement("SELECT Z_PK FROM ZPHOTO")
        #expect(try row.step())
        let context = fixture.context
        try context.performAndWait {
            try fixture.photo("0", in: context).setValue(Fixture.other, forKey: "data")
            #expect(throws: StoreError.self) { try context.save() }
        }
        #expect(fixture.files() == files)
        row.reset()
        try context.performAndWait { try context.save() }
        #expect(try fixture.files().count == 1 && fixture.files() == fixture.references())
        try fixture.close()
        #expect(try fixture.stored() == [Fixture.other])
    }

    @Test func `files of a commit that failed wait for the next opening (§8.6.10)`() throws {
        let folder = TemporaryFolder()
        let files = ExternalFiles(in: folder.url(".App_SUPPORT"), threshold: 0)
        let name = try [1, 2, 3].withUnsafeBytes { try files.write($0) }
        try files.prepareCommit([name: 1])
        files.rolledBack(mayHaveCommitted: true)
        files.close()
        #expect(files.names == [name])
        files.sweep { [name] }
        #expect(files.names == [name])
        try files.hold()
        files.rolledBack(mayHaveCommitted: true)
        files.close()
        files.sweep { nil }
        #expect(files.names == [name])
        files.sweep { [] }
        #expect(files.names.isEmpty)
    }
}
