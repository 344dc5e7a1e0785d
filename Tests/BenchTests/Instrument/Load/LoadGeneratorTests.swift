import Measuring
import RunRecords
import Testing

/// One client whose operations take a millisecond, unless a test gives other times.
private struct Station {
    let clock = ManualClock()
    let client: TimedClient
    var generator: LoadGenerator

    init(
        weights: [Double] = [1], seed: UInt64 = testSeed(), capacities: [Double]? = nil,
        taking nanoseconds: @escaping @Sendable (_ operation: Int, _ index: Int) -> UInt64 = {
            _, _ in 1_000_000
        }
    ) {
        client = TimedClient(clock, operationCount: weights.count, taking: nanoseconds)
        generator = LoadGenerator(
            [LoadGenerator.Participant(client, weights: weights)], seed: seed, clock: clock,
            capacities: capacities)
    }

    mutating func open(
        _ rate: LoadPhase.Rate, _ arrivals: ArrivalProcess = .fixed, seconds: Double
    ) throws -> LoadPhaseResult {
        try generator.run(LoadPhase(.open(rate, arrivals), .seconds(seconds)))
    }
}

@Suite struct `A load` {
    @Test func `a closed phase finds the capacity`() throws {
        var station = Station()
        let result = try station.generator.run(LoadPhase(.closed, .seconds(2)))
        #expect(result.operationCount == 2_000)
        #expect(abs(result.operationsPerSecond - 1_000) < 1e-6)
        #expect(result.service[0].percentile(0.99)! / 1_000 == 1_000)
        #expect(result.offeredPerSecond == nil)
        #expect(!result.isSaturated)
    }

    @Test func `a phase of a number of operations has exactly so many`() throws {
        var station = Station()
        for mode in [LoadPhase.Mode.closed, .open(.perSecond(100), .poisson)] {
            let result = try station.generator.run(LoadPhase(mode, .operations(137)))
            #expect(result.operationCount == 137)
        }
    }

    /// A client holds statements. Its store cannot be closed before they are released.
    @Test func `nobody holds a client when a phase is over`() throws {
        final class Idle: LoadClient {
            func perform(_ operation: Int) {}
        }
        for _ in 0..<300 {
            weak var first: Idle?
            do {
                let clients = [Idle(), Idle(), Idle()]
                first = clients[0]
                var generator = LoadGenerator(
                    clients.map { LoadGenerator.Participant($0, weights: [1]) }, seed: 1)
                _ = try generator.run(LoadPhase(.closed, .operations(1)))
            }
            #expect(first == nil)
        }
    }

    @Test func `an open phase does what is due, no more and no less`() throws {
        var station = Station()
        let result = try station.open(.perSecond(250), seconds: 4)
        #expect(result.operationCount == 1_000)
        #expect(result.offeredPerSecond == 250)
        #expect(!result.isSaturated)
        #expect(result.intended[0].summary == result.service[0].summary)
    }

