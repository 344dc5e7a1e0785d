import Foundation

/// A random number generator that gives the same numbers for the same seed on every machine.
///
/// Tests report the seed in their failures: `#expect(…, "TEST_SEED=\(generator.seed)")`.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    public let seed: UInt64
    private var numbers: SplitMix64

    public init(seed: UInt64) {
        self.seed = seed
        numbers = SplitMix64(seed: seed)
    }

    /// A generator with the seed in the environment variable TEST_SEED, or a new seed, which is
    /// printed.
    public static func fromEnvironment() -> Self {
        let seed =
            ProcessInfo.processInfo.environment["TEST_SEED"].flatMap { UInt64($0) }
            ?? UInt64.random(in: 0...UInt64.max)
        print("TEST_SEED=\(seed)")
        return Self(seed: seed)
    }

    public mutating func next() -> UInt64 { numbers.next() }
}
