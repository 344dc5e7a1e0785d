import Measuring
import Testing

@Suite struct `Measuring` {
    @Test func `the generator gives the published numbers`() {
        // The first outputs of the reference implementation for seed 1234567.
        var generator = SeededGenerator(seed: 1_234_567)

        #expect(generator.next() == 6_457_827_717_110_365_317)
        #expect(generator.next() == 3_203_168_211_198_807_973)
    }

    @Test func `the process's own figures are plausible`() {
        let before = ProcessProbe.usage()
        var canary = NoiseCanary()
        let seconds = canary.read()
        let used = ProcessProbe.usage() - before

        #expect(seconds > 0)
        #expect(used.cpuSeconds > 0)
        #expect(used.involuntarySwitches >= 0)
        if let resident = ProcessProbe.residentBytes(), let peak = ProcessProbe.peakResidentBytes()
        {
            #expect(resident > 1 << 20)
            #expect(peak > 1 << 20)
        }
    }

    @Test func `a peak that is reset leaves out what was freed`() throws {
        guard ProcessProbe.resetPeak() else { return }
        var large: [UInt8]? = Array(repeating: 1, count: 64 << 20)
        let high = try #require(ProcessProbe.peakResidentBytes())
        withExtendedLifetime(large) {}
        large = nil

        #expect(ProcessProbe.resetPeak())

        let low = try #require(ProcessProbe.peakResidentBytes())
        #expect(low < high - 32 << 20)
    }

    @Test(arguments: [
        (unit: MetricUnit.seconds, value: 1.9234, text: "1.92 s"),
        (unit: .seconds, value: 0.0124, text: "12.4 ms"),
        (unit: .seconds, value: 0.000_000_5, text: "500 ns"),
        (unit: .seconds, value: 0.999_99, text: "1.00 s"),
        (unit: .seconds, value: 1_234, text: "1,234 s"),
        (unit: .seconds, value: 0, text: "0 ns"),
        (unit: .nanoseconds, value: 41_000, text: "41.0 µs"),
        (unit: .nanoseconds, value: 7, text: "7 ns"),
        (unit: .bytes, value: 8 * 1_073_741_824, text: "8 GiB"),
        (unit: .bytes, value: 1_536, text: "1.50 KiB"),
        (unit: .bytes, value: 1_000, text: "1,000 B"),
        (unit: .count, value: 336_776, text: "336,776"),
        (unit: .count, value: 4.5, text: "4.50"),
        (unit: .count, value: -1_234, text: "−1,234"),
        (unit: .perSecond, value: 99_999.6, text: "100,000"),
        (unit: .ratio, value: 1.066, text: "1.07×"),
        (unit: .ratio, value: .nan, text: "not a number"),
    ])
    func `values read well in their unit`(unit: MetricUnit, value: Double, text: String) {
        #expect(unit.format(value) == text)
    }
}
