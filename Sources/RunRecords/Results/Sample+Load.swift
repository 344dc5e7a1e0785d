import Measuring

extension Sample {
    /// Adds the figures of a load:
    /// - the capacity, from its last recorded closed phase;
    /// - latencies, also of the main queue, from its last recorded open phase, or else from the
    ///   closed one.
    ///
    /// - Parameter operations: the names of the mix, in its order.
    public mutating func take(_ phases: [LoadPhaseResult], operations: [String]) {
        let recorded = phases.filter(\.phase.isRecorded)
        let closed = recorded.last { $0.phase.mode == .closed }
        let open = recorded.last { $0.phase.mode != .closed }
        self[.capacity] = closed?.operationsPerSecond
        self[.offeredRate] = open?.offeredPerSecond
        self[.achievedRate] = open?.operationsPerSecond
        self[.saturated] = open.map { $0.isSaturated ? 1 : 0 }
        self[.unserved] = open.map { Double($0.unservedCount) }
        guard let shown = open ?? closed else { return }
        take(shown.service, named: "service", operations)
        take(shown.intended, named: "intended", operations)
        latencies["mainQueue"] = shown.mainQueue
        if open != nil, let closed {
            latencies["closed.service"] = Self.all(closed.service).summary
        }
        if let timeline = open?.timeline { timelines = ["intended": timeline] }
    }

    /// Records all operations together under the name, and each one under its own name before it.
    private mutating func take(
        _ recorders: [LatencyRecorder], named name: String, _ operations: [String]
    ) {
        latencies[name] = Self.all(recorders).summary
        for (operation, recorder) in zip(operations, recorders) {
            latencies["\(operation).\(name)"] = recorder.summary
        }
    }

    private static func all(_ recorders: [LatencyRecorder]) -> LatencyRecorder {
        recorders.reduce(into: LatencyRecorder()) { $0.merge($1) }
    }
}

extension Metric {
    /// Operations a second if each client begins one as soon as its last one has ended.
    public static let capacity = Metric("capacity", unit: .perSecond, polarity: .higherIsBetter)
    /// Operations a second that were due in an open phase, and that were done in it.
    public static let offeredRate = Metric(
        "offeredRate", title: "offered", unit: .perSecond, polarity: .neither)
    public static let achievedRate = Metric(
        "achievedRate", title: "achieved", unit: .perSecond, polarity: .neither)
    /// 1 if less was done than was due; see ``LoadPhaseResult/isSaturated``.
    public static let saturated = Metric("saturated", unit: .count)
    /// Operations that were due but never begun.
    public static let unserved = Metric("unserved", unit: .count)
}
