import Benchmarking

/// What two counting passes over a cell found: two, so that a count that varies shows itself.
enum CellCounts: Codable, Sendable {
    case samples([Sample])
    case unsound(String, isWrongAnswer: Bool)
    /// The user asked to stop.
    case interrupted

    private static let passCount = 2

    /// - Parameter countsInstructions: whether instructions are counted too, where they can be.
    /// - Throws: when no process can be started or the disk cannot be written.
    static func take(
        _ arm: PairedArm, seed: UInt64, _ preparation: Preparation,
        countsInstructions: Bool = false
    ) throws -> CellCounts {
        var samples: [Sample] = []
        for _ in 0..<passCount {
            switch try CountingPass.run(arm, seed: seed, preparation: preparation) {
            case .interrupted: return .interrupted
            case .failure(let reason): return .unsound(reason, isWrongAnswer: false)
            case .outcome(var outcome):
                if case .failed(let reason) = outcome.verification {
                    return .unsound(reason, isWrongAnswer: true)
                }
                if countsInstructions {
                    outcome.sample[.instructions] = try InstructionPass.run(
                        arm, seed: seed, preparation: preparation)
                    guard !Interruption.isRequested else { return .interrupted }
                }
                samples.append(outcome.sample)
            }
        }
        return .samples(samples)
    }
}
