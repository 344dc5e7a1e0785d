import Measuring
import RunRecords

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
                "[\(escaped(result.claim.sentence))](#\(result.claim.id))",
                escaped(result.claim.published), result.here, result.verdict.title,
            ])
        }
        return table
    }

    public var terminalText: String {
        var table = ReportTable([("claim", .left), ("verdict", .left), ("here", .left)])
        for result in results {
            table.append([escaped(result.claim.id), result.verdict.title, result.here])
        }
        return "\(headline)\n\n\(table.terminalText())"
    }

    var markdown: String {
        let claims = results.map { result in
            let claim = result.claim
            let details = result.details.map { "- \($0)" }.joined(separator: "\n")
            let causes = result.causes.map { "- \($0)" }.joined(separator: "\n")
            let paragraphs = [
                "### \(claim.id)", escaped(claim.sentence),
                "\(escaped(claim.source.line)): \(escaped(claim.published))",
                (["**\(result.verdict.title)**"] + [result.bounds].compactMap(\.self))
                    .joined(separator: ". "),
                details, causes.isEmpty ? "" : "In one traced sample of each side:", causes,
                result.scope,
                result.claim.command.map { "Run it yourself: `\($0)`" } ?? "",
            ]
            return paragraphs.filter { !$0.isEmpty }.joined(separator: "\n\n")
        }
        return
            (["# Published claims", "**\(headline)**", table.markdown] + claims + [
                "Run \(escaped(run.name)), made by `swift run \(run.commandLine.joined(separator: " "))`: "
                    + Provenance.line(run.startedAt, run.build, run.environment)
            ]).joined(separator: "\n\n") + "\n"
    }
}