    @Test func `a stall shows in the intended latency and not in the service`() throws {
        // A stall of 100 ms every 2 s, at half of the capacity (measuring §9, item 5).
        func result(stall: UInt64) throws -> LoadPhaseResult {
            var station = Station { _, index in
                index % 1_000 == 500 ? 1_000_000 + stall : 1_000_000
            }
            return try station.open(.perSecond(500), seconds: 60)
        }
        let calm = try result(stall: 0)
        let stalled = try result(stall: 100_000_000)
        // Both are in one bucket of the histogram.
        #expect(
            stalled.service[0].percentile(0.99)! <= calm.service[0].percentile(0.99)! * 1_001
                / 1_000)
        #expect(
            stalled.intended[0].percentile(0.99)! >= 10 * calm.intended[0].percentile(0.99)!)
    }

    @Test(arguments: [0.3, 0.5, 0.8])
    func `random arrivals wait as queueing theory says`(load: Double) throws {
        var station = Station()
        let result = try station.open(.perSecond(1_000 * load), .poisson, seconds: 1_000)
        let summary = try #require(result.intended[0].summary)
        let sum = summary.buckets.entries.reduce(0.0) { $0 + Double($1.nanoseconds * $1.count) }
        let mean = sum / Double(summary.count) / 1e6
        // Pollaczek–Khinchine formula for one server with a fixed service time of 1 ms.
        let expected = 1 + load / (2 * (1 - load))
        #expect(abs(mean / expected - 1) < 0.05)
    }

    @Test func `more than can be done is saturation`() throws {
        var station = Station()
        let result = try station.open(.perSecond(4_000), seconds: 1)
        #expect(result.isSaturated)
        // The phase gives up after twice its length. Operations that waited until then count as
        // waiting.
        #expect(result.operationCount == 2_000)
        #expect(result.unservedCount == 2_000)
        #expect(result.intended[0].count == 4_000)
        #expect(result.intended[0].maxNanoseconds! >= 1_000_000_000)
    }

    @Test func `arrivals that chance spreads out are no saturation`() throws {
        for seed in UInt64(0)..<200 {
            var station = Station(seed: seed)
            // A thousandth of the capacity: no operation has to wait.
            let result = try station.generator.run(
                LoadPhase(.open(.perSecond(1), .poisson), .operations(5)))
            #expect(!result.isSaturated, "seed \(seed)")
            #expect(result.unservedCount == 0, "seed \(seed)")
        }
    }

    @Test func `a phase does not inherit the queue of the one before`() throws {
        var station = Station()
        _ = try station.open(.perSecond(4_000), seconds: 1)
        let next = try station.open(.perSecond(100), seconds: 1)
        #expect(next.intended[0].maxNanoseconds == 1_000_000)
    }

    @Test func `a share is taken of the capacity that was measured`() throws {
        var station = Station()
        _ = try station.generator.run(LoadPhase(.closed, .seconds(1), isRecorded: false))
        let result = try station.open(.shareOfCapacity(0.6), seconds: 10)
        #expect(abs(result.offeredPerSecond! - 600) < 1)
    }

    @Test func `a share is taken of the reference's capacity where it is given`() throws {
        var station = Station(capacities: [200])
        _ = try station.generator.run(LoadPhase(.closed, .seconds(1)))
        let result = try station.open(.shareOfCapacity(0.5), seconds: 10)
        #expect(abs(result.offeredPerSecond! - 100) < 1)
    }

    @Test(arguments: [LoadPhase.Rate.shareOfCapacity(0.5), .perSecond(300)])
    func `a slow client is offered what a fast one would be`(rate: LoadPhase.Rate) throws {
        func operations(slowBy factor: UInt64) throws -> [UInt64] {
            let clock = ManualClock()
            let clients = (0..<2).map { client in
                TimedClient(clock, operationCount: 2) { _, _ in
                    client == 0 ? 10_000 * factor : 10_000
                }
            }
            var generator = LoadGenerator(
                clients.enumerated().map { .init($1, weights: $0 == 0 ? [1, 0] : [0, 1]) },
                seed: 1, clock: clock, capacities: [100, 500])
            _ = try generator.run(LoadPhase(.closed, .operations(20)))
            return try generator.run(LoadPhase(.open(rate, .fixed), .seconds(2))).service.map(
                \.count)
        }

        #expect(try operations(slowBy: 1) == operations(slowBy: 7))
    }

    @Test func `a share of nothing is an error`() {
        var station = Station()
        #expect(throws: LoadError.noCapacity) {
            try station.open(.shareOfCapacity(0.6), seconds: 1)
        }
    }

    @Test func `operations are taken by their weights`() throws {
        var station = Station(weights: [3, 0, 1])
        _ = try station.generator.run(LoadPhase(.closed, .operations(40_000)))
        let counts = station.client.operationCounts
        #expect(counts[1] == 0)
        // Four standard errors of a share of 3/4.
        #expect(abs(Double(counts[0]) / 40_000 - 0.75) < 4 * 0.00217)
    }

    @Test func `the same seed gives the same operations`() throws {
        func latencies(seed: UInt64) throws -> LatencySummary? {
            var station = Station(weights: [1, 1], seed: seed) { operation, _ in
                operation == 0 ? 1_000 : 3_000_000
            }
            return try station.open(.perSecond(400), .poisson, seconds: 2).intended[1].summary
        }
        #expect(try latencies(seed: 5) == latencies(seed: 5))
        #expect(try latencies(seed: 5) != latencies(seed: 6))
    }

    @Test func `several clients work at once, each with its own operations`() throws {
        let clock = ManualClock()
        let clients = (0..<3).map { _ in
            TimedClient(clock, operationCount: 2) { _, _ in 1_000 }
        }
        var generator = LoadGenerator(
            clients.enumerated().map { .init($1, weights: $0 == 0 ? [1, 0] : [0, 1]) },
            seed: testSeed(), clock: clock)
        let result = try generator.run(LoadPhase(.closed, .operations(500)))
        #expect(clients.map(\.operationCounts) == [[500, 0], [0, 500], [0, 500]])
        #expect(result.service.map(\.count) == [500, 1_000])
    }

    @Test func `the error of a client ends the load`() {
        final class Failing: LoadClient {
            struct Failure: Error {}
            func perform(_ operation: Int) throws { throw Failure() }
        }
        var generator = LoadGenerator(
            [.init(Failing(), weights: [1]), .init(Failing(), weights: [1])], seed: 1)
        #expect(throws: Failing.Failure.self) {
            try generator.run(LoadPhase(.closed, .operations(1)))
        }
    }
}

