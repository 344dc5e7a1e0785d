import TestSupport
import Testing

@testable import ObjectGraph

/// Contexts of all merge policies change the same objects without knowing of each other. There is no
/// reference to compare with: what is checked holds for every outcome.
@Suite struct `Random contests between merge policies` {
    private static let provedSeed: UInt64 = 20_261_127
    private static let newSeed = SeededGenerator.fromEnvironment().seed
    private static let shardCount = 4

    @Test(arguments: 0..<shardCount)
    func
        `2,000 contests leave no reference to a row that is gone, and a complete history (§5.3.11, §10.4.4, §10.4.17)`(
            _ shard: Int
        ) async
    {
        let seed = (shard.isMultiple(of: 2) ? Self.newSeed : Self.provedSeed) &+ UInt64(shard)
        for number in 0..<UInt64(2000 / Self.shardCount) {
            let contest = Contest(seed: seed &+ number &* 1000)
            do { try contest.run() } catch {
                let steps = contest.steps.suffix(60).joined(separator: "\n")
                Issue.record("seed \(contest.seed): \(error)\n\(steps)")
                return
            }
            await Task.yield()
        }
    }
}
