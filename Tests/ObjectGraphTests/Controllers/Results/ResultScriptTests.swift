import TestSupport
import Testing

@testable import ObjectGraph

/// Applying what a controller reports to the old list gives what a fresh fetch gives.
@Suite struct `Results controllers against fresh fetches` {
    private static let cases = RandomCases(count: 400, seed: 20_261_120)

    @Test(arguments: [false, true])
    func `random events in every shape (§10.2.1, §10.3.1, §10.3.6, §10.3.7)`(
        _ isStored: Bool
    ) async throws {
        let fixture = try ResultScript.fixture(inMemory: !isStored)
        for number in 0..<Self.cases.count / 2 {
            let seed = Self.cases.seed &+ UInt64(number) &* 2 &+ (isStored ? 1 : 0)
            let script = try ResultScript(fixture, seed: seed, isStored: isStored)
            do {
                try script.run(stepCount: 12)
            } catch {
                let log = script.log.joined(separator: "\n")
                Issue.record("TEST_SEED=\(Self.cases.seed), script \(number): \(error)\n\(log)")
                return
            }
            await Task.yield()
        }
    }

    /// Lists of all kinds, as a program makes them.
    @Test func `random lists in a view that merges (§10.2.1, §10.2.14)`() async throws {
        let fixture = try ListScript.fixture()
        for number in 0..<Self.cases.count / 4 {
            let seed = Self.cases.seed &+ UInt64(number)
            let script = try ListScript(fixture, seed: seed)
            do {
                try script.run(stepCount: 40)
            } catch {
                let log = script.log.joined(separator: "\n")
                Issue.record("TEST_SEED=\(Self.cases.seed), list \(number): \(error)\n\(log)")
                return
            }
            await Task.yield()
        }
    }
}
