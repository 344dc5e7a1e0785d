import Foundation
import Measuring
import Reports
import RunRecords
import Synchronization

/// Counts how the cost of a row grows with the number of rows, and judges it by the workload's
/// rules.
///
/// Only instructions show that a longer list is walked: statements and allocations stay the same,
/// and times vary. For each cell one process does the work at both sizes under callgrind, which
/// writes its counts at each ``GrowthMark``. No base is needed, since growth is a fault by itself.
struct GrowthPass {
    let workloads: [Workload]
    let timeout: Duration
    let note: @Sendable (String) -> Void

    fileprivate struct Place: Sendable {
        var workload: Workload
        var cell: Cell
        var identifier: String
        var limit: Double
    }

    private var places: [Place] {
        workloads.filter { $0.kind.work == .growth }.flatMap { workload in
            workload.cells.map { cell in
                let identifier = workload.identifier(of: cell)
                return Place(
                    workload: workload, cell: cell, identifier: identifier,
                    limit: workload.growthLimit(of: identifier))
            }
        }
    }

    /// One row for each cell.
    ///
    /// - Parameter folder: for the workers' stores; created and removed here.
    /// - Throws: the errors of starting a process or writing to the disk.
    func judge(in folder: URL) throws -> PairedGate.Findings {
        var findings = PairedGate.Findings()
        let places = places
        guard !places.isEmpty else { return findings }
        guard Valgrind.isAvailable else {
            findings.rows += places.map {
                $0.row("valgrind and strip are missing: \(Valgrind.installation)")
            }
            return findings
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let executable = try Valgrind.strippedCopy(of: Executable.url, in: folder)
        let results = Mutex<[Int: Result<Comparison, any Error>]>([:])
        // Valgrind runs one thread of a process at a time, and other processes do not change its
        // counts.
        DispatchQueue.concurrentPerform(iterations: places.count) { index in
            let result = Result {
                try count(
                    places[index], executable, in: folder.appendingPathComponent("\(index)"))
            }
            results.withLock { $0[index] = result }
        }
        for (index, result) in results.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            do {
                findings.rows.append(try result.get())
            } catch let failure as WorkerFailure {
                let place = places[index]
                findings.unsoundCells.append(
                    UnsoundCell(
                        failure, workload: place.workload.name, cell: place.identifier))
            } catch is Interrupted {
                findings.isInterrupted = true
            }
        }
        return findings
    }

    private func count(_ place: Place, _ executable: URL, in folder: URL) throws -> Comparison {
        guard !Interruption.isRequested else { throw Interrupted() }
        note("growth of \(place.workload.name) \(place.identifier)")
        let preparation = try Preparation(folder: folder, timeout: timeout)
        let arm = PairedArm(workload: place.workload, cell: place.cell)
        return try preparation.withJob(for: arm, seed: CountingPass.seed) { job in
            let report = job.folder.appendingPathComponent("callgrind.out")
            let launch = Valgrind.launch(
                executable,
                [
                    "--tool=callgrind", "--dump-before=\(GrowthMark.pattern)",
                    "--callgrind-out-file=\(report.path)",
                ])
            _ = try WorkerProcess.run(job, launch, timeout: timeout).verifiedSample
            // The counts before the mark that ends an operation: the second mark for few rows, the
            // fourth for many.
            let totals = try [2, 4].map {
                try Valgrind.total(in: URL(fileURLWithPath: "\(report.path).\($0)"))
            }
            guard let few = totals[0], let many = totals[1] else {
                return place.row("callgrind did not find the operations")
            }
            return place.row(few: few, many: many)
        }
    }
}

extension GrowthPass.Place {
    fileprivate func row(few: Int64, many: Int64) -> Comparison {
        let counts = GrowthRowCounts(cell.parameters)
        return Comparison(
            growthOf: .instructions, workload: workload.name, cell: identifier,
            few: Double(few) / Double(counts.few), many: Double(many) / Double(counts.many),
            limit: limit)
    }

    fileprivate func row(_ reason: String) -> Comparison {
        Comparison(
            workload: workload.name, cell: identifier, metric: .instructions,
            rule: .growth(limit: limit), verdict: .inconclusive, reason: reason)
    }
}
