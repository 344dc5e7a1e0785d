import Measuring

/// Why a comparison with a baseline has no result.
public enum ComparisonError: Error, Hashable {
    case nothingShared(base: String, head: String)
    /// The base was made under other conditions, such as the toolchain or the data set: one text
    /// for each difference.
    case otherConditions([String])
}

extension ComparisonError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .nothingShared(let base, let head):
            "\(base) and \(head) have no cell in common; "
                + "cells match if workload, subject and parameters are the same"
        case .otherConditions(let differences):
            "the base was made under other conditions: \(differences.joined(separator: "; ")). "
                + "Make both under the same conditions; scripts/gate --keep NAME makes a baseline"
        }
    }
}
