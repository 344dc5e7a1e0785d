import Foundation
import Measuring

/// The worker's side of taking turns: waits for the parent's order, works, and reports the turn.
///
/// It adds little to the work: it reads the clocks twice per turn and compares once per operation.
final class TurnTaker {
    private let parent: ParentConnection
    private let injector: Injector?
    private let isCounting: Bool
    /// The sum over all turns.
    private(set) var operationCount = 0
    private var ordered: Int?
    private var isReady = false

    init(_ job: WorkerJob, parent: ParentConnection) throws {
        self.parent = parent
        isCounting = job.isCounting ?? false
        injector = try Injector(job)
    }

    /// Waits for an order; false when the parent wants no more turns. The first call reports to the
    /// parent that the worker is ready.
    func isWanted() -> Bool {
        if !isReady { parent.send(.ready) }
        isReady = true
        guard case .work(let count) = parent.nextOrder() else { return false }
        ordered = count
        return true
    }

    /// Does the work as often as ordered and replies.
    ///
    /// - Parameter once: whether to do it only once, since it needs preparation each time.
    /// - Parameter isLast: whether it cannot be repeated.
    func take<Result>(
        counting subject: (any CountingSubject)?, once: Bool = false, isLast: Bool = false,
        _ work: () throws -> Result
    ) rethrows -> Result {
        let count = once ? 1 : max(ordered ?? 1, 1)
        let counter = isCounting ? WorkCounter(subject) : nil
        let cpuSecondsBefore = ProcessProbe.cpuSeconds()
        let watch = Stopwatch()
        injector?.inOperation()
        var result = try work()
        for _ in 1..<count {
            injector?.inOperation()
            result = try work()
        }
        injector?.atEnd(ofTurn: watch)
        let seconds = watch.elapsedSeconds
        let cpuSeconds = ProcessProbe.cpuSeconds() - cpuSecondsBefore
        let counts = counter?.finish()
        operationCount += count
        parent.send(
            .turn(
                Turn(
                    operationCount: count, seconds: seconds, cpuSeconds: cpuSeconds, isLast: isLast,
                    counts: counts)))
        return result
    }
}
