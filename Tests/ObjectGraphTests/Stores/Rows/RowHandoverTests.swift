import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Rows handed over in the order of an index` {
    private let fixture: FetchFixture
    private let context: ManagedObjectContext
    private let request = FetchRequest(entityName: "Publication", sortKeys: [.ascending("title")])

    init() throws {
        fixture = try FetchFixture()
        context = fixture.context()
    }

    /// Fetches, expects the titles in order, and returns the forms in which the statements
    /// delivered the rows.
    private func form(_ request: FetchRequest) throws -> String {
        try context.performAndWait {
            var titles: [String] = []
            let statements = try fixture.recorder.statements {
                titles = try context.fetch(request, as: Publication.self).map(\.title)
            }
            let all = (0..<FetchFixture.authorCount).flatMap { number in
                (0..<3).map { "Title \(number).\($0)" }
            }.sorted()
            let rest = all.dropFirst(request.fetchOffset)
            #expect(
                titles == Array(request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest))
            // A statement that SQLite compiles again after a change of the schema is reported
            // twice.
            let forms = statements.map { $0.contains("OGRow(") ? "rows" : "columns" }
            return forms.indices.filter { $0 == 0 || forms[$0] != forms[$0 - 1] }
                .map { forms[$0] }.joined(separator: ", ")
        }
    }

    private func page(_ limit: Int, after offset: Int = 0) -> FetchRequest {
        var request = request
        (request.fetchLimit, request.fetchOffset) = (limit, offset)
        return request
    }

    @Test func `from the second time on, since the first tells that nothing was sorted`() throws {
        #expect(try form(page(7)) == "columns")
        #expect(try form(page(7)) == "rows")
        #expect(try form(page(9)) == "rows")
        #expect(try form(page(7, after: 5)) == "columns")
        #expect(try form(page(7, after: 20)) == "rows")
    }

    @Test func `what SQLite sorts is read column by column each time`() throws {
        try fixture.execute("DROP INDEX Z_Publication_byTitle")
        for _ in 0..<3 {
            #expect(try form(page(7)) == "columns")
            #expect(try form(request) == "columns")
        }
    }

    @Test func `an index that is gone later does not change the order`() throws {
        for expected in ["columns", "rows"] {
            let found = try form(page(50))
            #expect(found == expected)
        }
        try fixture.execute("DROP INDEX Z_Publication_byTitle")
        for expected in ["rows, columns", "columns"] {
            let found = try form(page(50))
            #expect(found == expected)
        }
    }
}
