/// A fixed piece of arithmetic and memory work of about a millisecond, run beside every sample.
///
/// Its own work never changes, so whatever its time does, the machine did. Nothing the guest of a
/// virtual machine can read shows the same (instrument §2.3). Its readings are reported, and are
/// never a reason to drop a sample.
public struct NoiseCanary: Sendable {
    // 4 MiB: beyond the second-level cache, so that neighbours' memory traffic shows.
    private static let wordCount = 1 << 19
    private static let stepCount = 60_000
    private var words: [UInt64]

    /// Prepares the memory; run it once before the first reading that is kept.
    public init() {
        var generator = SeededGenerator(seed: 1)
        words = (0..<Self.wordCount).map { _ in generator.next() }
    }

    /// Runs the work once and returns its seconds, for ``Metric/canary``.
    public mutating func read() -> Double {
        let watch = Stopwatch()
        var position = 0
        var sum: UInt64 = 0
        for _ in 0..<Self.stepCount {
            sum = (sum ^ words[position]) &* 0x9E37_79B9_7F4A_7C15
            words[position] = sum
            position = Int(truncatingIfNeeded: sum >> 45)
        }
        return watch.elapsedSeconds
    }
}
