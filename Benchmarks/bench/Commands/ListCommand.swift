import ArgumentParser
import Benchmarking
import Foundation

/// Lists workload files, kinds, subjects and metrics.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List workload files, kinds, stacks, peers and metrics.")

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case flat, json
    }

    @Option(help: "One line each, or JSON.")
    var format = Format.flat

    func run() throws {
        let listing = try Listing()
        switch format {
        case .flat: print(listing.text)
        case .json: print(try listing.json)
        }
        guard listing.errors.isEmpty else {
            throw CommandFailure(
                exitCode: .usage, message: listing.errors.joined(separator: "\nbench: "))
        }
    }
}

/// The output of `bench list`.
private struct Listing: Encodable {
    var workerProtocol = WorkerProtocol.version
    var build = BuildConfiguration.ofBench
    var workloads: [Workload] = []
    /// One message for each file that could not be read.
    var errors: [String] = []
    var kinds: [Kind]
    var subjects: [Subject]
    var metrics: [Metric]

    struct Workload: Encodable {
        var file: String
        var name: String
        var kind: String
        var title: String
        var cellCount: Int
        var repetitions: Int
    }

    struct Kind: Encodable {
        var name: String
        var summary: String
        var parameters: [Parameter]
    }

    struct Parameter: Encodable {
        var name: String
        var allowed: String
        var defaultValue: String
        var summary: String
    }

    struct Subject: Encodable {
        var name: String
        var group: String
        var summary: String
        /// The workload files that measure this subject.
        var files: [String]
    }
}

extension Listing.Workload {
    init(_ workload: bench.Workload, in file: String) {
        self.init(
            file: file, name: workload.name, kind: workload.kind.name, title: workload.title,
            cellCount: workload.cells.count, repetitions: workload.repetitions)
    }
}

extension Listing {
    init() throws {
        var files: [String: [String]] = [:]
        for file in try WorkloadFiles.all() {
            do {
                let read = try bench.Workload.load(file: file)
                workloads += read.map { Workload($0, in: file) }
                for name in Set(read.flatMap(\.cells).map(\.subject.name)) {
                    files[name, default: []].append(file)
                }
            } catch let error as ConfigurationError {
                errors.append("\(error)")
            }
        }
        kinds = WorkloadKind.all.map { kind in
            Kind(
                name: kind.name, summary: kind.summary,
                parameters: kind.parameters.map {
                    Parameter(
                        name: $0.name, allowed: $0.allowed, defaultValue: $0.defaultValue,
                        summary: $0.summary)
                })
        }
        subjects = bench.Subject.all.map {
            Subject(
                name: $0.name, group: $0.group.rawValue, summary: $0.summary,
                files: files[$0.name, default: []])
        }
        let extra = WorkloadKind.all.flatMap { [$0.primaryMetric] + $0.extraMetrics }
        let known = Metric.wellKnown + Metric.counts.filter { !Metric.wellKnown.contains($0) }
        metrics = known + extra.filter { !known.contains($0) }
    }

    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    var text: String {
        return [
            AlignedLines(
                workloads.map {
                    let size = "\($0.cellCount) cells × \($0.repetitions)"
                    return ["workload", $0.name, $0.kind, size, $0.file, $0.title]
                }),
            AlignedLines(kinds.map { ["kind", $0.name, $0.summary] }),
            AlignedLines(
                kinds.flatMap { kind in
                    kind.parameters.map {
                        let values = "\($0.allowed) (\($0.defaultValue))"
                        return ["parameter", kind.name, $0.name, $0.summary, values]
                    }
                }),
            AlignedLines(
                subjects.map {
                    let names = $0.files.map { ($0 as NSString).lastPathComponent }
                    let files = names.isEmpty ? "no file" : names.joined(separator: " ")
                    return [$0.group, $0.name, $0.summary, files]
                }),
            AlignedLines(metrics.map { ["metric", $0.name, $0.unit.rawValue, $0.title] }),
        ].map(\.description).joined(separator: "\n\n")
    }
}
