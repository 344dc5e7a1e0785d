import Measuring

/// The exit codes of `bench`. 1 and 2 are unused, because shells, make and the package manager use
/// them for their own purposes.
public enum ExitCode: Int32, Sendable, CaseIterable {
    case success = 0
    case regression = 10
    case thresholdCrossed = 11
    case inconclusive = 12
    case wrongAnswer = 13
    case crash = 14
    case noBaseline = 15
    case difference = 16
    case usage = 64
    case probeUnavailable = 69
    case internalError = 70
    case interrupted = 130

    public var meaning: String {
        switch self {
        case .success: "all checks hold"
        case .regression: "a regression was confirmed"
        case .thresholdCrossed: "a threshold is crossed"
        case .inconclusive: "something could not be judged"
        case .wrongAnswer: "an answer was wrong"
        case .crash: "a subject crashed or timed out"
        case .noBaseline: "the baseline is missing or not comparable"
        case .difference: "a store differs from a model"
        case .usage: "the command or a file is wrong"
        case .probeUnavailable: "a requested probe is not available"
        case .internalError: "an error inside bench"
        case .interrupted: "interrupted; finished work is kept"
        }
    }
}
