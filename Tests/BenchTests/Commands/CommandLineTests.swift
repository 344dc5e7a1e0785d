import Foundation
import TestSupport
import Testing

@Suite struct `The command line` {
    private static let workloads = "Benchmarks/Workloads"

    @Test func `list names every workload file, subject and metric`() throws {
        let bench = try BenchProcess(["list"])
        #expect(bench.exitCode == 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.workloads)
        #expect(files.count >= 9)
        for name in files + ["nested", "isolated-batch-refetch", "sqlite-c", "rowsPerSecond"] {
            #expect(bench.output.contains(name))
        }
    }

    @Test func `list as JSON holds the same`() throws {
        struct Listing: Decodable {
            var workloads: [Workload]
            var subjects: [Subject]

            struct Workload: Decodable {
                var name: String
                var cellCount: Int
            }

            struct Subject: Decodable {
                var name: String
            }
        }
        let bench = try BenchProcess(["list", "--format", "json"])
        let listing = try JSONDecoder().decode(Listing.self, from: Data(bench.output.utf8))
        #expect(listing.subjects.map(\.name).contains("grdb"))
        #expect(listing.workloads.first { $0.name == "paging" }?.cellCount == 6 * 4 * 2)
    }

    @Test func `results that cannot be written are no success`() throws {
        let bench = try BenchProcess(
            ["-c", "'\(BenchProcess.executable.path)' list > /dev/full"],
            executable: URL(fileURLWithPath: "/bin/sh"))

        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("No space left on device"))
    }

    @Test func `an unknown stack is answered with those that exist`() throws {
        let bench = try BenchProcess(["run", "\(Self.workloads)/import.yml", "--stack", "nestd"])
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("unknown stack \"nestd\"; did you mean \"nested\"?"))
        #expect(bench.errors.contains("isolated-batch-refetch"))
    }

    @Test func `a stack that no workload can measure is an error`() throws {
        let bench = try BenchProcess(["run", "\(Self.workloads)/faulting.yml", "--stack", "grdb"])
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("none of the workloads can measure grdb"))
    }

    @Test func `an unknown workload is answered with those that exist`() throws {
        let bench = try BenchProcess(["run", "--workload", "pagin"])
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("unknown workload \"pagin\"; did you mean \"paging\"?"))
    }

    @Test func `a budget that is too small for a first look is an error`() throws {
        let bench = try BenchProcess(["run", "--budget", "0.4s", "--allow-debug"])
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("--budget: 0.4 s is too little for a first look"))
    }

    @Test func `a run takes a fixed number of rounds, or a budget`() throws {
        let bench = try BenchProcess(["run", "--budget", "10m", "--rounds", "3"])
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("exclude each other"))
    }

    @Test func `a run that does not exist cannot be reported`() throws {
        let folder = TemporaryFolder()
        let bench = try BenchProcess(["report", folder.url.path])
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("there is no"))
    }

    @Test func `a build that cannot be compared does not call itself release`() throws {
        #if DEBUG
        let build = "debug"
        #else
        // The tests need -enable-testing.
        let build = "testing"
        #endif
        let bench = try BenchProcess(["list", "--format", "json"])
        #expect(bench.output.firstMatch(of: /"build" ?: ?"(\w+)"/)?.output.1 == Substring(build))
    }

    #if !DEBUG
    @Test func `a testing build compares no times`() throws {
        let bench = try BenchProcess([
            "gate", "\(Self.workloads)/gate.yml", "--base-bin", BenchProcess.executable.path,
        ])
        #expect(bench.exitCode == 69)
        #expect(bench.errors.contains("compiled with -enable-testing"), "\(bench.errors)")
    }
    #endif

    #if DEBUG
    @Test func `a debug build that cannot hand over says what to type`() throws {
        let folder = TemporaryFolder()
        let copy = folder.url("bench")
        try FileManager.default.linkItem(at: BenchProcess.executable, to: copy)
        let path = URL(fileURLWithPath: "\(Self.workloads)/import.yml").path
        let bench = try BenchProcess(
            ["run", path], executable: copy, currentDirectory: folder.url)
        #expect(bench.exitCode == 69)
        #expect(bench.errors.contains("swift run -c release bench run \(path)"))
    }
    #endif
}
