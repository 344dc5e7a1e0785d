import Foundation
import Measuring
import RunRecords
import Testing

@testable import Reports

@Suite struct `Logs of HDR histograms` {
    /// The bytes that HdrHistogram for Python 0.10 compresses for a histogram of 1 to 3.6e12 with these
    /// values and counts.
    private static let values: [(value: UInt64, count: Int)] = [
        (1, 1), (3, 2), (1_000, 1), (2_047, 300), (2_048, 1), (5_000, 70_000), (1_000_000, 1),
        (3_600_000_000_000, 1),
    ]
    private static let bytes =
        "1c84931300000018000000000000000300000000000000010000034630b8a0003ff0000000000000"
        + "01020104c70f02ab10d80402c113e0c508fb7a02d3db0202"

    @Test func `the counts are those that HdrHistogram writes`() throws {
        var recorder = LatencyRecorder()
        for (value, count) in Self.values {
            for _ in 0..<count { recorder.record(nanoseconds: value) }
        }

        let encoded = try Self.unpacked(EncodedHistogram(recorder.bucketCounts))

        #expect(encoded.map { String(format: "%02x", $0) }.joined() == Self.bytes)
    }

    @Test func `what is longer than a block of zlib comes in several`() throws {
        let counts = (0..<40_000).map { UInt64(100_000 + $0) }

        let encoded = try Self.unpacked(EncodedHistogram(counts))

        #expect(encoded.count == 40 + 3 * counts.count)
    }

    @Test func `counts that no log can hold do not trap`() throws {
        _ = try Self.unpacked(EncodedHistogram([.max, 0, 0, .max]))
    }

    @Test func `each sample is an interval with its tag, in the order of time`() throws {
        let log = try ExportFormat.hdr.text(of: SampleRun.full)

        let lines = log.split(separator: "\n")
        #expect(
            lines[2] == "#[StartTime: 1790000000.000 (seconds since epoch), 2026-09-21T14:13:20Z]")
        #expect(lines[4].hasPrefix("\"StartTimestamp\",\"Interval_Length\""))
        let intervals = lines.dropFirst(5).map { $0.split(separator: ",") }
        #expect(intervals.count == 2 * 2 * 5)
        #expect(
            intervals[0].dropLast() == ["Tag=load/nested/intended", "0.000", "10.000", "100.000"])
        let starts = intervals.compactMap { Double($0[1]) }
        #expect(starts == starts.sorted())
    }

    @Test func `a tag has neither commas nor spaces`() throws {
        var run = SampleRun.run(SampleRun.full.workloads.filter { $0.name == "load" })
        run.workloads[0].cells[0].parameters = ["rate": "50 %", "writers": "2"]

        let log = try ExportFormat.hdr.text(of: run)

        #expect(log.contains("\nTag=load/nested/rate=50_%;writers=2/intended,0.000,"))
    }

    /// Reads a block of zlib as RFC 1950 and 1951 describe it, for stored blocks.
    private static func unpacked(_ histogram: EncodedHistogram) throws -> [UInt8] {
        let bytes = [UInt8](try #require(Data(base64Encoded: histogram.text)))
        #expect(Array(bytes[0..<4]) == [0x1c, 0x84, 0x93, 0x14])
        let length = bytes[4..<8].reduce(0) { $0 << 8 | Int($1) }
        #expect(length == bytes.count - 8)
        #expect((Int(bytes[8]) << 8 | Int(bytes[9])).isMultiple(of: 31))
        var place = 10
        var result: [UInt8] = []
        var isLast = false
        while !isLast {
            isLast = bytes[place] == 1
            let count = Int(bytes[place + 1]) | Int(bytes[place + 2]) << 8
            #expect(bytes[place + 3] == ~bytes[place + 1] && bytes[place + 4] == ~bytes[place + 2])
            result += bytes[place + 5..<place + 5 + count]
            place += 5 + count
        }
        #expect(place == bytes.count - 4)
        return result
    }
}
