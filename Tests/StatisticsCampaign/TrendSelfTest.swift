import Measuring
import Reports

/// How often a trend finds a planted step at the right commit, and raises one where there is none.
struct TrendSelfTest {
    private let seed: UInt64
    private let historyCount: Int

    /// - Parameter historyCount: the histories of each kind for rates. 1,000 take a quarter of a second
    ///   in a release build.
    init(seed: UInt64, historyCount: Int) {
        self.seed = seed
        self.historyCount = historyCount
    }

    /// Runs all checks. The two hundreds are those of ``SimulatedHistory/lines``, whatever the seed.
    func report() -> SelfTestReport {
        var report = SelfTestReport(
            "Trends of \(SimulatedHistory.commitCount) commits (seed \(seed))")
        let (stepped, steady) = SimulatedHistory.hundreds
        report.check(
            "100 histories with a step of 3 %: found at the right commit, and nothing else",
            stepped.count(where: \.isRight), atLeast: 100)
        report.check(
            "100 histories without a step: raised", steady.count { !$0.isRight }, atMost: 0)
        let more = [true, false].map {
            SimulatedHistory.all(historyCount, hasStep: $0, seed: seed + ($0 ? 2 : 3))
                .count(where: \.isRight)
        }
        report.check(
            "histories with a step: found at the right commit, and nothing else", share: more[0],
            of: historyCount, in: 0.95...1)
        report.check(
            "histories without a step: raised", share: historyCount - more[1], of: historyCount,
            in: 0...0.05)
        return report
    }
}
