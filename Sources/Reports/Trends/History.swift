import Foundation
import Measuring
import RunRecords

/// The figures of many commits, oldest first.
public struct History {
    let commits: [CommitFigures]
    let order: Order
    /// Files that are not in it, with the reason.
    let leftOut: [(name: String, reason: String)]

    /// What the order of the commits rests on.
    enum Order: Equatable {
        case commitDates
        /// Those of the measurement, where a file does not have the date of its commit.
        case dates(withoutCommitDate: [String])
        case names(withoutDate: [String])
    }

    /// Reads a folder with a run, a gate or a baseline for each commit: a folder with `verdict.json`, or
    /// a JSON file.
    ///
    /// - Throws: ``RunDirectoryError`` if a file cannot be read, ``HistoryError`` if fewer commits than
    ///   a change needs are left.
    public init(of folder: URL) throws {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            throw HistoryError.missing(path: folder.relativePath)
        }
        var commits: [CommitFigures] = []
        var leftOut: [(name: String, reason: String)] = []
        for name in names.sorted() where !name.hasPrefix(".") {
            let url = folder.appendingPathComponent(name)
            if url.hasDirectoryPath || url.isDirectory {
                let directory = RunDirectory(url: url)
                guard directory.holdsVerdict else {
                    leftOut.append((name, "it has no verdict.json"))
                    continue
                }
                let file = try VerdictFile(loading: directory)
                if file.runs == nil {
                    commits.append(CommitFigures(file, name: name))
                } else {
                    leftOut.append((name, "it joins several runs"))
                }
            } else if url.pathExtension == "json" {
                commits.append(try Self.figures(of: url, in: RunDirectory(url: folder)))
            }
        }
        try self.init(commits, leftOut: leftOut, path: folder.relativePath)
    }

    private static func figures(of file: URL, in folder: RunDirectory) throws -> CommitFigures {
        struct Marks: Decodable {
            /// Only a baseline has it.
            var savedAt: String?
        }
        let name = file.deletingPathExtension().lastPathComponent
        let marks = FileManager.default.contents(atPath: file.path).flatMap {
            try? JSONDecoder().decode(Marks.self, from: $0)
        }
        guard marks?.savedAt == nil else {
            let baseline = try folder.load(
                Baseline.self, schema: Baseline.currentSchema, from: file)
            return CommitFigures(baseline, name: name)
        }
        return CommitFigures(
            try folder.load(VerdictFile.self, schema: VerdictFile.schema, from: file), name: name)
    }

    /// - Parameter path: for errors.
    init(
        _ found: [CommitFigures], leftOut: [(name: String, reason: String)] = [], path: String
    ) throws(HistoryError) {
        var leftOut = leftOut
        leftOut += found.filter(\.figures.isEmpty).map {
            ($0.name, "it has neither counts nor ratios to C")
        }
        let usable = found.filter { !$0.figures.isEmpty }
        let dated = usable.allSatisfy { $0.date != nil }
        let sorted = usable.sorted { one, other in
            if dated, let date = one.date, let later = other.date, date != later {
                return date < later
            }
            return one.name < other.name
        }
        var commits: [CommitFigures] = []
        for commit in sorted.reversed() {
            if let reason = Self.reason(against: commit, commits) {
                leftOut.append((commit.name, reason))
            } else {
                commits.append(commit)
            }
        }
        guard commits.count >= ChangePointRule.shortestSeries else {
            throw .tooFew(path: path, count: commits.count, leftOut: leftOut.map { "\($0): \($1)" })
        }
        self.commits = commits.reversed()
        self.leftOut = leftOut.sorted { $0.name < $1.name }
        let undated = usable.filter { $0.date == nil }.map(\.name)
        let uncommitted = usable.filter { $0.committedAt == nil }.map(\.name)
        order =
            !undated.isEmpty
            ? .names(withoutDate: undated)
            : uncommitted.isEmpty ? .commitDates : .dates(withoutCommitDate: uncommitted)
    }

    /// Why the commit cannot be in a series with newer ones, the newest first; `nil` if it can.
    private static func reason(
        against commit: CommitFigures, _ newer: [CommitFigures]
    ) -> String? {
        if let hash = commit.commit, let other = newer.first(where: { $0.commit == hash }) {
            return "\(other.name) is of the same commit"
        }
        return newer.first.flatMap(commit.difference)
    }
}

extension RunDirectory {
    fileprivate var holdsVerdict: Bool {
        holdsRun || holdsComparison
            || FileManager.default.fileExists(
                atPath: url.appendingPathComponent("verdict.json").path)
    }
}

extension URL {
    fileprivate var isDirectory: Bool {
        (try? resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true
    }
}

/// Why a folder has no trend.
public enum HistoryError: Error, Equatable {
    case missing(path: String)
    /// Fewer commits than a change needs, and what was left out.
    case tooFew(path: String, count: Int, leftOut: [String])
}

extension HistoryError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let path):
            return
                "there is no folder \(path); name one with a run, a gate or a baseline of each commit"
        case .tooFew(let path, let count, let leftOut):
            let reasons = leftOut.isEmpty ? "" : " (left out: \(leftOut.joined(separator: "; ")))"
            return
                "\(path) has \(count) comparable \(count == 1 ? "commit" : "commits")\(reasons); "
                + "a trend needs \(ChangePointRule.shortestSeries) or more"
        }
    }
}
