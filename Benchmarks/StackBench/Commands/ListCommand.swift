import ArgumentParser
import Foundation
import Measuring
import Reports
import RunRecords

/// Lists workload files, kinds, subjects and metrics.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List workload files, kinds, stacks, peers and metrics.",
        discussion: """
            Without a word, the first lines tell what there is. With one, only what has it: the name \
            of a kind lists its parameters and files, "metric" all metrics.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case flat, json
    }

    @Argument(help: "Only entries with this word.")
    var word: String?

    @Option(help: "One line each, or JSON with everything.")
    var format = Format.flat

    func run() throws {
        let listing = try Listing()
        switch format {
        case .flat:
            let sections = try listing.sections(with: word)
            let overview = word == nil ? [listing.overview] : []
            print(
                (overview + sections).map { $0.text(width: Terminal.width) }
                    .joined(separator: "\n\n"))
        case .json: print(try listing.json)
        }
        guard listing.errors.isEmpty else {
            throw BenchFailure(
                exitCode: .usage, message: listing.errors.joined(separator: "\nbench: "))
        }
    }
}

/// The output of `bench list`.
private struct Listing: Encodable {
    var workerProtocol = WorkerProtocol.version
    var build = BuildConfiguration.ofBench
    var workloads: [Workload] = []
    /// Files whose kind this build lacks.
    var otherFiles: [String] = []
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
    init(_ workload: StackBench.Workload, in file: String) {
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
                let read = try StackBench.Workload.load(file: file)
                workloads += read.map { Workload($0, in: file) }
                for name in Set(read.flatMap(\.cells).map(\.subject.name)) {
                    files[name, default: []].append(file)
                }
            } catch is MissingTrait {
                otherFiles.append(file)
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
        kinds += ServerKind.allCases.filter { !$0.isAvailable }.map {
            Kind(
                name: $0.rawValue, summary: "\($0.summary): \(ServerKind.command)",
                parameters: [])
        }
        subjects = StackBench.Subject.all.map {
            Subject(
                name: $0.name, group: $0.group.rawValue, summary: $0.summary,
                files: files[$0.name, default: []])
        }
        let kinds = WorkloadKind.all + WorkloadKind.ofOwnStores
        var names: Set<String> = []
        metrics =
            (Metric.wellKnown + Metric.counts
            + kinds.flatMap { [$0.primaryMetric] + $0.extraMetrics })
            .filter { names.insert($0.name).inserted }
    }

    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    /// Ten lines that say what can be listed, and how.
    var overview: AlignedLines {
        let files = Set(workloads.map(\.file) + otherFiles).count
        let stacks = subjects.count { $0.group == StackBench.Subject.Group.stack.rawValue }
        return AlignedLines([
            [
                "\(files) workload files",
                "bench run FILE measures one; bench plan FILE says what that takes",
            ],
            ["\(workloads.count) workloads in them", "bench list workload"],
            [
                "\(kinds.count) kinds of work",
                "bench list kind; a file of one's own names one of them",
            ],
            ["their parameters", "bench list NAME, such as bench list paging"],
            ["\(stacks) stacks", "bench list stack; bench run FILE --stack NAME"],
            ["\(subjects.count - stacks) to compare with", "bench list peer, bench list engine"],
            ["\(metrics.count) metrics", "bench list metric; questions and thresholds name them"],
            ["a word", "bench list memory lists everything that has it"],
            ["on a server", "\(ServerKind.command) FILE"],
            ["for programs", "bench list --format json"],
        ])
    }

    /// The entries with a word, by their sort; all without one.
    ///
    /// - Throws: ``BenchFailure`` if none has it.
    func sections(with word: String?) throws -> [AlignedLines] {
        let entries: [[[String]]] = [
            workloads.map {
                let size = "\($0.cellCount) cells × \($0.repetitions)"
                return ["workload", $0.name, $0.kind, size, $0.file, $0.title]
            } + otherFiles.map { ["workload", "", "", "", $0, "needs the trait PostgreSQL"] },
            kinds.map { ["kind", $0.name, $0.summary] },
            kinds.flatMap { kind in
                kind.parameters.map {
                    let values = "\($0.allowed) (\($0.defaultValue))"
                    return ["parameter", kind.name, $0.name, $0.summary, values]
                }
            },
            subjects.map {
                let names = $0.files.map { ($0 as NSString).lastPathComponent }
                let files = names.isEmpty ? "no file" : names.joined(separator: " ")
                return [$0.group, $0.name, $0.summary, files]
            },
            metrics.map { ["metric", $0.name, $0.unit.rawValue, $0.title] },
        ]
        guard let word else { return entries.map { AlignedLines($0) } }
        let isSort = entries.joined().contains { $0[0] == word }
        let isKind = kinds.contains { $0.name == word }
        let found = entries.map { lines in
            lines.filter { line in
                if isSort { return line[0] == word }
                // The name of a kind is a part of too many words.
                return isKind
                    ? line.prefix(3).contains(word)
                    : line.contains { $0.localizedCaseInsensitiveContains(word) }
            }
        }.filter { !$0.isEmpty }
        guard !found.isEmpty else {
            let names =
                workloads.map(\.name) + kinds.map(\.name) + subjects.map(\.name)
                + metrics.map(\.name)
            let guess = nearest(to: word, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
            throw BenchFailure(exitCode: .usage, message: "nothing has \"\(word)\"\(guess)")
        }
        return found.map { AlignedLines($0) }
    }
}
