import Measuring

/// A claim with what a run says about it.
public struct ClaimResult: Sendable {
    public let claim: Claim
    /// One for each contest in which a comparison of the claim takes part, in the order of
    /// ``Claim/asks``.
    public let answers: [ClaimAnswer]
    public let verdict: ClaimVerdict

    public init(_ claim: Claim, answers: [ClaimAnswer]) {
        self.claim = claim
        self.answers = answers
        verdict = Self.verdict(of: claim, answers)
    }

    private static func verdict(of claim: Claim, _ answers: [ClaimAnswer]) -> ClaimVerdict {
        guard !claim.asks.isEmpty else { return .notAskable }
        // The published size can be expected only there.
        let published = answers.filter(\.hasPublishedConditions)
        guard !published.isEmpty, published.allSatisfy({ $0.outcome != .undecided }) else {
            return .undecided
        }
        let refutedCount = answers.count { $0.outcome == .refuted }
        let decidedCount = answers.count { $0.outcome != .undecided }
        guard refutedCount == 0 else { return refutedCount < decidedCount ? .bounded : .refuted }
        let outcomes = Set(published.map(\.outcome))
        if outcomes.contains(.otherSize) { return .otherSize }
        return outcomes.contains(.reproduced) ? .reproduced : .directionOnly
    }
}

extension ClaimResult {
    /// The comparison that a traced sample of each side explains: the first decided one of times
    /// between stacks, under the published conditions if there is one. Nil without any.
    public var explainable: ClaimAnswer? {
        let timed = answers.filter { answer in
            answer.outcome != .undecided && !answer.question.isExact
                && answer.sides.allSatisfy { $0.cell.role == .stack }
        }
        return timed.first(where: \.hasPublishedConditions) ?? timed.first
    }
}

/// One comparison of a claim.
public struct ClaimAnswer: Sendable {
    /// Its bearing on the claim.
    public enum Outcome: Sendable {
        case reproduced, directionOnly, otherSize, refuted, undecided
    }

    public let ask: Claim.Ask
    public let question: Question
    public let contest: ContestResult
    public let finding: Finding
    /// Whether its parameters are those under which the ratio was published.
    public let hasPublishedConditions: Bool
    public let outcome: Outcome

    /// - Returns: nil if the claim is not about the contest.
    public init?(_ ask: Claim.Ask, _ question: Question, _ contest: ContestResult) {
        guard let place = contest.contest.values.firstIndex(of: ask.value),
            let finding = contest.finding(of: contest.contest.cells[place]),
            let cell = contest.cells.first(where: { $0.identifier == finding.cell }),
            cell.has(ask.scope)
        else { return nil }
        self.ask = ask
        self.question = question
        self.contest = contest
        self.finding = finding
        hasPublishedConditions = cell.has(ask.conditions)
        let sides = Self.sides(of: finding, in: contest).map(\.cell)
        outcome = Self.outcome(
            of: finding.verdict, for: ask, flooredCount: sides.count(where: question.isFloored))
    }

    /// The two cells that were compared, each with its value on the axis of the question.
    public var sides: [(value: String, cell: CellResult)] { Self.sides(of: finding, in: contest) }

    private static func sides(
        of finding: Finding, in contest: ContestResult
    ) -> [(value: String, cell: CellResult)] {
        zip(contest.contest.values, contest.cells).filter {
            [finding.cell, finding.reference].contains($0.1.identifier)
        }
    }

    /// - Parameter flooredCount: The number of sides that count as ``Question/sameBelow``. With two,
    ///   the ratio is unknown. With one, it is further from 1 than the one that was computed.
    private static func outcome(
        of verdict: Finding.Verdict, for ask: Claim.Ask, flooredCount: Int
    ) -> Outcome {
        switch (verdict, ask.expected) {
        case (.undecided, _): return .undecided
        case (.equivalent, .same): return .reproduced
        case (.equivalent, _) where flooredCount == 2: return .undecided
        case (.less(let ratio), .less), (.more(let ratio), .more):
            guard let published = ask.ratio else { return .directionOnly }
            let size = max(ratio.estimate / published, published / ratio.estimate)
            guard size > ask.factor else { return flooredCount == 0 ? .reproduced : .directionOnly }
            // The ratio itself is further from 1 than the one of the bounds.
            let isBeyond = (ratio.estimate < published) == (ask.expected == .less)
            return flooredCount == 0 || isBeyond ? .otherSize : .directionOnly
        default: return .refuted
        }
    }
}

extension CellResult {
    /// Whether it has these values of parameters, `subject` and `lockPolicy`.
    fileprivate func has(_ values: [String: String]) -> Bool {
        values.allSatisfy { name, value in
            switch name {
            case "subject": subject == value
            case "lockPolicy": lockPolicy == value
            default: parameters[name] == value
            }
        }
    }
}

extension Run {
    /// The claims that the run was asked about, with their verdicts, in the order of the files.
    public var claimResults: [ClaimResult] {
        let results = questionResults
        return (claims ?? []).map { claim in
            ClaimResult(
                claim,
                answers: claim.asks.flatMap { ask in
                    results.filter {
                        $0.workload.name == ask.workload && $0.question.id == ask.question
                    }.flatMap { result in
                        result.contests.compactMap { ClaimAnswer(ask, result.question, $0) }
                    }
                })
        }
    }
}
