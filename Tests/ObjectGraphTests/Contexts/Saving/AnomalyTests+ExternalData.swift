import CSQLite
import Foundation
import Testing

@testable import ObjectGraph

/// Saves to a store with external values and derived attributes. Any one call to a file can fail,
/// of SQLite or of the files with values.
extension `Failing saves (§5.1)` {
    private typealias Fixture = ExternalFixture

    @Test(arguments: ["WAL", "DELETE"])
    func `no reference lacks its file, whichever call of SQLite fails (§8.6.5, §8.6.10, §1.4.5)`(
        _ journal: String
    ) throws {
        FailingFileSystem.register()
        try failEachCall(journal, FileFaults()) { number in
            FailingFileSystem.fail(call: number, with: SQLITE_IOERR)
        } stop: {
            FailingFileSystem.stop()
        }
    }

    @Test(arguments: ["WAL", "DELETE"])
    func `nor whichever call to the files of values fails (§8.6.5, §8.6.10, §1.4.5)`(
        _ journal: String
    ) throws {
        FailingFileSystem.register()
        let faults = FileFaults()
        try failEachCall(journal, faults) { number in
            faults.fail(number, with: EIO)
        } stop: {
            faults.stop()
        }
    }

    private func failEachCall(
        _ journal: String, _ faults: FileFaults, fail: @Sendable (Int) -> Void,
        stop: () -> Bool
    ) throws {
        let model = try Fixture.model(isDerived: true)
        var (number, failedSaves, fired) = (0, 0, true)
        while fired {
            number += 1
            let fixture = try Fixture(model: model)
            try fixture.add([Fixture.large, Fixture.other], inAlbum: true)
            try fixture.close()
            let coordinator = try fixture.open(model: model) {
                $0.vfs = FailingFileSystem.name
                $0.fileCalls = faults.calls
                $0.timeout = .zero
                $0.pragmas = ["journal_mode": journal]
            }
            let context = fixture.makeContext(.error, coordinator)
            let failed = try context.performAndWait { [number] in
                let album = try context.all("Album")[0]
                let photo = try fixture.photo("0", in: context)
                try photo.setValue(Fixture.other, forKey: "data")
                try photo.setValue(Fixture.other.count, forKey: "size")
                context.delete(try fixture.photo("1", in: context))
                try context.insert(
                    "Photo", ["name": "2", "size": 101, "data": Fixture.large, "album": album])
                context.processPendingChanges()
                fail(number)
                do { try context.save() } catch { return true }
                return false
            }
            fired = stop()
            #expect(Set(fixture.files()).isSuperset(of: try fixture.references()))
            #expect(try fixture.hasDerivedValues())
            if failed { try context.performAndWait { try context.save() } }
            failedSaves += failed ? 1 : 0
            try fixture.close(coordinator)
            #expect(try fixture.stored(model: model) == [Fixture.other, Fixture.large])
            #expect(try fixture.files() == fixture.references())
            #expect(try fixture.hasDerivedValues())
            #expect(!fixture.isInUse)
            try #require(number < 500, "the save never gets through")
        }
        #expect(failedSaves > 3, "\(failedSaves) of \(number) calls made the save fail")
    }
}

extension ExternalFixture {
    /// Whether the derived values of all albums are what a computation finds.
    fileprivate func hasDerivedValues() throws -> Bool {
        try sql(
            """
            SELECT a.Z_PK FROM ZALBUM a WHERE a.ZPHOTOCOUNT IS NOT
              (SELECT count(*) FROM ZPHOTO p WHERE p.ZALBUM = a.Z_PK)
            OR a.ZBYTECOUNT IS NOT (SELECT sum(ZSIZE) FROM ZPHOTO p WHERE p.ZALBUM = a.Z_PK)
            """
        ).isEmpty
    }
}
