import Foundation
import RunRecords
import TestSupport
import Testing

/// The peers are part of the executable, so they are tested through it. A worker reads a peer's
/// results back with plain SQL that shares no code with it. A wrong count, sum or reference fails
/// the cell.
@Suite(.serialized) struct `Peers (measuring §11)` {
    private let folder = TemporaryFolder()

    private func cells(of workload: String) throws -> [CellResult] {
        try Data("schema: 1\nname: peers\n\(workload)\n".utf8).write(to: folder.url("peers.yml"))
        let results = RunDirectory(url: folder.url.appending(path: "run"))
        let bench = try BenchProcess([
            "run", folder.path("peers.yml"), "--allow-debug", "--output", results.url.path,
        ])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        return try #require(results.load().workloads.first).cells
    }

    @Test(arguments: [
        "kind: import\nparameters: { saveSize: [7, 1000], indexes: [plain, none] }",
        "kind: batch-insert\nparameters: { mode: [request, loop], rows: 512, saveSize: 100 }",
        "kind: batch-update\nparameters: { mode: [request, loop], saveSize: 100 }",
        """
        kind: paging
        parameters: { fetchBatchSize: [0, 1, 7, 1000], extent: [first-page, whole] }
        """,
        "kind: predicates\nparameters: { question: [number-first, equal, like-cd, matches] }",
    ])
    func `both do the work on the flights rightly`(workload: String) throws {
        let cells = try cells(
            of: """
                subjects: [peers]
                repetitions: 1
                dataset: { flights: 303 }
                \(workload)
                """)
        #expect(Set(cells.map(\.subject)) == ["grdb", "sqlite-c"])
        for cell in cells { expectVerified(cell) }
    }

    @Test func `both do the engine's work on the items rightly`() throws {
        let cells = try cells(
            of: """
                kind: engine
                subjects: [peers]
                repetitions: 1
                parameters:
                  row:
                    - fetch-realise
                    - fetch-one-integer
                    - fetch-memory
                    - insert
                    - batch-insert
                    - update
                    - batch-update
                    - fault
                    - fault-in-transaction
                  rows: 1003
                """)
        #expect(cells.count == 18)
        for cell in cells { expectVerified(cell) }
    }

    private func expectVerified(_ cell: CellResult) {
        guard case .verified = cell.verification else {
            Issue.record("\(cell.identifier): \(cell.verification)")
            return
        }
    }
}
