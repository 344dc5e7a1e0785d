import Measuring
import Reports
import RunRecords

/// A negative control: a report without planned looks, on identical cells. It checks the interval
/// of the median after every round, until the interval shows a difference.
struct PeekingReport: Sendable {
    var noise: MachineNoise
    var questionCount: Int

    func comparisons(seed: UInt64) -> [SimulatedComparison] {
        var machine = NoisyMachine(noise, seed: seed)
        return (0..<questionCount).map { question in
            var logRatios: [Double] = []
            while logRatios.count < 20 {
                logRatios.append(
                    machine.sample(of: 0, in: question) - machine.sample(of: 1, in: question))
                if let conclusion = conclusion(logRatios) {
                    return SimulatedComparison(truth: 0, conclusion: conclusion)
                }
            }
            return SimulatedComparison(truth: 0, conclusion: nil)
        }
    }

    private func conclusion(_ logRatios: [Double]) -> SequentialDesign.Conclusion? {
        let ratio = PairedRatio(
            estimate: 1,
            interval: Statistics.medianInterval(logRatios)?.mapped(Statistics.exponential),
            pairCount: logRatios.count)
        return switch ratio.direction {
        case .lower: .less
        case .higher: .more
        case .unclear: nil
        }
    }
}
