import RunRecords

/// A claim about "request" against "loop", which takes a second.
enum SampleClaim {
    /// - Parameters:
    ///   - size: Where the ratio was published; nil for everywhere.
    ///   - seconds: The size of the data, and what a request takes there.
    static func run(
        expecting expected: Claim.Expectation, ratio: Double? = nil, at size: String? = nil,
        seconds: [(size: String, request: Double)], rounds: Int = 30
    ) -> Run {
        func cell(_ way: String, _ size: String, _ seconds: Double) -> CellResult {
            SampleRun.cell(
                "shared", (0..<rounds).map { seconds * (1 + 0.001 * Double($0 % 7)) },
                parameters: ["way": way, "size": size])
        }
        let pairs = seconds.map {
            [cell("loop", $0.size, 1), cell("request", $0.size, $0.request)]
        }
        var workload = SampleRun.workload(pairs.flatMap(\.self))
        workload.questions = [
            Question(
                id: "time", sentence: "Is a request faster?", axis: "way", metric: .time,
                sameWithin: 0.1,
                contests: zip(seconds, pairs).map { size, cells in
                    Contest(
                        label: "size \(size.size)", cells: cells.map(\.identifier),
                        values: ["loop", "request"], baseline: cells[0].identifier)
                })
        ]
        var run = SampleRun.run([workload])
        run.claims = [
            Claim(
                id: "claim", sentence: "A request is faster.",
                source: Claim.Source(author: "Someone", year: 2013, title: "A talk"),
                published: "",
                asks: [
                    Claim.Ask(
                        workload: "import", question: "time", value: "request",
                        expected: expected, ratio: ratio,
                        conditions: size.map { ["size": $0] } ?? [:])
                ], basis: .engine)
        ]
        return run
    }
}
