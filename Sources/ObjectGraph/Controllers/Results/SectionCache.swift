import Foundation
import Logging

/// Sections on disk, a file for each name (spec §10.1).
///
/// A file that is damaged, or is about another request, model or state of the store, is ignored.
struct SectionCache: Sendable {
    let folder: URL

    static var defaultFolder: URL {
        FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)[0]
            .appending(path: "ObjectGraph")
    }

    private static let fileExtension = "sections"

    /// The request, the model and the state of the store, from which the sections follow.
    struct Key: Equatable, Codable {
        private let digest: [UInt8]

        /// Nil if the sections may differ for the same key: for a context with a parent, unsaved
        /// changes or a generation, for stores that are not one file, and for conditions that
        /// depend on the time.
        init?(of order: ResultOrder, _ section: ObjectExpression) {
            let (context, request) = (order.context, order.request)
            guard order.seesStoreOnly, !context.hasChanges, context.queryGenerationToken == nil,
                let store = context.coordinator.persistentStores.first,
                let path = store.url?.path, let file = FileState(path: path)
            else { return nil }
            let condition = request.predicate?.predicateFormat ?? ""
            let keys = request.sortKeys.map { "\($0.keyPath) \($0.isAscending) \($0.comparison)" }
            let parts =
                [
                    request.entityName, condition, section.predicateFormat,
                    "\(request.includesSubentities) \(request.fetchLimit) \(request.fetchOffset)",
                    context.model.versionChecksum, store.identifier, file.summary,
                    FileState(path: path + "-wal")?.summary ?? "",
                ] + keys
            guard !parts.contains(where: { $0.lowercased().contains("now(") }) else { return nil }
            var digest = Digest()
            for part in parts { digest.update(part) }
            self.digest = digest.finalize()
        }
    }

    private struct Contents: Codable {
        let key: Key
        let runs: [SectionRun]
        let checksum: [UInt8]

        init(key: Key, runs: [SectionRun]) {
            self.key = key
            self.runs = runs
            checksum = Self.checksum(of: runs)
        }

        static func checksum(of runs: [SectionRun]) -> [UInt8] {
            var digest = Digest()
            for run in runs {
                digest.update(run.name)
                digest.update(run.count)
            }
            return digest.finalize()
        }
    }

    /// The sections of a name, if they are those of a list with this key and number of objects.
    func runs(named name: String, for key: Key, count: Int) -> [SectionRun]? {
        guard let data = try? Data(contentsOf: file(named: name)),
            let contents = try? JSONDecoder().decode(Contents.self, from: data),
            contents.key == key, contents.checksum == Contents.checksum(of: contents.runs)
        else { return nil }
        var rest = count
        for run in contents.runs {
            guard run.count > 0, run.count <= rest else { return nil }
            rest -= run.count
        }
        return rest == 0 ? contents.runs : nil
    }

    /// Keeps the sections. A failure is logged, since they can be computed again.
    func keep(_ runs: [SectionRun], named name: String, for key: Key) {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try JSONEncoder().encode(Contents(key: key, runs: runs))
                .write(to: file(named: name), options: .atomic)
        } catch {
            Logger(label: "ObjectGraph").warning("The sections '\(name)' are not cached: \(error)")
        }
    }

    /// Deletes the file of a name, or with nil all files of sections.
    func delete(_ name: String?) throws {
        let manager = FileManager.default
        guard manager.fileExists(atPath: folder.path) else { return }
        let own = name.map { file(named: $0).lastPathComponent }
        for file in try manager.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where file.pathExtension == Self.fileExtension
            && (own == nil || own == file.lastPathComponent)
        {
            try manager.removeItem(at: file)
        }
    }

    /// Named by a digest, so that any name is possible.
    private func file(named name: String) -> URL {
        var digest = Digest()
        digest.update(name)
        let hex = digest.finalize().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        return folder.appending(path: "\(hex.joined()).\(Self.fileExtension)")
    }
}
