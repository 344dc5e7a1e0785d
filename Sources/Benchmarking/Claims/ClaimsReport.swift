/// The verdicts on all claims of a run, as text for a terminal and as Markdown.
public struct ClaimsReport {
    private let run: Run
    private let results: [ClaimResult]

    /// - Returns: Nil if the run was asked about no claims.
    public init?(_ run: Run) {
        guard run.claims != nil else { return nil }
        self.run = run
        results = run.claimResults
    }

    /// "23 reproduced, 9 same direction, other size, …".
    var headline: String {
        let counts = ClaimVerdict.allCases.compactMap { verdict -> String? in
            let count = results.count { $0.verdict == verdict }
            return count == 0 ? nil : "\(count) \(verdict.title)"
        }
        return "\(results.count) published claims: \(counts.joined(separator: "; "))."
    }

    private var table: ReportTable {
        var table = ReportTable([
            ("claim", .left), ("published", .left), ("here", .left), ("verdict", .left),
        ])
        for result in results {
            table.append([
                escaped(result.claim.sentence), escaped(result.claim.published),
                result.here, result.verdict.title,
            ])
        }
        return table
    }

    public var terminalText: String {
        var table = ReportTable([("claim", .left), ("verdict", .left), ("here", .left)])
        for result in results {
            table.append([escaped(result.claim.id), result.verdict.title, result.here])
        }
        return "\(headline)\n\n\(table.terminalText)"
    }

    var markdown: String {
        let claims = results.map { result in
            let claim = result.claim
            var lines = [
                "### \(escaped(claim.sentence))",
                "**\(result.verdict.title)** · \(escaped(claim.source.line)): \(escaped(claim.published))",
            ]
            lines +=
                result.details.isEmpty
                ? [] : [result.details.map { "- \($0)" }.joined(separator: "\n")]
            return (lines + [result.scope]).joined(separator: "\n\n")
        }
        return
            (["# Published claims", "**\(headline)**", table.markdown] + claims + [
                "Run \(escaped(run.name)): `\(run.commandLine.joined(separator: " "))`"
            ]).joined(separator: "\n\n") + "\n"
    }
}

extension Claim.Source {
    /// "Apple 2013, WWDC session 211", or "CoreStore, Issue 149".
    public var line: String {
        [author, year.map(String.init)].compactMap(\.self).joined(separator: " ") + ", \(title)"
    }
}

extension ClaimResult {
    /// The ratios that were measured where the claim was published, in a few words.
    var here: String {
        if let obstacle = claim.obstacle { return escaped(obstacle) }
        let published = answers.filter(\.hasPublishedConditions)
        let shown = (published.isEmpty ? answers : published).prefix(2)
        let rest = answers.count - shown.count
        guard !shown.isEmpty else { return "not measured" }
        return shown.map(\.told).joined(separator: "; ")
            + (rest > 0 ? "; \(rest) more" : "")
    }

    /// A sentence for each comparison.
    var details: [String] {
        answers.map { answer in
            let text = VerdictText(question: answer.question, result: answer.contest)
            let pair =
                "\(text.name(answer.finding.cell)) against \(text.name(answer.finding.reference))"
            let label = answer.contest.contest.label
            return "\(escaped(answer.question.sentence)) \(pair): \(answer.told)"
                + (label.isEmpty ? "" : " with \(escaped(label))") + " – \(answer.word)."
        }
    }

    /// On what the verdict depends.
    var scope: String {
        let basis =
            switch claim.basis {
            case .arrangement: "This depends on the arrangement of contexts alone."
            case .engine: "This depends on what the engine’s own operations cost."
            }
        return [basis, claim.elsewhere.map(escaped)].compactMap(\.self).joined(separator: " ")
    }
}

extension ClaimAnswer {
    /// "2.1× faster [1.9, 2.3]".
    var told: String { VerdictText(question: question, result: contest).told(finding) }

    /// Its bearing on the claim, in a few words.
    var word: String {
        switch outcome {
        case .reproduced: "as published"
        case .otherSize: "as published, in another size"
        case .refuted: "not as published"
        case .undecided: "open"
        }
    }
}
