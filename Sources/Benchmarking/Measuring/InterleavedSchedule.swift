/// Rounds in each of which every subject runs once, in an order of its own.
///
/// All samples of a round are neighbours in time, so that what slows the machine for a minute slows
/// all subjects, and a random order leaves no subject the favour of always going first.
public struct InterleavedSchedule<Subject: Sendable>: Sendable {
    public let rounds: [Round]

    /// One turn of every subject.
    public struct Round: Sendable {
        /// The round's number from 0: ``Sample/repetition``.
        public let repetition: Int
        public let order: [Subject]
    }

    /// - Parameter repetitions: the number of rounds; 0 or less gives none.
    public init(subjects: [Subject], repetitions: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        rounds = (0..<max(repetitions, 0)).map {
            Round(repetition: $0, order: subjects.shuffled(using: &generator))
        }
    }
}
