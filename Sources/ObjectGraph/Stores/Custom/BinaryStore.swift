import Foundation
import Synchronization

/// An atomic store in a file: a binary property list of all nodes (spec §11.3).
///
/// A save writes a file beside the old one and puts it in its place, so that a crash leaves one of
/// the two.
final class BinaryStore: AtomicStore {
    private let url: URL
    private let isReadOnly: Bool

    /// The file as it was last read or written; nil if there was none.
    private let known = Mutex<FileState?>(nil)

    init(_ description: PersistentStoreDescription) throws(StoreError) {
        guard let url = description.url, url.isFileURL else {
            throw StoreError(.cannotOpen, url: description.url)
        }
        self.url = url
        isReadOnly = description.isReadOnly
    }

    func load() throws -> AtomicStoreContents? {
        if !isReadOnly { FileReplacement.removeRemains(of: url.resolvingSymlinksInPath()) }
        // The state is taken first, so that a change in between is noticed by the next save.
        guard let state = FileState(path: url.path) else {
            if isReadOnly { throw StoreError(.missingFile, url: url) }
            return nil
        }
        guard state.isRegular, let contents = try Self.contents(at: url) else {
            let isSQLite = state.isRegular && DatabaseFile.isDatabase(path: url.path)
            throw StoreError(isSQLite ? .otherStoreType(.sqlite) : .notADatabase, url: url)
        }
        known.withLock { $0 = state }
        return contents
    }

    func save(_ contents: AtomicStoreContents) throws {
        try known.withLock { known in
            guard FileState(path: url.path) == known else {
                throw StoreError(.fileChanged, url: url)
            }
            try Self.write(contents, at: url)
            known = FileState(path: url.path)
        }
    }

    // MARK: - Files

    /// What the file holds besides the contents.
    private struct FileContents: Codable {
        static let currentFormat = 1

        let format: Int
        let contents: AtomicStoreContents
    }

    /// - Returns: nil if the file does not begin as a property list, or is missing.
    /// - Throws: `StoreError` for a property list that is no store.
    static func contents(at url: URL) throws(StoreError) -> AtomicStoreContents? {
        let head = Data("bplist00".utf8)
        // SQLite looks first: to close the file of an open database would drop its locks.
        guard !DatabaseFile.isDatabase(path: url.path),
            let file = try? FileHandle(forReadingFrom: url),
            (try? file.read(upToCount: head.count)) == head
        else { return nil }
        guard let rest = try? file.readToEnd() else { throw StoreError(.cannotOpen, url: url) }
        do {
            let file = try PropertyListDecoder().decode(FileContents.self, from: head + rest)
            if file.format == FileContents.currentFormat { return file.contents }
        } catch {
            throw StoreError(.notADatabase, url: url)
        }
        throw StoreError(
            .incompatibleSchema("its format is newer than this engine"), url: url)
    }

    static func write(_ contents: AtomicStoreContents, at url: URL) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let file = FileContents(format: FileContents.currentFormat, contents: contents)
        let data = try encoder.encode(file)
        let target = url.resolvingSymlinksInPath()
        try? FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        do {
            try FileReplacement.replace(target, with: data)
        } catch {
            switch error.code {
            case .ENOSPC, .EDQUOT: throw StoreError(.diskFull, url: url)
            case .EACCES, .EPERM, .EROFS: throw StoreError(.readOnly, url: url)
            default: throw StoreError(.cannotOpen, url: url)
            }
        }
    }
}