@Suite struct `The sample of a load` {
    @Test func `it has the capacity, and the latencies of the open phase`() throws {
        var station = Station(weights: [1, 1])
        let warmUp = try station.generator.run(
            LoadPhase(.closed, .operations(9), isRecorded: false))
        let closed = try station.generator.run(LoadPhase(.closed, .seconds(1)))
        let open = try station.open(.shareOfCapacity(0.5), seconds: 2)
        var sample = Sample()
        sample.take([warmUp, closed, open], operations: ["read", "update"])

        #expect(abs(sample[.capacity]! - 1_000) < 1e-6)
        #expect(sample[.saturated] == 0)
        #expect(abs(sample[.achievedRate]! - 500) < 1)
        #expect(
            Set(sample.latencies.keys) == [
                "service", "intended", "closed.service", "read.service", "read.intended",
                "update.service", "update.intended",
            ])
        let parts = ["read.intended", "update.intended"].compactMap { sample.latencies[$0]?.count }
        #expect(parts.reduce(0, +) == sample.latencies["intended"]?.count)
        #expect(sample.latencies["closed.service"]?.count == 1_000)
        #expect(sample.value(of: "intended.p50") != nil)
        let timeline = try #require(sample.timelines?["intended"])
        #expect(timeline.intervals.count == 20)
    }

    @Test func `how late the main queue was is told of the phase whose latencies are`() throws {
        func beats(_ count: Int) -> LatencySummary? {
            var recorder = LatencyRecorder()
            for _ in 0..<count { recorder.record(nanoseconds: 1_000) }
            return recorder.summary
        }
        var station = Station()
        var closed = try station.generator.run(LoadPhase(.closed, .seconds(1)))
        closed.mainQueue = beats(70)
        var open = try station.open(.perSecond(500), seconds: 1)
        open.mainQueue = beats(30)
        var sample = Sample()
        sample.take([closed, open], operations: ["read"])
        #expect(sample.latencies["mainQueue"]?.count == 30)
        sample.take([closed], operations: ["read"])
        #expect(sample.latencies["mainQueue"]?.count == 70)
    }

    @Test func `without an open phase it has the latencies of the closed one`() throws {
        var station = Station()
        let closed = try station.generator.run(LoadPhase(.closed, .seconds(1)))
        var sample = Sample()
        sample.take([closed], operations: ["read"])
        #expect(Set(sample.latencies.keys) == ["service", "read.service"])
        #expect(sample[.offeredRate] == nil)
    }
}
