import Foundation
import RunRecords
import Testing

@Suite struct `The growth of a row's cost` {
    /// The cost of one row as a function of the number of rows.
    struct Cost: Sendable, CustomTestStringConvertible {
        var name: String
        var verdict: Verdict
        var instructions: @Sendable (Double) -> Double

        var testDescription: String { name }
    }

    private static let costs = [
        Cost(name: "the same for each", verdict: .ok) { _ in 5_000 },
        Cost(name: "and once as much as a thousand rows", verdict: .ok) { 5_000 + 5_000_000 / $0 },
        Cost(name: "with a search in a tree", verdict: .ok) { 5_000 + 100 * log2($0) },
        Cost(name: "a sort and nothing else", verdict: .ok) { 50 * log2($0) },
        Cost(name: "with a walk along all", verdict: .regressed) { 5_000 + $0 },
        Cost(name: "with a walk along those beyond 2,000", verdict: .regressed) { count in
            // A later row needs a longer walk: on average half of all rows.
            5_000 + 3 * max(0, count - 2_000) / count * (count + 2_000) / 2
        },
    ]

    @Test(arguments: costs)
    func `may be a logarithm, and no walk along a list`(cost: Cost) {
        // Sorting 8,000 rows takes 1.3 times as many comparisons per row as sorting 1,000.
        let row = Comparison(
            growthOf: .instructions, workload: "growth", cell: "object-graph",
            few: cost.instructions(1_000), many: cost.instructions(8_000), limit: 1.31)

        #expect(row.verdict == cost.verdict)
    }

    @Test func `is told with both costs and the limit`() {
        let row = Comparison(
            growthOf: .instructions, workload: "growth", cell: "path=merge", few: 5_000,
            many: 13_000, limit: 1.3)

        #expect(
            row.sentence
                == "**growth path=merge** costs 2.60 × as many instructions per row with many rows "
                + "as with few: 5,000 with few, 13,000 with many (1.30 × is allowed).")
    }
}
