import ArgumentParser
import Foundation
import Reports
import RunRecords

/// Diagnoses whether this machine can measure.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Say whether this machine can measure, and what would help.",
        discussion: "Exits 69 when a probe that is needed for counts does not work.")

    func run() throws {
        let findings = Diagnosis.all()
        print(
            AlignedLines(findings.map { [$0.grade.mark, $0.subject, $0.finding, $0.advice ?? ""] }))
        if findings.contains(where: { $0.grade == .broken }) {
            throw ArgumentParser.ExitCode(RunRecords.ExitCode.probeUnavailable.rawValue)
        }
    }
}
