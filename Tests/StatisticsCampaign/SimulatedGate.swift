import Measuring
import Reports
import RunRecords

/// Takes rows through the whole gate, from first look to verdict, on simulated pairs.
///
/// Source: measuring §9, items 3, 4 and 6.
struct SimulatedGate: Sendable {
    /// The noise of cells whose times are gated: 20 pairs can detect 5 %.
    private static let gated: [NoiseModel] = [.pinned, .writeAheadLog, .backToBack]
    private static let slowdown = 0.05
    let seed: UInt64

    func check(into report: inout SelfTestReport) {
        checkIdenticalCode(into: &report)
        for model in NoiseModel.all { checkSlowdown(under: model, into: &report) }
        checkSymmetry(into: &report)
    }

    private func checkIdenticalCode(into report: inout SelfTestReport) {
        var generator = SeededGenerator(seed: seed)
        let rows = NoiseModel.all.flatMap { model in
            (0..<50).map { _ in
                SimulatedArms(model).comparison(by: PairedRule(), using: &generator)
            }
        }
        report.check(
            "alarms on identical code, 300 rows, first look", rows.count(where: \.isFirstLookAlarm),
            atMost: 3)
        report.check(
            "alarms on identical code, 300 rows, confirmed",
            rows.count { $0.verdict == .regressed }, atMost: 0)
    }

    private func checkSlowdown(under model: NoiseModel, into report: inout SelfTestReport) {
        var generator = SeededGenerator(seed: seed)
        let arms = SimulatedArms(model, slowdown: Self.slowdown)
        let verdicts = (0..<20).map { _ in
            arms.comparison(by: PairedRule(), extraLooks: 2, using: &generator).verdict
        }
        if Self.gated.contains(model) {
            report.check(
                "+5 % found in 20 runs, \(model.name)", verdicts.count { $0 == .regressed },
                atLeast: 19)
        }
        report.check(
            "+5 % called ok or improved in 20 runs, \(model.name)",
            verdicts.count { $0 == .ok || $0 == .improved }, atMost: 0)
    }

    private func checkSymmetry(into report: inout SelfTestReport) {
        var generator = SeededGenerator(seed: seed)
        let rule = PairedRule()
        let differing = (0..<60).count { round in
            let model = NoiseModel.all[round % NoiseModel.all.count]
            let arms = SimulatedArms(model, slowdown: [0, 0.03, 0.08][round % 3])
            let comparison = arms.comparison(by: rule, using: &generator)
            return !comparison.mirrors(by: rule)
        }
        report.check("verdicts not mirrored by exchanged arms, 60 rows", differing, atMost: 0)
    }
}
