import Benchmarking

/// What the clients of a load do, phase after phase, and what must hold in the end.
struct LoadPlan: Codable, Hashable, Sendable {
    /// An operation of the mix.
    struct Part: Codable, Hashable, Sendable {
        var operation: LoadOperation
        /// How often it is taken, in proportion to the others of the same client.
        var weight: Double
        var keys: KeyDistribution
    }

    var mix: [Part]
    var phases: [LoadPhase]
    /// What a cell must keep to be right. All of it is counted, asked for or not.
    var checks: Set<LoadCheck>
    /// The capacity of which open phases take a share; nil for the subject's own.
    var capacity: Capacity?

    /// What the clients did in a closed phase, all writers and all readers together.
    struct Capacity: Codable, Hashable, Sendable {
        var writesPerSecond: Double
        var readsPerSecond: Double
    }

    /// The weights of a client's mix: writers take the writing operations, readers the others.
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

    /// The medians of its readings; nil where there are none.
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
    /// The parts of the capacity: whoever starves its writers may have the largest sum.
    static let writesPerSecond = Metric(
        "writesPerSecond", title: "writes/s", unit: .perSecond, polarity: .higherIsBetter)
    static let readsPerSecond = Metric(
        "readsPerSecond", title: "reads/s", unit: .perSecond, polarity: .higherIsBetter)
}

/// What a client of a load can do.
enum LoadOperation: String, Codable, Sendable, CaseIterable {
    /// Inserts new items and saves.
    case insert
    /// Adds 1 to the quantity of items that were there from the beginning, and saves.
    case update
    /// Deletes the oldest items that the writer itself has inserted, and saves; without any it inserts.
    case delete
    /// Reads an item by its identifier.
    case read
    /// Fetches the items from a number on, as a list does that is scrolled to it.
    case page
    /// Counts items by a scan of all.
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

/// What must hold of a load.
enum LoadCheck: String, Codable, Sendable, CaseIterable {
    /// The store has the items that were there and inserted, without those deleted, once each.
    case rows
    /// Each item was changed as often as a writer was told so.
    case lostUpdates
    /// A read shows at least what was saved before it began.
    case staleReads
    /// At rest, the view shows what the store has.
    case undeliveredMerges
}
