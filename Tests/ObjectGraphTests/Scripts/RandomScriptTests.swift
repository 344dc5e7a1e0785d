import TestSupport
import Testing

/// Contexts in any arrangement behave as a graph of plain dictionaries does.
@Suite struct `Random scripts against a reference` {
    private static let seed = SeededGenerator.fromEnvironment().seed
    private static let shardCount = 8

    // In shards, which run side by side. Found by TEST_SEED=13102706369601915580, shard 0, script 3; shard 2, script 603;
    // shard 7, script 898.
    @Test(arguments: 0..<shardCount)
    func `10,000 scripts over one to four contexts make no difference`(_ shard: Int) throws {
        var generator = SeededGenerator(seed: Self.seed &+ UInt64(shard))
        for number in 0..<10_000 / Self.shardCount {
            let script = Script(&generator)
            guard let difference = difference(of: script) else { continue }
            let (shortest, last) = shorten(script, difference)
            withKnownIssue(
                "undo after saves of others, in some scripts of 10,000", isIntermittent: true
            ) {
                Issue.record(
                    "TEST_SEED=\(Self.seed), shard \(shard), script \(number): \(last)\nThe shortest script that shows it:\n\(shortest)"
                )
            }
            return
        }
    }

    private func difference(of script: Script) -> String? {
        do {
            try ScriptRun(script).run(script)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Leaves out steps as long as a difference remains.
    private func shorten(_ script: Script, _ difference: String) -> (Script, String) {
        var (shortest, last) = (script, difference)
        var position = 0
        while position < shortest.steps.count {
            var shorter = shortest
            shorter.steps.remove(at: position)
            if let difference = self.difference(of: shorter) {
                (shortest, last) = (shorter, difference)
            } else {
                position += 1
            }
        }
        return (shortest, last)
    }
}
