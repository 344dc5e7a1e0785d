import Foundation
import Measuring

/// The folder of the baselines, one JSON file each, to be committed with the code.
public struct BaselineFolder: Sendable {
    public let url: URL

    public init(url: URL) {
        self.url = url
    }

    /// The names of all baselines, sorted; empty if there is no folder.
    public var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    }

    /// - Throws: ``BaselineError/missing(name:known:)``,
    ///   ``BaselineError/unreadable(path:reason:)``.
    public func load(_ name: String) throws -> Baseline {
        let file = file(name)
        guard let data = FileManager.default.contents(atPath: file.path) else {
            throw BaselineError.missing(name: name, known: names)
        }
        guard let baseline = try? JSONDecoder.ofRuns.decode(Baseline.self, from: data),
            baseline.schema == Baseline.currentSchema
        else {
            throw BaselineError.unreadable(
                path: file.path,
                reason: "it is not a baseline of schema \(Baseline.currentSchema); "
                    + "make it again with scripts/gate --keep \(name)")
        }
        return baseline
    }

    /// Writes the baseline and replaces an earlier one with the same name.
    ///
    /// - Throws: ``BaselineError/unwritable(path:reason:)``.
    public func save(_ baseline: Baseline) throws {
        let file = file(baseline.name)
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            let data = try JSONEncoder.ofFiles.encode(baseline) + Data("\n".utf8)
            try data.write(to: file, options: .atomic)
        } catch {
            throw BaselineError.unwritable(path: file.path, reason: "\(error)")
        }
    }

    /// - Throws: ``BaselineError/missing(name:known:)``.
    public func delete(_ name: String) throws {
        do {
            try FileManager.default.removeItem(at: file(name))
        } catch {
            throw BaselineError.missing(name: name, known: names)
        }
    }

    private func file(_ name: String) -> URL {
        url.appendingPathComponent("\(name).json")
    }
}

/// Why a baseline cannot be used.
public enum BaselineError: Error, Hashable {
    case missing(name: String, known: [String])
    case unreadable(path: String, reason: String)
    case unwritable(path: String, reason: String)
}

extension BaselineError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let name, let known):
            "there is no baseline \"\(name)\"; "
                + (known.isEmpty
                    ? "make one with scripts/gate --keep NAME"
                    : "the baselines are \(known.joined(separator: ", "))")
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
        case .unwritable(let path, let reason): "cannot write \(path): \(reason)"
        }
    }
}
