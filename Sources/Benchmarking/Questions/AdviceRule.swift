/// What a reader is advised in a situation: which subjects to take, by the answers to some questions.
///
/// Nothing of the advice itself is fixed: who is taken and who is left follows from the verdicts of the run.
public struct AdviceRule: Codable, Hashable, Sendable {
    /// The situation as a clause: "you import beside a live view".
    public var situation: String
    /// The questions that decide, as "workload.id", the most important one first.
    public var questions: [String]

    public init(situation: String, questions: [String]) {
        self.situation = situation
        self.questions = questions
    }
}
