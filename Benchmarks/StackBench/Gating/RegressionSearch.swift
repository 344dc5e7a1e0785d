import Foundation
import Measuring
import RunRecords

/// Looks for what grew most between two arms of a cell that regressed.
struct RegressionSearch {
    private static let shownCount = 3

    let base: PairedArm
    let head: PairedArm
    let seed: UInt64
    let preparation: Preparation

    /// A phrase for each, as "ran SELECT on ZFLIGHT: 9 → 18 events"; empty if nothing was found.
    ///
    /// - Parameter countsInstructions: Whether valgrind may be used.
    /// - Throws: ``Interrupted``, and the errors of starting a process or writing to the disk.
    func phrases(countsInstructions: Bool) throws -> [String] {
        try events() + (countsInstructions ? instructions() : [])
    }

    /// By the number of events, which repeats; then by their time, which does not.
    private func events() throws -> [String] {
        // A base from before tracing refuses the option.
        guard let old = try shares(of: base), let new = try shares(of: head) else { return [] }
        let grown = new.compactMap { activity, share -> (phrase: String, growth: Int)? in
            let before = old[activity]?.count ?? 0
            guard share.count > before else { return nil }
            return (
                "\(activity): \(before.formatted()) → \(share.count.formatted()) events",
                share.count - before
            )
        }
        return grown.sorted { ($0.growth, $0.phrase) > ($1.growth, $1.phrase) }
            .prefix(Self.shownCount).map(\.phrase)
    }

    private func shares(of arm: PairedArm) throws -> [String: TracedSample.Share]? {
        do {
            let trace = try TracePass.run(arm, preparation: preparation).trace
            return trace.map { trace in
                Dictionary(grouping: trace.mainQueue + trace.others, by: \.activity).mapValues {
                    $0.dropFirst().reduce(into: $0[0]) {
                        $0.count += $1.count
                        $0.seconds += $1.seconds
                    }
                }
            }
        } catch is WorkerFailure {
            return nil
        }
    }

    private func instructions() throws -> [String] {
        guard
            let old = try InstructionPass.functions(base, seed: seed, preparation: preparation),
            let new = try InstructionPass.functions(head, seed: seed, preparation: preparation)
        else { return [] }
        let grown = new.map { name, count in (name: name, growth: count - old[name, default: 0]) }
        return grown.filter { $0.growth > 0 }
            .sorted { ($0.growth, $0.name) > ($1.growth, $1.name) }.prefix(Self.shownCount).map {
                "\(Demangler.text(of: $0.name)): +\(Int64($0.growth).formatted()) instructions"
            }
    }
}
