import RunRecords

extension ThresholdReport {
    /// A line for each crossed rule.
    var crossedLines: [String] { verdicts.filter(\.isCrossed).map { escaped("\($0)") } }

    /// For a report: a line for each rule that could not be judged, and the number of rules that
    /// held.
    var otherLines: [String] {
        let open = verdicts.filter(\.isOpen)
        let heldCount = verdicts.count { !$0.isCrossed && !$0.isOpen }
        return open.map { escaped("\($0)") } + (heldCount > 0 ? ["✓ \(heldCount) held"] : [])
    }
}
