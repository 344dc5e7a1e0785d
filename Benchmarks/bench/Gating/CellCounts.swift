import Benchmarking

/// What two counting passes over a cell found: two, so that a count that varies shows itself.
enum CellCounts: Codable, Sendable {
    case samples([Sample])
    case unsound(String, isWrongAnswer: Bool)
    /// The user asked to stop.
    case interrupted

    private static let passCount = 2

    /// - Throws: when no process can be started or the disk cannot be written.
    static func take(
        _ arm: PairedArm, seed: UInt64, _ preparation: Preparation
    ) throws -> CellCounts {
        var samples: [Sample] = []
        for _ in 0..<passCount {
            switch try CountingPass.run(arm, seed: seed, preparation: preparation) {
            case .interrupted: return .interrupted
            case .failure(let reason): return .unsound(reason, isWrongAnswer: false)
            case .outcome(let outcome):
                if case .failed(let reason) = outcome.verification {
                    return .unsound(reason, isWrongAnswer: true)
                }
                samples.append(outcome.sample)
            }
        }
        return .samples(samples)
    }
}
