import Foundation

extension Judgements {
    /// Workflow commands that GitHub shows beside a change: an error for what failed, a warning for
    /// what could not be judged, a notice for what improved; a line each, empty for none.
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

    /// The characters that end a command or one of its properties, as their codes.
    private static func escaped(_ text: String, also further: Set<Unicode.Scalar>) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            let isPlain = !["%", "\r", "\n"].contains(scalar) && !further.contains(scalar)
            result += isPlain ? String(scalar) : String(format: "%%%02X", scalar.value)
        }
    }
}
