import Benchmarking

/// Why a worker measured nothing that can be believed.
struct WorkerFailure: Error, Codable, Sendable {
    var reason: String
    /// Whether it ran to its end with a wrong answer; else it threw, crashed or hung.
    var isWrongAnswer = false

    /// The same, with what was attempted before the reason.
    func during(_ attempt: String) -> WorkerFailure {
        WorkerFailure(reason: "\(attempt): \(reason)", isWrongAnswer: isWrongAnswer)
    }
}

extension WorkloadOutcome {
    /// What a right answer comes with.
    ///
    /// - Throws: ``WorkerFailure`` when the answer is wrong.
    var verifiedSample: Sample {
        get throws {
            if case .failed(let reason) = verification {
                throw WorkerFailure(reason: reason, isWrongAnswer: true)
            }
            return sample
        }
    }
}

extension UnsoundCell {
    init(_ failure: WorkerFailure, workload: String, cell: String) {
        self.init(
            workload: workload, cell: cell, isWrongAnswer: failure.isWrongAnswer,
            reason: failure.reason)
    }
}

extension Result where Failure == WorkerFailure {
    /// What the worker gave, or its failure, to be kept and given again.
    ///
    /// - Throws: what `body` throws besides.
    static func ofWorker(_ body: () throws -> Success) throws -> Self {
        do {
            return .success(try body())
        } catch let failure as WorkerFailure {
            return .failure(failure)
        }
    }
}
