import Measuring
import RunRecords

/// The verdicts of an earlier run on claims.
public struct EarlierVerdicts {
    /// The folder of the run.
    private let name: String
    private let verdicts: [String: ClaimVerdict]

    /// Reads `verdict.json`.
    ///
    /// - Throws: ``RunDirectoryError/missing(path:)`` without such a file,
    ///   ``RunDirectoryError/unsupportedSchema(path:found:)`` if another version wrote it,
    ///   ``RunDirectoryError/unreadable(path:reason:)`` if it has no claims.
    public init(of directory: RunDirectory) throws {
        struct Verdicts: Decodable {
            var claims: [VerdictFile.Claim]
        }
        let file = directory.url.appendingPathComponent("verdict.json")
        let claims = try directory.load(Verdicts.self, schema: VerdictFile.schema, from: file)
            .claims
        name = directory.url.relativePath
        verdicts = Dictionary(claims.map { ($0.id, $0.verdict) }, uniquingKeysWith: { $1 })
    }

    /// How the verdicts of a later run differ. Claims that only one run has are left out.
    public func changes(in run: Run) -> ClaimChanges {
        ClaimChanges(
            since: name,
            changes: run.claimResults.compactMap { result in
                guard let before = verdicts[result.claim.id], before != result.verdict else {
                    return nil
                }
                return ClaimChanges.Change(
                    id: result.claim.id, before: before, now: result.verdict)
            })
    }
}

/// How the verdicts on claims differ from those of an earlier run.
public struct ClaimChanges {
    let since: String
    let changes: [Change]

    struct Change {
        let id: String
        let before: ClaimVerdict
        let now: ClaimVerdict

        /// From reproduced, or the same direction, to refuted, or back.
        var isReversal: Bool {
            Set([before, now]) == [.reproduced, .refuted]
                || Set([before, now]) == [.directionOnly, .refuted]
        }
    }

    /// Whether a verdict went from reproduced to refuted, or back.
    public var haveReversals: Bool { changes.contains(where: \.isReversal) }

    public var terminalText: String {
        var table = ReportTable([("claim", .left), ("then", .left), ("now", .left)])
        let reversals = changes.filter(\.isReversal)
        for change in reversals + changes.filter({ !$0.isReversal }) {
            table.append([escaped(change.id), change.before.title, change.now.title])
        }
        let count = reversals.isEmpty ? "no verdict" : "\(reversals.count)"
        let headline =
            "Since \(since) \(count) went from reproduced to refuted or back, and "
            + "\(changes.count - reversals.count) changed otherwise."
        return changes.isEmpty ? headline : "\(headline)\n\n\(table.terminalText())"
    }
}
