import TestSupport

/// The seed of a random test: TEST_SEED, or a new one, which is printed.
func testSeed() -> UInt64 { SeededGenerator.fromEnvironment().seed }
