/// A report as it was made before there were planned looks: identical cells, and an interval of the median that is
/// looked at after every round until it tells the two apart. A negative control.
struct PeekingReport: Sendable {
    var noise: MachineNoise
    var questionCount: Int

    func comparisons(seed: UInt64) -> [SimulatedComparison] {
        var machine = NoisyMachine(noise, seed: seed)
        return (0..<questionCount).map { question in
            var logRatios: [Double] = []
            while logRatios.count < 20 {
                logRatios.append(
                    machine.sample(ofBlock: question) - machine.sample(ofBlock: question))
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
