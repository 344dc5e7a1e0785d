import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

/// Every call to the file system fails once. Nothing is lost, no reference leads nowhere, and the
/// next opening removes what is left.
@Suite struct `Failures of files with external data (§8.6.10)` {
    private typealias Fixture = ExternalFixture

    /// Fails the call with a number, counted from 1.
    private final class Faults: Sendable {
        private let state = Mutex<(left: Int, code: Int32)>((.max, 0))

        func fail(_ number: Int, with code: Int32) { state.withLock { $0 = (number, code) } }

        /// - Returns: Whether a call has failed.
        func stop() -> Bool {
            state.withLock { state in
                defer { state.left = .max }
                return state.left <= 0
            }
        }

        var calls: FileCalls {
            FileCalls { [self] _ in
                state.withLock { state in
                    guard state.left != .max else { return 0 }
                    state.left -= 1
                    return state.left == 0 ? state.code : 0
                }
            }
        }
    }

    @Test(arguments: [ENOSPC, EACCES, EIO])
    func `every failure is a typed error, or cleaned up later (§8.6.10)`(_ code: Int32) throws {
        var number = 1
        var hasFailed = false
        while true {
            let faults = Faults()
            let fixture = try Fixture([Fixture.large, Fixture.other]) {
                $0.fileCalls = faults.calls
            }
            let before = try fixture.references()
            let context = fixture.context
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
            try fixture.close()
            #expect(try fixture.stored() == [Fixture.other, Fixture.large])
            #expect(try fixture.files() == fixture.references())
            #expect(!fixture.isInUse)
            guard fired else { break }
            number += 1
        }
        #expect(hasFailed && number > 6)
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

    @Test func `files of a commit that failed wait for the next opening (§8.6.10)`() throws {
        let folder = TemporaryFolder()
        let files = ExternalFiles(in: folder.url(".App_SUPPORT"), threshold: 0)
        let name = try [1, 2, 3].withUnsafeBytes { try files.write($0) }
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
