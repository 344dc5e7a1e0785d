/// What each kind of workload does, by its name in ``WorkloadKind``. This is the one place where
/// a kind is registered.
enum WorkloadFunctions {
    /// Prepares, measures and verifies one sample, in a process of its own.
    typealias Function = @Sendable (WorkerContext) throws -> WorkloadOutcome

    static let all: [String: Function] = [
        "import": ImportWorkload.run,
        "batch-insert": BatchInsertWorkload.run,
        "batch-update": BatchUpdateWorkload.run,
        "paging": PagingWorkload.run,
        "predicates": PredicatesWorkload.run,
        "faulting": FaultingWorkload.run,
        "responsiveness": ResponsivenessWorkload.run,
        "engine": EngineWorkload.run,
        "load": LoadWorkload.run,
    ]
}
