import Foundation

/// A model of Xcode's editor, or a compiled one: a group of versions (`.xcdatamodeld`, `.momd`), or
/// one version (`.xcdatamodel`, `.mom`).
///
/// `ManagedObjectModel.init(contentsOf:)` reads a version. This type lists the versions, for
/// example for a migration:
///
///     let versions = try ModelFile(url).versions
///     let models = try versions.map { try ManagedObjectModel(contentsOf: url, version: $0) }
///
/// Source: spec §1.13, §1.14.
public struct ModelFile: Sendable {
    public let url: URL

    /// The names of the versions without their suffix, sorted. Numbers in names sort
    /// by value: `Model 10` follows `Model 2`.
    public let versions: [String]

    /// The version that is marked as current, or the only one; nil if there are several and none is
    /// marked.
    public let currentVersion: String?

    /// The folder of each version.
    private let folders: [String: URL]

    /// Lists the versions. Reads no version.
    ///
    /// - Throws: `ModelFileError` if there is no model, or if the mark of the current version is
    ///   not a property list.
    public init(_ url: URL) throws(ModelFileError) {
        self.url = url
        guard let children = try Self.children(of: url) else {
            // A file: the text of one version.
            let name = Self.versionName(url.lastPathComponent)
            (versions, currentVersion, folders) = ([name], name, [name: url])
            return
        }
        let group = children.filter { Self.versionExtensions.contains($0.pathExtension) }
        let folders = group.isEmpty ? [url] : group
        if group.isEmpty { _ = try Self.text(in: url) }
        let names = folders.map { Self.versionName($0.lastPathComponent) }
        versions = names.sorted {
            $0.compare($1, options: [.numeric, .caseInsensitive]) == .orderedAscending
        }
        self.folders = Dictionary(zip(names, folders)) { first, _ in first }
        let marked = group.isEmpty ? nil : try Self.markedVersion(of: url)
        currentVersion = marked ?? (names.count == 1 ? names[0] : nil)
    }

    /// The file with the text of a version; nil means the current version.
    ///
    /// - Throws: `ModelFileError` if there is no such version, or if it has no text.
    public func text(ofVersion version: String?) throws(ModelFileError) -> URL {
        guard let name = version.map(Self.versionName) ?? currentVersion else {
            throw ModelFileError(.noCurrentVersion(versions: versions), file: url)
        }
        guard let folder = folders[name] else {
            throw ModelFileError(.unknownVersion(name, versions: versions), file: url)
        }
        return try Self.text(in: folder)
    }

    // MARK: - Files

    /// Of folders with a text, and of compiled files.
    private static let versionExtensions = ["xcdatamodel", "mom"]

    /// The name without the suffix of the version, which the mark of the current version may have
    /// too.
    private static func versionName(_ name: String) -> String {
        let suffix = versionExtensions.lazy.map { ".\($0)" }.first { name.hasSuffix($0) }
        return String(name.dropLast(suffix?.count ?? 0))
    }

    /// The content of a folder; nil for a file.
    private static func children(of url: URL) throws(ModelFileError) -> [URL]? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw ModelFileError(.missing, file: url)
        }
        guard isFolder.boolValue else { return nil }
        do {
            return try FileManager.default.contentsOfDirectory(
                at: url, includingPropertiesForKeys: nil)
        } catch {
            throw ModelFileError(.unreadable(error.localizedDescription), file: url)
        }
    }

    /// The text in the folder of a version. A file is its own text.
    private static func text(in folder: URL) throws(ModelFileError) -> URL {
        guard let children = try children(of: folder) else { return folder }
        if let text = children.first(where: { $0.lastPathComponent == "contents" }) { return text }
        if children.contains(where: { $0.lastPathComponent == "elements" }) {
            throw ModelFileError(.legacyFormat, file: folder)
        }
        throw ModelFileError(
            .notAModel("the folder has neither 'contents' nor a version"), file: folder)
    }

    /// The property lists that mark the current version, and their keys.
    private static let marks = [
        (".xccurrentversion", "_XCCurrentVersionName"),
        ("VersionInfo.plist", "NSManagedObjectModel_CurrentVersionName"),
    ]

    private static func markedVersion(of group: URL) throws(ModelFileError) -> String? {
        for (name, key) in marks {
            let file = group.appending(path: name, directoryHint: .notDirectory)
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            let data = try data(at: file)
            guard let list = try? PropertyListSerialization.propertyList(from: data, format: nil),
                let entries = list as? [String: Any]
            else { throw ModelFileError(.malformed("it is not a property list"), file: file) }
            return (entries[key] as? String).map(versionName)
        }
        return nil
    }

    /// A model of 1,000 entities has less than 2 MB. The limit prevents a file that is not a model
    /// from filling the memory: an element of four bytes takes some 70 when it is parsed.
    static let maximumByteCount = 16 << 20

    static func data(at file: URL) throws(ModelFileError) -> Data {
        let data: Data
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            data = try handle.read(upToCount: maximumByteCount + 1) ?? Data()
        } catch {
            throw ModelFileError(.unreadable(error.localizedDescription), file: file)
        }
        guard data.count <= maximumByteCount else {
            throw ModelFileError(.tooLarge(limit: maximumByteCount), file: file)
        }
        return data
    }
}
