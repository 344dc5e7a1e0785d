import Foundation
import RunRecords
import TestSupport
import Testing

// The engine's table.
extension `Workloads on few rows` {
    @Test func `the engine and its peers agree about items`() throws {
        let cells = try run(
            "engine", "object-graph, peers, sqlite-limit",
            """
            rows: 203, row: [fetch-realise, fetch-one-integer, fetch-memory, insert, \
            batch-insert, update, batch-update, fault, fault-in-transaction, pages, look-up, \
            look-up-in-transaction, walk, walk-prefetched, full-text, first-page, first-batch, \
            scroll, read-integer, read-text, filter-loaded]
            """)
        #expect(cells.count == 4 * 21)
    }

    @Test(arguments: [
        ("sqlite-c", "reference, 1-row, 10-rows, 200-rows"),
        ("grdb", "reference, records"),
    ])
    func `the variants of a peer write the same rows`(subject: String, variants: String) throws {
        _ = try run(
            "engine", subject,
            "rows: 203, row: [insert, batch-insert, upsert, import-json], variant: [\(variants)]")
    }

    @Test func `of the engine's table one row is inserted into a history`() throws {
        _ = try run("engine", "object-graph", "rows: 203, row: [insert, insert-with-history]")
    }

    @Test func `of the engine's table racks are filled with and without a count`() throws {
        _ = try run(
            "engine", "object-graph", "rows: 203, row: [insert-on-racks, insert-with-derived-count]"
        )
    }

    @Test func `of the engine's table large values are in files, whoever writes them`() throws {
        _ = try run(
            "engine", "object-graph, peers",
            "rows: 3, row: [external-insert, names-beside-external]"
        )
    }

    @Test func `of growth nothing is told but times`() throws {
        for cell in try run(
            "engine", "object-graph, sqlite-c", "rows: 300, row: [growth-fetch, growth-insert]")
        {
            let names = try #require(cell.samples.first).metrics.keys
                // The parent's metrics, of the whole process and of the machine.
                .filter { !["process.peakMemory", "canary", "sampleSeconds"].contains($0) }
            #expect(Set(names) == ["time", "rowsPerSecond", "costGrowth"], "\(cell.identifier)")
        }
    }

    @Test func `the report says what a fault shares and a peer's select does not`() throws {
        _ = try run("engine", "sqlite-c", "rows: 50, row: [fault, fault-in-transaction]")
        let notes = try RunDirectory(url: folder.url("run")).load().workloads[0].notes
        let lines = notes.map { $0.prefix { $0 != ":" } }
        #expect(lines == ["fault", "fault-in-transaction"])
    }
}
