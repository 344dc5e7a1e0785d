import Foundation
import ObjectGraph

extension OwnStore {
    /// Checks what a mistake on the command line can break, before anything is copied or built.
    ///
    /// - Throws: ``BenchFailure``.
    func check() throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw failure("there is no such file")
        }
        guard !isFolder.boolValue else {
            throw failure("this is a folder; name the .sqlite file in it")
        }
        guard !SharedLock.isHeldElsewhere(on: url) else {
            throw failure(
                "another program has the store open; quit the app or the simulator, or name a copy")
        }
        let model: ManagedObjectModel
        do {
            model = try loadModel()
        } catch {
            let hint = modelURL == nil ? " Or name the app's model with --model." : ""
            throw failure("\(error)\(hint)")
        }
        guard model.entitiesByName.values.contains(where: { !$0.isAbstract }) else {
            throw failure("the model has no entity that can have rows: all are abstract")
        }
    }

    func failure(_ problem: String) -> BenchFailure {
        BenchFailure(exitCode: .usage, message: "--store \(url.path): \(problem)")
    }
}

// MARK: - Copying

extension OwnStore {
    /// Copies the store into a folder, which only this user can read.
    ///
    /// Copies bytes and opens only the copy: SQLite would write beside the file that it opens.
    ///
    /// - Throws: ``BenchFailure`` if the file is not a store, or changes while it is copied.
    func copied(into folder: URL) throws -> OwnStore {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var copy = self
        copy.url = folder.appendingPathComponent("store.sqlite")
        let before = states
        do {
            for suffix in Self.suffixes where before[suffix] != nil {
                try FileManager.default.copyItem(
                    atPath: url.path + suffix, toPath: copy.url.path + suffix)
            }
            if FileManager.default.fileExists(atPath: url.supportFolder.path) {
                try FileManager.default.copyItem(at: url.supportFolder, to: copy.url.supportFolder)
            }
        } catch {
            throw failure("cannot be copied: \(error)")
        }
        guard states == before, !SharedLock.isHeldElsewhere(on: url) else {
            throw failure("another program changed the store while it was copied; quit it")
        }
        do {
            _ = try PersistentStoreCoordinator.metadataForPersistentStore(at: copy.url)
            try copy.prepare()
        } catch var error as StoreError {
            error.url = url
            throw BenchFailure(exitCode: .usage, message: "\(error)")
        } catch let error as StoreReaderError {
            throw failure("SQLite cannot read it: \(error.reason)")
        }
        return copy
    }

    /// Takes the WAL into the file, so that samples copy one file.
    private func prepare() throws {
        let reader = try StoreReader(url)
        _ = try reader.text("PRAGMA journal_mode = WAL")
        _ = try reader.integers("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// The files of a database. The shared memory of a WAL is made again from the WAL.
    private static let suffixes = ["", "-wal", "-journal"]

    private struct FileState: Equatable {
        var size: UInt64?
        var modified: Date?
    }

    /// The states of the files that exist, by suffix.
    private var states: [String: FileState] {
        Self.suffixes.reduce(into: [:]) { states, suffix in
            let path = url.path + suffix
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
                return
            }
            states[suffix] = FileState(
                size: (attributes[.size] as? NSNumber)?.uint64Value,
                modified: attributes[.modificationDate] as? Date)
        }
    }
}

extension URL {
    /// The folder beside a store in which Core Data keeps large values in files of their own.
    var supportFolder: URL {
        deletingLastPathComponent().appendingPathComponent(
            ".\(deletingPathExtension().lastPathComponent)_SUPPORT")
    }

    /// The files of large values.
    var externalFiles: URL { supportFolder.appendingPathComponent("_EXTERNAL_DATA") }
}
