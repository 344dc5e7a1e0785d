import Benchmarking
import Foundation

/// The worker's side of taking turns: waits for its parent's word, works, and tells what it took.
///
/// Two readings of the clocks a turn, a comparison an operation: that is all that it adds.
final class TurnTaker {
    private let parent: ParentConnection
    private let injector: Injector?
    private let isCounting: Bool
    /// Of all turns together.
    private(set) var operationCount = 0
    private var ordered: Int?
    private var isReady = false

    init(_ job: WorkerJob, parent: ParentConnection) throws {
        self.parent = parent
        isCounting = job.isCounting ?? false
        injector = try Injector(job)
    }

    /// Waits until the parent wants another turn; false when it wants no more. The first call tells
    /// the parent that everything is prepared.
    func isWanted() -> Bool {
        if !isReady { parent.send(.ready) }
        isReady = true
        guard case .work(let count) = parent.nextOrder() else { return false }
        ordered = count
        return true
    }

    /// Does the work as often as was ordered, or once where every time needs preparing, and replies.
    ///
    /// - Parameter isLast: whether it cannot be done again.
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
