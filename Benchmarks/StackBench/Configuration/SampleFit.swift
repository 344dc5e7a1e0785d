import Measuring

/// How long a sample of a workload should last, about. The flights of all its cells are reduced in
/// proportion to a sample of one subject on the machine of the run; they are never increased.
struct SampleFit: Sendable {
    /// The subject that is likely to be the fastest.
    var subject: Subject
    var seconds: Double
}

extension Workload {
    /// Reads `fit: { subject: single, seconds: 2 }`.
    func fit(_ node: ConfigurationNode) throws -> SampleFit {
        guard kind.usesDataset else {
            throw node.error("the kind \(kind.name) makes its own rows; remove fit")
        }
        let entries = try node.mapping(allowing: ["subject", "seconds"])
        let name = try entries.required("subject").choice("subject", of: subjects.map(\.name))
        return SampleFit(
            subject: subjects.first { $0.name == name }!,
            seconds: try entries.required("seconds").number(in: 0.1...600))
    }

    /// The workload with as many flights as the sample of ``fit`` shows to take so long.
    ///
    /// - Parameter seconds: the time of a sample with `count` flights.
    func fitted(_ fit: SampleFit, count: Int, seconds: Double) -> Workload {
        var workload = self
        let fitting = Double(count) * fit.seconds / seconds
        // Whole thousands read better, and no machine is so steady.
        workload.flightCount = min(count, max(1_000, Int(fitting / 1_000) * 1_000))
        return workload
    }
}
