import Measuring
import RunRecords

/// The operations and phases of a load, and the checks of its result.
struct LoadPlan: Codable, Hashable, Sendable {
    struct Part: Codable, Hashable, Sendable {
        var operation: LoadOperation
        /// How often it is chosen, in proportion to the client's other operations.
        var weight: Double
        var keys: KeyDistribution
    }

    var mix: [Part]
    var phases: [LoadPhase]
    /// The checks that decide whether a cell is right. All findings are counted in any case.
    var checks: Set<LoadCheck>
    /// The capacity that open phases take shares of; nil for the subject's own.
    var capacity: Capacity?

    /// The rates of all writers and all readers in a closed phase.
    struct Capacity: Codable, Hashable, Sendable {
        var writesPerSecond: Double
        var readsPerSecond: Double
    }

    /// The weights of a client's mix: writers do the writing operations, readers the others.
    func weights(isWriter: Bool) -> [Double] {
        mix.map { $0.operation.isWriting == isWriter ? $0.weight : 0 }
    }

    func hasOperations(isWriter: Bool) -> Bool {
        mix.contains { $0.operation.isWriting == isWriter }
    }
}

extension LoadPlan.Capacity {
    init(_ closed: LoadPhaseResult, of plan: LoadPlan) {
        func perSecond(isWriting: Bool) -> Double {
            let counts = zip(plan.mix, closed.service).map { part, recorder in
                part.operation.isWriting == isWriting ? recorder.count : 0
            }
            return Double(counts.reduce(0, +)) / closed.seconds
        }
        self.init(
            writesPerSecond: perSecond(isWriting: true), readsPerSecond: perSecond(isWriting: false)
        )
    }

    /// The medians of the readings; nil without readings.
    init?(_ capacity: LoadCapacity) {
        guard let writes = Statistics.median(capacity.writesPerSecond),
            let reads = Statistics.median(capacity.readsPerSecond)
        else { return nil }
        self.init(writesPerSecond: writes, readsPerSecond: reads)
    }

    init?(_ sample: Sample) {
        guard let writes = sample[.writesPerSecond], let reads = sample[.readsPerSecond] else {
            return nil
        }
        self.init(writesPerSecond: writes, readsPerSecond: reads)
    }
}

extension Metric {
    /// The parts of the capacity, because a subject that starves its writers may have the largest
    /// sum.
    static let writesPerSecond = Metric(
        "writesPerSecond", title: "writes/s", unit: .perSecond, polarity: .higherIsBetter)
    static let readsPerSecond = Metric(
        "readsPerSecond", title: "reads/s", unit: .perSecond, polarity: .higherIsBetter)
}

/// An operation of a load's client.
enum LoadOperation: String, Codable, Sendable, CaseIterable {
    /// Inserts new items and saves.
    case insert
    /// Adds 1 to the quantity of some of the first items and saves.
    case update
    /// Deletes the writer's own oldest items and saves; inserts if there are none.
    case delete
    /// Reads an item by its identifier.
    case read
    /// Fetches items from a number on, like a list that is scrolled to it.
    case page
    /// Counts items by scanning all of them.
    case count

    var isWriting: Bool {
        switch self {
        case .insert, .update, .delete: true
        case .read, .page, .count: false
        }
    }

    /// Whether it works on items that a distribution chooses.
    var takesKeys: Bool {
        switch self {
        case .update, .read, .page: true
        case .insert, .delete, .count: false
        }
    }
}

/// A condition on the result of a load.
enum LoadCheck: String, Codable, Sendable, CaseIterable {
    /// The store has the first items and the inserted ones without the deleted ones, once each.
    case rows
    /// Each item was changed as often as writes were reported as saved.
    case lostUpdates
    /// A read shows at least what was saved before it began.
    case staleReads
    /// After all merges, the view shows what the store has.
    case undeliveredMerges
}
