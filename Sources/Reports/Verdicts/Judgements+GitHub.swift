import Foundation
import Measuring
import RunRecords

extension Judgements {
    /// Workflow commands that GitHub shows beside a change: an error for a failure, a warning if
    /// something cannot be judged, a notice for an improvement. One line each; empty if there are
    /// none.
    ///
    /// Source: GitHub's "Workflow commands for GitHub Actions".
    public var annotations: String {
        all.compactMap(\.annotation).map { $0 + "\n" }.joined()
    }
}

extension Judgement {
    fileprivate var annotation: String? {
        let level: String
        switch outcome {
        case .held: return nil
        case .improved: level = "notice"
        case .open: level = "warning"
        case .failed, .broken: level = "error"
        }
        let title = Self.escaped("\(workload) \(subject)", also: [":", ","])
        return "::\(level) title=\(title)::\(Self.escaped(sentence, also: []))"
    }

    /// Replaces the characters that end a command or one of its properties by their codes.
    private static func escaped(_ text: String, also further: Set<Unicode.Scalar>) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            let isPlain = !["%", "\r", "\n"].contains(scalar) && !further.contains(scalar)
            result += isPlain ? String(scalar) : String(format: "%%%02X", scalar.value)
        }
    }
}
