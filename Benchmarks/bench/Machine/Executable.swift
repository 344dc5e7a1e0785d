import Foundation

/// Where this program lies, and the package that it was built from.
enum Executable {
    static let url: URL = {
        let path = Bundle.main.executablePath ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: path).resolvingSymlinksInPath()
    }()

    /// Whether it was built since, by the time of its file: two builds of changed sources have the same commit.
    static func isNewer(than date: Date) -> Bool {
        let values = try? url.resourceValues(forKeys: [.contentModificationDateKey])
        return values?.contentModificationDate.map { $0 > date } ?? false
    }

    /// The folder of our Package.swift: the current one or above it, else above the executable,
    /// which lies in the package's build folder; nil when bench was copied elsewhere.
    static let packageRoot: URL? = {
        let current = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        return [current, url].lazy.compactMap(package(above:)).first
    }()

    /// The folder of a Package.swift like ours, the place itself or one above it.
    static func package(above place: URL) -> URL? {
        var folder = place
        while folder.path != "/" {
            let names = ["Package.swift", "Benchmarks/Workloads"]
            let isOurs = names.allSatisfy {
                FileManager.default.fileExists(atPath: folder.appendingPathComponent($0).path)
            }
            if isOurs { return folder }
            folder.deleteLastPathComponent()
        }
        return nil
    }
}
