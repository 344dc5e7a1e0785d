import Benchmarking

/// What two counting passes over a cell found: two, so that a count that varies shows itself.
enum CellCounts: Codable, Sendable {
    case samples([Sample])
    case failure(WorkerFailure)

    private static let passCount = 2

    /// - Parameter countsInstructions: whether instructions are counted too, where they can be.
    /// - Throws: ``Interrupted``; when no process can be started or the disk cannot be written.
    static func take(
        _ arm: PairedArm, seed: UInt64, _ preparation: Preparation,
        countsInstructions: Bool = false
    ) throws -> CellCounts {
        do {
            return .samples(
                try (0..<passCount).map { _ in
                    var sample = try CountingPass.run(arm, seed: seed, preparation: preparation)
                        .verifiedSample
                    if countsInstructions {
                        sample[.instructions] = try InstructionPass.run(
                            arm, seed: seed, preparation: preparation)
                    }
                    return sample
                })
        } catch let failure as WorkerFailure {
            return .failure(failure)
        }
    }
}
