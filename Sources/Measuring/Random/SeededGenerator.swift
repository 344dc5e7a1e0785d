/// A generator that gives the same numbers for the same seed on every machine.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var numbers: SplitMix64

    public init(seed: UInt64) {
        numbers = SplitMix64(seed: seed)
    }

    public mutating func next() -> UInt64 { numbers.next() }
}
