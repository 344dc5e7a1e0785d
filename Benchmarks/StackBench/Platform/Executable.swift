import Foundation

/// The path of this program, and the package that it was built from.
enum Executable {
    static let url: URL = {
        let path = Bundle.main.executablePath ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: path).resolvingSymlinksInPath()
    }()

    /// Its name, which a program of another package chooses.
    static var name: String { url.lastPathComponent }

    /// Whether the file is newer than a date. Builds of changed sources may have the same commit.
    static func isNewer(than date: Date) -> Bool {
        modificationDate.map { $0 > date } ?? false
    }

    /// When it was built; `nil` if its file cannot be read.
    static var modificationDate: Date? {
        try? url.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
    }

    /// The folder of this package: the current folder or one above it, otherwise one above the
    /// executable. Nil if bench was copied elsewhere.
    static let packageRoot: URL? = {
        let current = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        return [current, url].lazy.compactMap(package(above:)).first
    }()

    /// The folder of a package with `Benchmarks/Workloads`, at this place or above it.
    static func package(above place: URL) -> URL? {
        folder(above: place, having: ["Package.swift", "Benchmarks/Workloads"])
    }

    /// The package that this program was built in; nil if it was copied elsewhere.
    static let builtPackage: URL? = folder(above: url, having: ["Package.swift"])

    /// The package whose revisions a run and a gate name.
    static var repository: URL? { packageRoot ?? builtPackage }

    private static func folder(above place: URL, having names: [String]) -> URL? {
        var folder = place
        while folder.path != "/" {
            let isOurs = names.allSatisfy {
                FileManager.default.fileExists(atPath: folder.appendingPathComponent($0).path)
            }
            if isOurs { return folder }
            folder.deleteLastPathComponent()
        }
        return nil
    }
}
