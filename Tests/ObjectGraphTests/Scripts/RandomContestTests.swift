import TestSupport
import Testing

@testable import ObjectGraph

/// Contexts of all merge policies change the same objects without knowing of each other. There is no
/// reference to compare with: what is checked holds for every outcome.
@Suite struct `Random contests between merge policies` {
    private static let cases = RandomCases(count: 1000, seed: 20_261_127)
    private static let shardCount = 4

    @Test(arguments: 0..<shardCount)
    func
        `1,000 contests leave no reference to a row that is gone, and a complete history (§5.3.11, §10.4.4, §10.4.17)`(
            _ shard: Int
        ) async
    {
        for number in 0..<UInt64(Self.cases.count / Self.shardCount) {
            let seed = Self.cases.seed &+ UInt64(shard) &+ number &* 1000
            if difference(seed, skipping: []) != nil {
                Issue.record("TEST_SEED=\(seed): \(shortest(seed))")
                return
            }
            await Task.yield()
        }
    }

    /// Its last save found an object gone that was back, and removed one of its pairs.
    @Test func `a contest that once left a removed pair out of the history names it (§10.4.4)`() {
        #expect(difference(81_295_511, skipping: []) == nil)
    }

    /// The first difference and the steps that lead to it; nil if there is none.
    private func difference(_ seed: UInt64, skipping skipped: Set<Int>) -> String? {
        let contest = Contest(seed: seed, skipping: skipped)
        do {
            try contest.run()
            return nil
        } catch {
            return (["\(error)"] + contest.steps).joined(separator: "\n")
        }
    }

    /// Leaves out steps, the last first, as long as a difference remains.
    private func shortest(_ seed: UInt64) -> String {
        var skipped: Set<Int> = []
        for position in (0..<Contest(seed: seed).stepCount).reversed()
        where difference(seed, skipping: skipped.union([position])) != nil {
            skipped.insert(position)
        }
        return difference(seed, skipping: skipped) ?? "it was not seen again"
    }
}
