import Measuring

/// The source of a sentence "If …, take …" on the first screen.
public struct AdviceRule: Codable, Hashable, Sendable {
    /// The text after "If", for example "you import beside a live view".
    public var condition: String
    /// The questions that decide, as "workload.question", or as "question" for the same workload.
    /// The first one says what to take and what to leave; later ones break ties.
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
