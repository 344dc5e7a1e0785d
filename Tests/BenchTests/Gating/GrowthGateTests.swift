import Foundation
import RunRecords
import TestSupport
import Testing

@Suite(.serialized) struct `bench gate of growth` {
    private let folder = TemporaryFolder()

    /// A row among 100 costs 1,000 instructions. Scripts that replace the tools report them:
    /// valgrind takes minutes for a debug build.
    private func gate(among200 instructions: Int) throws -> BenchProcess {
        try folder.write(
            """
            #!/bin/sh
            # strip --strip-debug -o COPY PROGRAM
            ln -s "$4" "$3"
            """, to: "tools/strip", isExecutable: true)
        try folder.write(
            """
            #!/bin/sh
            for argument; do
                case $argument in
                    --callgrind-out-file=*)
                        file=${argument#*=}
                        echo 'summary: 100000' > "$file.2"
                        echo 'summary: \(200 * instructions)' > "$file.4" ;;
                    --*) ;;
                    *) break ;;
                esac
                shift
            done
            exec "$@"
            """, to: "tools/valgrind", isExecutable: true)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return try gate(path: "\(folder.path("tools")):\(path)")
    }

    private func gate(path: String) throws -> BenchProcess {
        try folder.write(
            """
            schema: 1
            name: growth
            kind: growth
            subjects: [object-graph]
            parameters: { path: [merge, fetch], rows: 200, fewRows: 100 }
            gate:
              - { growth: 1.3 }
              - { cell: "*path=fetch", growth: 9 }
            """, to: "growth.yml")
        return try BenchProcess(
            [
                "gate", folder.path("growth.yml"), "--allow-debug", "--quick", "--base-bin",
                BenchProcess.executable.path, "--output", folder.path("gate"),
            ], environment: ["PATH": path])
    }

    @Test func `a cost that stays within its limit passes, with its growth in the report`() throws {
        let bench = try gate(among200: 1_299)

        #expect(bench.exitCode == 0, "\(bench.errors)")
        let rows = try RunDirectory(url: folder.url("gate")).loadComparison().rows
        #expect(rows.map(\.verdict) == [.ok, .ok])
        #expect(rows.map(\.ratio) == [1.299, 1.299])
    }

    @Test func `a cost that grows beyond its limit is named, and exits 10`() throws {
        let bench = try gate(among200: 2_000)

        #expect(bench.exitCode == 10, "\(bench.errors)")
        #expect(
            bench.output.contains("✗  regressed  growth object-graph/pooled/path=merge"),
            "\(bench.output)")
        #expect(bench.output.contains("1 regressed"))
    }

    @Test func `without valgrind nothing is judged, and it is told what to install`() throws {
        let bench = try gate(path: folder.url.path)

        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(bench.output.contains("2 inconclusive"))
        #expect(bench.output.contains("apt-get install valgrind binutils"))
    }

    @Test func `every path of our own gate does its work right at both sizes`() throws {
        let text = try String(contentsOfFile: "Benchmarks/Workloads/growth.yml", encoding: .utf8)
            .replacing("rows: 8000", with: "rows: 150")
            .replacing("fewRows: 1000", with: "fewRows: 100")
        try folder.write(text, to: "growth.yml")

        let bench = try BenchProcess([
            "run", folder.path("growth.yml"), "--allow-debug", "--no-counts", "--output",
            folder.path("run"),
        ])

        #expect(bench.exitCode == 0, "\(bench.errors)")
        let cells = try #require(RunDirectory(url: folder.url("run")).load().workloads.first).cells
        #expect(cells.allSatisfy { $0.values(of: "costGrowth").count == 1 })
    }
}
