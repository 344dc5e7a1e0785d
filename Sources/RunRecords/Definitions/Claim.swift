import Measuring

/// A statement that somebody has published, and how this package asks whether it holds.
public struct Claim: Codable, Hashable, Sendable {
    /// Unique among all claims, and the anchor of its place in the report: "refetch-after-import".
    public var id: String
    /// The claim in one sentence.
    public var sentence: String
    public var source: Source
    /// The published values, with device and conditions, in one line.
    public var published: String
    /// The comparisons that decide it; empty if it cannot be asked here.
    public var asks: [Ask]
    /// Why it cannot be asked here; `nil` if it can.
    public var obstacle: String?
    public var basis: Basis
    /// How Apple's implementation may differ; `nil` if it cannot.
    public var elsewhere: String?

    public init(
        id: String, sentence: String, source: Source, published: String, asks: [Ask],
        obstacle: String? = nil, basis: Basis, elsewhere: String? = nil
    ) {
        self.id = id
        self.sentence = sentence
        self.source = source
        self.published = published
        self.asks = asks
        self.obstacle = obstacle
        self.basis = basis
        self.elsewhere = elsewhere
    }

    /// Who published it.
    public struct Source: Codable, Hashable, Sendable {
        public var author: String
        /// `nil` if unknown.
        public var year: Int?
        public var title: String

        public init(author: String, year: Int?, title: String) {
            self.author = author
            self.year = year
            self.title = title
        }
    }

    /// On what the answer depends.
    public enum Basis: String, Codable, CaseIterable, Sendable {
        /// On how the contexts are arranged: counts, lost updates, the order of events. It holds for
        /// every implementation.
        case arrangement
        /// On what this engine's operations cost. Another implementation may differ.
        case engine
    }

    /// A comparison of one value of a question's axis with the question's baseline.
    public struct Ask: Codable, Hashable, Sendable {
        /// ``WorkloadResult/name``.
        public var workload: String
        /// ``Question/id``.
        public var question: String
        /// The value on the question's axis whose cells are compared with the baseline.
        public var value: String
        public var expected: Expectation
        /// The published ratio of the value to the baseline; `nil` if only the direction was
        /// published.
        public var ratio: Double?
        /// The ratio is reproduced if it is published times or divided by at most this. Above 1.
        public var factor: Double
        /// Only cells with these values are compared; empty for all. The keys are parameters,
        /// `subject` and `lockPolicy`.
        public var scope: [String: String]
        /// The values under which the ratio was published, with the same keys; empty for all.
        public var conditions: [String: String]

        public init(
            workload: String, question: String, value: String, expected: Expectation,
            ratio: Double? = nil, factor: Double = 2, scope: [String: String] = [:],
            conditions: [String: String] = [:]
        ) {
            self.workload = workload
            self.question = question
            self.value = value
            self.expected = expected
            self.ratio = ratio
            self.factor = factor
            self.scope = scope
            self.conditions = conditions
        }
    }

    /// The direction of a published difference.
    public enum Expectation: String, Codable, CaseIterable, Sendable {
        /// Less of the metric than the baseline; for a time: faster.
        case less
        case more
        /// No difference that matters.
        case same
    }
}
