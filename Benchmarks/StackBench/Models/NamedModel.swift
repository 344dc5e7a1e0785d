import Foundation
import Measuring
import ModelSource
import ObjectGraph

/// A model that the command line names: a model file, or a store that holds its model.
struct NamedModel {
    let url: URL
    let model: ManagedObjectModel

    /// Whether the model is that of a store.
    let isStore: Bool

    /// Reads the model, and prints its warnings. Changes no file.
    ///
    /// - Parameters:
    ///   - version: The name of a version of a model file; nil means the current one.
    ///   - usesDefaults: Whether the command has to do with default values.
    /// - Throws: ``BenchFailure``.
    init(_ path: String, version: String? = nil, usesDefaults: Bool) throws {
        url = URL(filePath: path)
        isStore = Self.isStore(url)
        guard !isStore || version == nil else {
            throw BenchFailure(
                exitCode: .usage, message: "\(path) is a store and has no versions")
        }
        do {
            model =
                isStore
                ? try PersistentStoreCoordinator.model(ofStoreAt: url)
                : try ManagedObjectModel(contentsOf: url, version: version)
        } catch { throw BenchFailure(exitCode: .usage, message: "\(error)") }
        for warning in model.warnings {
            switch warning.reason {
            // Nothing here reads values.
            case .unknownTransformer: continue
            case .unreadableDefault where !usesDefaults: continue
            default: break
            }
            StandardError.print("bench: warning: \(warning)")
        }
    }

    /// Whether the path is a SQLite file. Source: sqlite.org/fileformat2.html, "Magic Header
    /// String".
    private static func isStore(_ url: URL) -> Bool {
        guard let file = try? FileHandle(forReadingFrom: url) else { return false }
        defer { try? file.close() }
        return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
    }

    /// The name of a function that makes the model.
    var functionName: SwiftName {
        SwiftName(functionNamed: url.deletingPathExtension().lastPathComponent)
            ?? SwiftName(functionNamed: "model")!
    }
}

/// How much a store holds.
struct StoreSizes {
    /// The number of rows of each entity without its subentities.
    let rowCounts: [String: Int]

    /// The size of the file and of its WAL.
    let byteCount: Int

    /// Opens the store for reading only, which also finds out whether its tables hold the model.
    ///
    /// - Throws: `StoreError`, or an error of the fetch.
    init(of url: URL, _ model: ManagedObjectModel) throws {
        let coordinator = PersistentStoreCoordinator(model: model)
        var description = PersistentStoreDescription.sqlite(at: url)
        description.isReadOnly = true
        // The model is the store's own.
        description.ignoresModelVersions = true
        try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        rowCounts = try context.performAndWait {
            var counts: [String: Int] = [:]
            for entity in model.entitiesByName.values where !entity.isAbstract {
                var request = FetchRequest(entityName: entity.name)
                request.includesSubentities = false
                counts[entity.name] = try context.count(for: request)
            }
            return counts
        }
        byteCount = ["", "-wal"].reduce(0) { sum, suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: url.path + suffix)
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }
}
