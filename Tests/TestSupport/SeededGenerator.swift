import Foundation

/// A random number generator that gives the same numbers for the same seed on every machine
/// (SplitMix64).
///
/// Tests report the seed in their failures: `#expect(…, "TEST_SEED=\(generator.seed)")`.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    public let seed: UInt64
    private var state: UInt64

    public init(seed: UInt64) {
        self.seed = seed
        state = seed
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

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
