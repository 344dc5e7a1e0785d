import Foundation

// For `scripts/statistics-campaign`: tests the verdicts and the rule of the gate on simulated noise.
let arguments = CommandLine.arguments.dropFirst().map { UInt64($0) ?? 0 }
guard arguments.count <= 2, arguments.first.map({ (300...1_000_000).contains($0) }) ?? true else {
    FileHandle.standardError.write(
        Data("usage: StatisticsCampaign [REPORTS (from 300 to 1000000) [SEED]]\n".utf8))
    exit(64)
}
let seed = arguments.count > 1 ? arguments[1] : 1
let reports = [
    StatisticsSelfTest(seed: seed).report(),
    VerdictSelfTest(seed: seed, reportCount: Int(arguments.first ?? 1_000)).report(),
]
print(reports.map(\.description).joined(separator: "\n\n"))
exit(reports.allSatisfy(\.hasPassed) ? 0 : 70)
