import RunRecords
import Testing

@Suite struct `Sharding (measuring §14)` {
    private static let plan = SampleRun.full.workloads

    private static func sharding(_ plan: [WorkloadResult], count: Int) -> Sharding {
        Sharding(plan, costs: plan.map { $0.cells.map { _ in 1 } }, count: count)
    }

    /// A workload whose cells have a size each.
    private static func workload(
        _ name: String = "sizes", sizes: [String], subjects: [String] = ["a", "b"]
    ) -> WorkloadResult {
        var workload = SampleRun.workload(
            sizes.flatMap { size in
                subjects.map { SampleRun.cell($0, [1], parameters: ["size": size]) }
            })
        workload.name = name
        return workload
    }

    @Test(arguments: 1...7)
    func `every cell is in one shard, with those that it is compared with`(count: Int) {
        let sharding = Self.sharding(Self.plan, count: count)

        for (workload, numbers) in zip(Self.plan, sharding.numbers) {
            #expect(numbers.count == workload.cells.count)
            #expect(numbers.allSatisfy { (1...count).contains($0) })
            func shards(_ isOne: (CellResult) -> Bool) -> Set<Int> {
                Set(zip(workload.cells, numbers).filter { isOne($0.0) }.map(\.1))
            }
            for contest in (workload.questions ?? []).flatMap(\.contests) {
                #expect(shards { contest.cells.contains($0.identifier) }.count == 1)
            }
            for cell in workload.cells {
                #expect(shards { $0.parameters == cell.parameters }.count == 1)
            }
        }
        let parts = (1...count).map(sharding.cells)
        for workload in Self.plan {
            let found = parts.flatMap { $0[workload.name] ?? [] }
            #expect(found.sorted() == workload.cells.map(\.identifier).sorted())
        }
    }

    @Test func `cases that nothing compares are apart, and as dear as one another`() {
        let plan = [Self.workload(sizes: ["1", "2", "3", "4", "5", "6"])]
        let costs = [[6.0, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1]]

        let numbers = Sharding(plan, costs: costs, count: 3).numbers[0]

        #expect(numbers == [1, 1, 2, 2, 3, 3, 3, 3, 2, 2, 1, 1])
    }

    @Test func `a question keeps all of its sizes together`() {
        var workload = Self.workload(sizes: ["1", "2", "3"])
        let cells = workload.cells.filter { $0.subject == "a" }.map(\.identifier)
        workload.questions = [
            Question(
                id: "size", sentence: "Which size?", axis: "size", metric: .time, sameWithin: 0.1,
                contests: [Contest(label: "", cells: [cells[0], cells[2]], values: ["1", "3"])])
        ]

        let numbers = Self.sharding([workload], count: 3).numbers[0]

        #expect(numbers == [1, 1, 2, 2, 1, 1])
    }

    @Test func `a rule keeps a cell with the one that divides it`() {
        var workload = Self.workload(sizes: ["1", "2", "3"])
        workload.thresholds = [
            ThresholdRule(
                cell: "a/size=3", metric: "time", bound: .atMost(2),
                relativeTo: .init(parameters: ["size": "1"]))
        ]

        #expect(Self.sharding([workload], count: 3).numbers[0] == [1, 1, 2, 2, 1, 1])
    }

    @Test func `a case is measured at both sizes by one machine`() {
        let small = Self.workload("few", sizes: ["1", "2", "3", "4"])
        var full = Self.workload("many", sizes: ["1", "2", "3", "4"])
        full.smallName = "few"

        let numbers = Self.sharding([small, full], count: 4).numbers

        #expect(numbers[0] == numbers[1])
        #expect(Set(numbers[0]).count == 4)
    }

    @Test func `with more shards than cases some have no work`() {
        let sharding = Self.sharding([Self.workload(sizes: ["1", "2"])], count: 5)

        #expect((1...5).map { sharding.cells(of: $0).isEmpty } == [false, false, true, true, true])
    }
}
