import Foundation

struct GeneratedFile {
    let name: String
    let text: String

    /// Whether each run replaces the file. The others are written once.
    let isMachine: Bool
}

/// The folder that the files of a model are written to. It may hold others.
struct OutputFolder {
    private let url: URL
    private let header: String

    /// - Parameter model: The name of the model's file, which the files of the model begin with.
    init(_ url: URL, model: String) {
        self.url = url
        header = """
            \(Self.mark) from \(model). Do not edit: the next run replaces this file.
            // swift-format-ignore-file


            """
    }

    /// Every machine file begins with this.
    private static let mark = "// Made by modelgen"

    struct Changes {
        fileprivate(set) var created: [(file: URL, text: String)] = []
        fileprivate(set) var updated: [(file: URL, text: String)] = []
        fileprivate(set) var unchangedCount = 0

        /// Machine files of classes that the model does not have any more.
        fileprivate(set) var obsolete: [URL] = []
    }

    /// What writing the files would change.
    ///
    /// A human file is found in folders below the folder too.
    /// - Throws: `GenerationError.foreignFile` rather than have a file replaced that modelgen has
    ///   not made, or Foundation's error for a file that cannot be read.
    func changes(to files: [GeneratedFile]) throws -> Changes {
        var changes = Changes()
        let present = Set(
            (FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? [])
                .map { ($0 as NSString).lastPathComponent })
        for generated in files {
            let file = url.appending(path: generated.name)
            guard generated.isMachine else {
                if present.contains(generated.name) {
                    changes.unchangedCount += 1
                } else {
                    changes.created.append((file, generated.text))
                }
                continue
            }
            let text = header + generated.text
            guard FileManager.default.fileExists(atPath: file.path) else {
                changes.created.append((file, text))
                continue
            }
            let old = try String(contentsOf: file, encoding: .utf8)
            guard old.hasPrefix(Self.mark) else { throw GenerationError.foreignFile(file) }
            if old == text {
                changes.unchangedCount += 1
            } else {
                changes.updated.append((file, text))
            }
        }
        let names = Set(files.map(\.name))
        let others = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        changes.obsolete = others.sorted().filter { $0.hasSuffix(".swift") && !names.contains($0) }
            .map { url.appending(path: $0) }
            .filter { file in
                (try? String(contentsOf: file, encoding: .utf8))?.hasPrefix(header) == true
            }
        return changes
    }
}

extension OutputFolder.Changes {
    func apply() throws {
        for (file, text) in created + updated {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file, options: .atomic)
        }
    }

    /// What was done.
    var lines: [String] {
        created.map { "created \($0.file.lastPathComponent)" }
            + updated.map { "updated \($0.file.lastPathComponent)" }
            + obsoleteLines + ["\(unchangedCount) files unchanged"]
    }

    /// What is not up to date; empty if nothing is to be done.
    var staleLines: [String] {
        created.map { "\($0.file.path) is missing; run modelgen without --check." }
            + updated.map { "\($0.file.path) is out of date; run modelgen without --check." }
            + obsoleteLines
    }

    private var obsoleteLines: [String] {
        obsolete.map { "\($0.path) belongs to no entity any more; delete it and its human file." }
    }
}
