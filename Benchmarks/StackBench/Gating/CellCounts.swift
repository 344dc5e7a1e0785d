import RunRecords

/// The counts of one cell from two passes, so that a count that varies is noticed.
enum CellCounts: Codable, Sendable {
    case samples([Sample])
    case failure(WorkerFailure)

    private static let passCount = 2

    /// - Parameter countsInstructions: whether to count instructions too, if that is possible.
    /// - Throws: ``Interrupted``, and the errors of starting a process or writing to the disk.
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
