/// What a sentence "If …, take …" of the first screen is derived from.
public struct AdviceRule: Codable, Hashable, Sendable {
    /// What follows "If", for example "you import beside a live view".
    public var condition: String
    /// The questions that decide, as "workload.question" or, of the same workload, as "question": the first one says
    /// what to take and what to leave, later ones break ties.
    public var questions: [String]

    public init(if condition: String, questions: [String]) {
        self.condition = condition
        self.questions = questions
    }

    private enum CodingKeys: String, CodingKey {
        case condition = "if"
        case questions
    }
}
