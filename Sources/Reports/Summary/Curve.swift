import Measuring
import RunRecords

/// The groups of a workload along the one numeric parameter that varies. `nil` unless exactly one
/// parameter varies, with three values or more, all numbers, and one machine measured all of them.
struct Curve {
    let parameter: String
    /// The groups, in ascending order of the parameter.
    let groups: [WorkloadSummary.Group]

    init?(_ summary: WorkloadSummary) {
        guard let parameter = summary.varyingParameters.first,
            summary.varyingParameters.count == 1, summary.groups.count >= 3
        else { return nil }
        let keyed = summary.groups.compactMap { group in
            group.parameters[parameter].flatMap { Double($0) }.map { (value: $0, group: group) }
        }
        guard keyed.count == summary.groups.count, summary.shards.count <= 1 else { return nil }
        self.parameter = parameter
        groups = keyed.sorted { $0.value < $1.value }.map(\.group)
    }
}
