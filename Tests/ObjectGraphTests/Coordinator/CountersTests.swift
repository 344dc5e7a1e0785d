import Testing

@testable import ObjectGraph

@Suite struct `Counters of a coordinator` {
    @Test func `the list has each counter once, and sums add all of them`() {
        let names = Mirror(reflecting: Counters()).children.compactMap(\.label)
        #expect(Counters.all.map(\.name) == names)
        var one = Counters()
        for (number, counter) in Counters.all.enumerated() {
            one[keyPath: counter.count] = Int64(number + 1)
        }
        #expect([one.statements, one.rowsRead, one.mergedObjects] == [1, 2, 11])
        var sum = one
        sum += one
        #expect(Counters.all.map { sum[keyPath: $0.count] } == (1...11).map { $0 * 2 })
    }
}
