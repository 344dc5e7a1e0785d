import TestSupport
import Testing

/// Contexts in any arrangement behave like a graph of plain dictionaries.
@Suite struct `Random scripts against a reference` {
    private static let cases = RandomCases(count: 5000, seed: 20_261_121)
    private static let serverCases = RandomCases(count: 400, seed: 20_261_121)
    private static let shardCount = 8

    private static let attemptLimit = 100

    // The shards run in parallel. Between scripts they yield to other tests.
    @Test(arguments: 0..<shardCount)
    func `5,000 scripts over one to four contexts make no difference (§10.4.17, §11.6.13)`(
        _ shard: Int
    ) async {
        await run(Self.cases, shard)
    }

    @Test(.enabled(if: ServerSchema.server != nil), arguments: 0..<shardCount)
    func `scripts over stores in PostgreSQL make no difference (§11.8.26)`(_ shard: Int) async {
        await run(Self.serverCases, shard, in: .server)
    }

    /// Stops at the first difference.
    ///
    /// - Parameter store: Where all scripts run; nil means where each one says.
    private func run(_ cases: RandomCases, _ shard: Int, in store: Script.Store? = nil) async {
        let seed = cases.seed &+ UInt64(shard)
        var generator = SeededGenerator(seed: seed)
        for number in 0..<cases.count / Self.shardCount {
            var script = Script(&generator)
            script.store = store ?? script.store
            if let difference = difference(of: script) {
                let (shortest, last) = shorten(script, difference)
                Issue.record(
                    "TEST_SEED=\(seed), script \(number): \(last)\nThe shortest script that shows it:\n\(shortest)"
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
