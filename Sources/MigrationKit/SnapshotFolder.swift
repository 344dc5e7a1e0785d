import Foundation
import ObjectGraph

/// A folder with a store of each version of a model, which tests migrate to the newest one.
///
/// A snapshot is the file `VERSION.sqlite`. The file `VERSION.checksum` beside it has the checksum
/// of the model that the sample data were made for. Both belong in the repository, with the hidden
/// folder of large values if the model has any.
public struct SnapshotFolder: Sendable {
    public let url: URL

    public init(_ url: URL) {
        self.url = url
    }

    /// The versions that have a snapshot, in ascending order: "1.9" comes before "1.10".
    ///
    /// - Throws: The error of Foundation if the folder cannot be read. One that does not exist has
    ///   no versions.
    public func versions() throws -> [String] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: url.path)
            .filter { $0.hasSuffix(Self.ending) && !$0.hasPrefix(".") }
            .map { String($0.dropLast(Self.ending.count)) }.sorted { $0.isVersion(before: $1) }
    }

    /// The file of a version's snapshot.
    public func snapshot(of version: String) -> URL {
        url.appending(path: version + Self.ending, directoryHint: .notDirectory)
    }

    private static let ending = ".sqlite"

    // MARK: - Exporting

    /// Writes the snapshot of the current version: a store with sample data for every entity.
    ///
    /// A snapshot whose checksum is that of the model stays as it is, so that a test can call this
    /// each time. The data follow from the model and the seed alone. Each entity gets
    /// `objectCount` objects, of which the last one lacks all optional values. Of each attribute
    /// with external storage one value is in a file of its own. A value that breaks a rule of the
    /// model is replaced by others, as long as the kit knows any.
    ///
    /// - Parameters:
    ///   - version: The name of the version, which is also that of the files.
    ///   - model: The model of the version.
    ///   - store: How the program opens its store: a new store notes the migrations as code, which
    ///     do not run in it. The URL is not used.
    ///   - objectCount: The number of objects of each entity that is not abstract.
    ///   - seed: Another seed makes other data.
    ///   - adjust: Called for each object before the save, with its number among those of its
    ///     entity, from 0: to set what the kit does not know.
    /// - Returns: Whether the snapshot was written.
    /// - Throws: `MigrationKitError` with `unsuitableVersion` or `noSampleValue`; `SaveError` if
    ///   objects break rules or constraints of the model; `StoreError` if the store cannot be
    ///   written. An earlier snapshot is then unchanged.
    @discardableResult
    public func export(
        _ version: String, of model: ManagedObjectModel,
        opening store: PersistentStoreDescription = PersistentStoreDescription(type: .sqlite),
        objectCount: Int = 5, seed: UInt64 = 1,
        adjusting adjust: @Sendable (ManagedObject, Int) throws -> Void = { _, _ in }
    ) throws -> Bool {
        guard version.first?.isASCIIAlphanumeric ?? false,
            version.allSatisfy({ $0.isASCIIAlphanumeric || ".-_".contains($0) })
        else { throw MigrationKitError.unsuitableVersion(version) }
        let checksum = "\(model.versionChecksum) \(objectCount) \(seed)\n"
        let checksumFile = url.appending(path: "\(version).checksum")
        let file = snapshot(of: version)
        let known = try? String(contentsOf: checksumFile, encoding: .utf8)
        if FileManager.default.fileExists(atPath: file.path), known == checksum { return false }
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let workplace = try Workplace()
        let made = workplace.url.appending(path: file.lastPathComponent)
        try SampleStore(model: model, store: store, objectCount: objectCount, seed: seed)
            .make(at: made, adjust)
        try PersistentStoreCoordinator.replacePersistentStore(at: file, with: made)
        try checksum.write(to: checksumFile, atomically: true, encoding: .utf8)
        return true
    }
}

extension String {
    /// Whether a version comes before another one: by the numbers in both names.
    func isVersion(before other: String) -> Bool {
        compare(other, options: .numeric) == .orderedAscending
    }
}

extension Character {
    fileprivate var isASCIIAlphanumeric: Bool { isASCII && (isLetter || isNumber) }
}

/// A new folder for the time of a check or an export.
final class Workplace: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "MigrationKit-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
