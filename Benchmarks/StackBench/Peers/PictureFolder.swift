import Foundation

/// Writes pictures by hand as the engine does: files first, then the rows with their names.
struct PictureFolder {
    private let path: String
    private let isSynced: Bool

    init(_ configuration: SubjectConfiguration) {
        path = configuration.pictureFolder.path
        isSynced = configuration.synchronous != "off"
    }

    /// Writes the picture to so many files.
    ///
    /// - Returns: for each file what its row has: a byte 2, the name and a zero byte.
    func makeFiles(_ count: Int, with picture: Data) throws -> [Data] {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        let references = try (0..<count).map { _ in
            let name = UUID().uuidString
            try makeFile("\(path)/\(name)", with: picture)
            return Data([UInt8(2)] + name.utf8 + [0])
        }
        if isSynced { try sync(open(path, O_RDONLY | O_DIRECTORY)) }
        return references
    }

    private func makeFile(_ path: String, with picture: Data) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o644)
        let count = picture.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard count == picture.count else { throw PictureFailure(path: path, code: errno) }
        if isSynced { try sync(file) } else { close(file) }
    }

    /// Syncs and closes a file.
    private func sync(_ file: Int32) throws {
        defer { close(file) }
        guard fsync(file) == 0 else { throw PictureFailure(path: path, code: errno) }
    }
}

extension SubjectConfiguration {
    /// Where the files of pictures are.
    var pictureFolder: URL { storeURL.supportFolder.appending(path: "_EXTERNAL_DATA") }
}

struct PictureFailure: Error, CustomStringConvertible {
    var path: String
    var code: Int32

    var description: String { "\(path): \(String(cString: strerror(code)))" }
}
