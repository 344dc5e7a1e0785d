/// Why a comparison with a baseline has nothing to say.
public enum ComparisonError: Error, Hashable {
    case nothingShared(base: String, head: String)
    /// A base from another toolchain, SQLite, kind of build or data set: what differs, a line each.
    case otherConditions([String])
}

extension ComparisonError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .nothingShared(let base, let head):
            "\(base) and \(head) have no cell in common: same workload, parameters and subject"
        case .otherConditions(let differences):
            "the base was made under other conditions: \(differences.joined(separator: "; ")). "
                + "Make both under the same, a baseline with scripts/gate --keep NAME"
        }
    }
}
