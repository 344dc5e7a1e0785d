import Foundation

// For `scripts/statistics-campaign`: tests the verdicts, the rule of the gate and trends on simulated noise.
// For `scripts/compare-with-otava`: prints the simulated histories.
if CommandLine.arguments.dropFirst() == ["histories"] {
    print(SimulatedHistory.lines)
    exit(0)
}
let arguments = CommandLine.arguments.dropFirst().map { UInt64($0) ?? 0 }
guard arguments.count <= 2, arguments.first.map({ (300...1_000_000).contains($0) }) ?? true else {
    FileHandle.standardError.write(
        Data("usage: StatisticsCampaign [REPORTS (from 300 to 1000000) [SEED]] | histories\n".utf8))
    exit(64)
}
let seed = arguments.count > 1 ? arguments[1] : 1
let count = Int(arguments.first ?? 1_000)
let reports = [
    StatisticsSelfTest(seed: seed).report(),
    VerdictSelfTest(seed: seed, reportCount: count).report(),
    TrendSelfTest(seed: seed, historyCount: count).report(),
]
print(reports.map(\.description).joined(separator: "\n\n"))
exit(reports.allSatisfy(\.hasPassed) ? 0 : 70)
