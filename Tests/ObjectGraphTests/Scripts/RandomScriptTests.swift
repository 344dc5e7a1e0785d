import Foundation
import TestSupport
import Testing

/// Contexts in any arrangement behave like a graph of plain dictionaries.
@Suite struct `Random scripts against a reference` {
    /// The seed of scripts that every run repeats.
    private static let provedSeed: UInt64 = 20_261_121
    /// The seed of scripts that are new in each run.
    private static let newSeed = SeededGenerator.fromEnvironment().seed
    private static let shardCount = 8

    /// The environment variable TEST_SCRIPTS, for more scripts than CI runs.
    private static let chosenCount =
        ProcessInfo.processInfo.environment["TEST_SCRIPTS"].flatMap { Int($0) }

    private static let attemptLimit = 100

    // The shards run in parallel. Between scripts they yield to other tests.
    @Test(arguments: 0..<shardCount)
    func `10,000 scripts over one to four contexts make no difference (§10.4.17, §11.6.13)`(
        _ shard: Int
    ) async {
        let seed = shard.isMultiple(of: 2) ? Self.newSeed : Self.provedSeed
        await run((Self.chosenCount ?? 10_000) / Self.shardCount, seed: seed &+ UInt64(shard))
    }

    @Test(.enabled(if: ServerSchema.server != nil), arguments: 0..<shardCount)
    func `scripts over stores in PostgreSQL make no difference (§11.8.26)`(_ shard: Int) async {
        let seed = shard.isMultiple(of: 2) ? Self.newSeed : Self.provedSeed
        await run(
            (Self.chosenCount ?? 400) / Self.shardCount, seed: seed &+ UInt64(shard), in: .server)
    }

    /// Stops at the first difference.
    ///
    /// - Parameter store: Where all scripts run; nil means where each one says.
    private func run(_ scriptCount: Int, seed: UInt64, in store: Script.Store? = nil) async {
        var generator = SeededGenerator(seed: seed)
        for number in 0..<scriptCount {
            var script = Script(&generator)
            script.store = store ?? script.store
            if let difference = difference(of: script) {
                let (shortest, last) = shorten(script, difference)
                Issue.record(
                    "seed \(seed), script \(number): \(last)\nThe shortest script that shows it:\n\(shortest)"
                )
                return
            }
            await Task.yield()
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

    /// Removes steps, the last first, as long as a difference remains.
    private func shorten(_ script: Script, _ difference: String) -> (Script, String) {
        var (shortest, last) = (script, difference)
        for position in script.steps.indices.reversed().prefix(Self.attemptLimit) {
            var shorter = shortest
            shorter.steps.remove(at: position)
            if let difference = self.difference(of: shorter) {
                (shortest, last) = (shorter, difference)
            }
        }
        return (shortest, last)
    }
}
