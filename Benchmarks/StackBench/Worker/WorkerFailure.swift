import RunRecords

/// Why a worker has no valid measurement.
struct WorkerFailure: Error, Codable, Sendable {
    var reason: String
    /// Whether the worker finished with a wrong answer; otherwise it threw, crashed or hung.
    var isWrongAnswer = false

    /// The same failure, with the attempted action before the reason.
    func during(_ attempt: String) -> WorkerFailure {
        WorkerFailure(reason: "\(attempt): \(reason)", isWrongAnswer: isWrongAnswer)
    }
}

extension WorkloadOutcome {
    /// The sample of a verified outcome.
    ///
    /// - Throws: ``WorkerFailure`` if the answer is wrong.
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
    /// The worker's result or its failure, so that both can be stored and returned again.
    ///
    /// - Throws: any other error of `body`.
    static func ofWorker(_ body: () throws -> Success) throws -> Self {
        do {
            return .success(try body())
        } catch let failure as WorkerFailure {
            return .failure(failure)
        }
    }
}
