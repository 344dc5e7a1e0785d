import Foundation

/// How many random cases a test tries, and their seed.
///
/// Each run of CI tries the same cases, so that a commit decides the result of its run. TEST_SCRIPTS
/// sets another number, and tries new cases; TEST_SEED sets the seed.
public struct RandomCases: Sendable {
    public let count: Int
    public let seed: UInt64

    /// - Parameters:
    ///   - count: The number of cases in CI.
    ///   - seed: Their seed.
    public init(count: Int, seed: UInt64) {
        let environment = ProcessInfo.processInfo.environment
        let chosenCount = environment["TEST_SCRIPTS"].flatMap { Int($0) }
        let isNew = chosenCount != nil || environment["TEST_SEED"] != nil
        self.count = chosenCount ?? count
        self.seed = isNew ? SeededGenerator.fromEnvironment().seed : seed
    }
}
