import Testing

@testable import ObjectGraph

/// The choice among steps, on graphs without models.
@Suite struct `Paths of migrations (§9.7)` {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String

        /// The edges as texts: `0-1` in place, `0=1` mapped.
        let edges: [String]
        let end: Int
        let path: [Int]?
    }

    static let cases = [
        Case(testDescription: "one step", edges: ["0-1"], end: 1, path: [1]),
        Case(testDescription: "nothing to do", edges: ["0-1"], end: 0, path: []),
        Case(testDescription: "no step", edges: [], end: 1, path: nil),
        Case(testDescription: "only a step back", edges: ["1-0"], end: 1, path: nil),
        Case(
            testDescription: "a direct step before a chain", edges: ["0-1", "1-2", "0-2"], end: 2,
            path: [2]),
        Case(testDescription: "a chain", edges: ["0-1", "1-2", "2-3"], end: 3, path: [1, 2, 3]),
        Case(
            testDescription: "a long chain in place before one mapped step",
            edges: ["0-1", "1-2", "2-3", "0=3"], end: 3, path: [1, 2, 3]),
        Case(
            testDescription: "one mapped step before two", edges: ["0=1", "1=3", "0-2", "2=3"],
            end: 3, path: [2, 3]),
        Case(
            testDescription: "of paths with as many mapped steps the shortest",
            edges: ["0-1", "1-2", "2=3", "0=3"], end: 3, path: [3]),
        Case(
            testDescription: "of equal paths that over the earliest node",
            edges: ["0-2", "2-3", "0-1", "1-3"], end: 3, path: [1, 3]),
        Case(
            testDescription: "a detour around a dead end", edges: ["0-1", "0=2", "2-3"], end: 3,
            path: [2, 3]),
        Case(
            testDescription: "a circle", edges: ["0-1", "1-0", "1-2", "2-1", "2-3"], end: 3,
            path: [1, 2, 3]),
    ]

    @Test(arguments: cases)
    func `the fewest mapped steps, then the fewest steps (§9.7.2)`(_ example: Case) {
        var asked: Set<[Int]> = []
        let path = MigrationPath.cheapest(from: 0, to: example.end, count: 4) { from, to in
            #expect(asked.insert([from, to]).inserted)
            if example.edges.contains("\(from)-\(to)") { return .inPlace }
            return example.edges.contains("\(from)=\(to)") ? .mapped : nil
        }
        #expect(path == example.path)
    }
}
