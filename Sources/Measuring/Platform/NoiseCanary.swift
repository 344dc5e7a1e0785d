/// A fixed amount of arithmetic and memory work, about a millisecond, run beside every sample.
///
/// The work never changes, so its time changes only with the machine. No counter that the guest of
/// a virtual machine can read shows the same (measuring §2). Its readings are reported and are
/// never a reason to drop a sample.
public struct NoiseCanary: Sendable {
    // 4 MiB: larger than the second-level cache, so that the memory traffic of neighbours shows.
    private static let wordCount = 1 << 19
    // About half a millisecond each on a 2.5 GHz server processor.
    private static let memorySteps = 10_000
    private static let arithmeticSteps = 250_000
    private var words: [UInt64]

    /// Prepares the memory and runs the work once, because the first run is slower.
    public init() {
        var generator = SeededGenerator(seed: 1)
        words = (0..<Self.wordCount).map { _ in generator.next() }
        _ = read()
    }

    /// Runs the work and returns its seconds, for ``Metric/canary``.
    public mutating func read() -> Double {
        let watch = Stopwatch()
        var position = 0
        // Each step depends on the one before, so that neither compiler nor processor can skip
        // ahead.
        for _ in 0..<Self.memorySteps {
            words[position] = words[position] &* 0x9E37_79B9_7F4A_7C15 | 1
            position = Int(truncatingIfNeeded: words[position] >> 45)
        }
        var sum = words[position]
        for _ in 0..<Self.arithmeticSteps {
            sum = (sum ^ (sum >> 29)) &* 0xBF58_476D_1CE4_E5B9
        }
        words[position] = sum
        return watch.elapsedSeconds
    }
}
