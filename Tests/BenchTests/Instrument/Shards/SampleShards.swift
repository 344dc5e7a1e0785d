import Foundation
import Reports
import RunRecords

/// The shards of a sample run, as so many machines would have measured them.
enum SampleShards {
    static func of(_ run: Run, count: Int) -> [(path: String, run: Run)] {
        let plan = run.workloads.map { workload in
            var workload = workload
            for place in workload.cells.indices {
                let cell = workload.cells[place]
                workload.cells[place] = CellResult(
                    subject: cell.subject, role: cell.role, lockPolicy: cell.lockPolicy,
                    parameters: cell.parameters)
            }
            return workload
        }
        let sharding = Sharding(plan, costs: plan.map { $0.cells.map { _ in 1 } }, count: count)
        return (1...count).map { number in
            let cells = sharding.cells(of: number)
            var part = run
            part.name = "shard-\(number)"
            part.startedAt += Double(number)
            part.commandLine.append("--shard=\(number)/\(count)")
            part.environment.identity.cpuModel = "Processor \(number)"
            part.workloads = run.workloads.compactMap { workload in
                guard let own = cells[workload.name] else { return nil }
                var workload = workload
                workload.cells.removeAll { !own.contains($0.identifier) }
                workload.questions = workload.questions?.map { question in
                    var question = question
                    question.contests.removeAll { !own.contains($0.cells[0]) }
                    return question
                }
                return workload
            }
            part.shard = Shard(number: number, count: count, cells: cells, plan: plan)
            return (path: "results/shard-\(number)", run: part)
        }
    }
}
