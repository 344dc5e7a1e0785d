import Foundation
import Measuring
import Reports
import RunRecords
import TestSupport
import Testing

@testable import StackBench

@Suite struct `The cause of a regressed row` {
    @Test func `is a part of its sentence`() {
        var row = Comparison(
            workload: "engine", cell: "fault", metric: .instructions, rule: .exact(tolerance: 0.01),
            verdict: .regressed, base: 100, head: 110, ratio: 1.1)
        #expect(!row.sentence.contains("It grew"))
        row.reason = "grew most in swift_retain: +10 instructions"
        #expect(row.sentence.hasSuffix(". It grew most in swift_retain: +10 instructions."))
    }

    @Test func `is looked for in the functions of cachegrind's report`() throws {
        let folder = TemporaryFolder()
        let report = """
            desc: I1 cache:
            cmd: bench worker
            events: Ir
            fl=a.swift
            fn=first
            1 20
            7 5
            fn=second
            3 100
            fl=b.swift
            fn=first
            2 1
            summary: 126
            """
        try Data(report.utf8).write(to: folder.url("cachegrind.out"))
        let file = folder.url("cachegrind.out")
        #expect(try Valgrind.functions(in: file) == ["first": 26, "second": 100])
        #expect(try Valgrind.total(in: file) == 126)
    }

    @Test func `has names as they are in the source`() {
        #expect(Demangler.text(of: "$sSS5countSivg") == "Swift.String.count.getter : Swift.Int")
        #expect(Demangler.text(of: "sqlite3VdbeExec") == "sqlite3VdbeExec")
    }
}
