import Measuring
import Reports

/// How often a trend finds a planted step at the right commit, and raises one where there is none.
struct TrendSelfTest {
    private let seed: UInt64
    private let historyCount: Int

    /// - Parameter historyCount: the histories without a step that tell how often one is raised. 1,000
    ///   take about ten seconds of processor time in a release build.
    init(seed: UInt64, historyCount: Int) {
        self.seed = seed
        self.historyCount = historyCount
    }

    /// Runs all checks.
    func report() -> SelfTestReport {
        var report = SelfTestReport(
            "Trends of \(SimulatedHistory.commitCount) commits (seed \(seed))")
        let stepped = SimulatedHistory.all(100, hasStep: true, seed: seed)
        report.check(
            "of 100 histories with a step of 3 %: found at the right commit, and nothing else",
            stepped.count(where: \.isRight), atLeast: 100)
        let steady = SimulatedHistory.all(100, hasStep: false, seed: seed + 1)
        report.check(
            "of 100 histories without a step: raised", steady.count { !$0.isRight }, atMost: 0)
        let many = SimulatedHistory.all(historyCount, hasStep: false, seed: seed + 2)
        report.check(
            "histories without a step that raise one", share: many.count { !$0.isRight },
            of: historyCount, in: 0...0.05)
        return report
    }
}
