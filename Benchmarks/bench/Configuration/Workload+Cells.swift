/// One subject under one lock policy and one value of each parameter: what is measured as a whole.
struct Cell: Sendable {
    var subject: Subject
    /// Nil for subjects that have none.
    var lockPolicy: String?
    /// A value of every parameter of the kind.
    var parameters: [String: String]

    /// The same number for the same cell in every process, unlike `hashValue`, so that cells that
    /// share a seed still choose differently. Source: FNV-1a.
    var fingerprint: UInt64 {
        let values = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let text = ([subject.name, lockPolicy ?? ""] + values).joined(separator: "/")
        return text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

extension Workload {
    /// Every combination of subject, lock policy and parameter values that exists and is not excluded.
    var cells: [Cell] {
        allCells.filter { cell in !exclusions.contains { $0.matches(cell) } }
    }

    var allCells: [Cell] {
        subjects.flatMap { subject in
            let policies: [String?] = subject.hasLockPolicy ? lockPolicies : [nil]
            return policies.flatMap { lockPolicy in
                combinations(for: subject).map {
                    Cell(subject: subject, lockPolicy: lockPolicy, parameters: $0)
                }
            }
        }
    }

    /// The parameters that have one value here; the others tell the cells apart.
    var sharedParameters: [String: String] {
        parameters.filter { $0.value.count == 1 }.mapValues { $0[0] }
    }

    private func combinations(for subject: Subject) -> [[String: String]] {
        kind.parameters.reduce([[:]]) { partial, parameter in
            let values = parameters[parameter.name, default: []].filter {
                subject.group != .peer || !parameter.stackOnlyValues.contains($0)
            }
            return partial.flatMap { combination in
                values.map { combination.merging([parameter.name: $0]) { _, new in new } }
            }
        }
    }
}
