import Foundation

/// The workload files of the package, and its files of claims.
enum WorkloadFiles {
    /// The paths of all workload files, sorted by name.
    static func all() throws -> [String] { try files(in: "Benchmarks/Workloads") }

    /// The paths of all files of claims, sorted by name.
    static func claims() throws -> [String] { try files(in: "Benchmarks/Claims") }

    private static func files(in folder: String) throws -> [String] {
        guard let root = Executable.packageRoot else {
            throw BenchFailure(
                exitCode: .usage,
                message: "there is no folder Benchmarks/Workloads here; name workload files")
        }
        let place = root.appendingPathComponent(folder)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: place.path) else {
            throw BenchFailure(
                exitCode: .usage, message: "there is no folder \(folder) here; name files")
        }
        return names.filter { $0.hasSuffix(".yml") }.sorted().map {
            shown(place.appendingPathComponent($0).path)
        }
    }

    /// The most common questions, at sizes that fit in ten minutes.
    static func shootout() throws -> String { try named("shootout.yml") }

    /// The default file of `bench gate` with times; each of its cells takes seconds.
    static func gate() throws -> String { try named("gate.yml") }

    /// The file for counts without times; counts are cheap, so it has more cells.
    static func counts() throws -> String { try named("counts.yml") }

    /// The file of `bench gate` for the growth of costs, which needs no base.
    static func growth() throws -> String { try named("growth.yml") }

    /// - Parameter name: With its extension.
    static func named(_ name: String) throws -> String {
        guard let file = try all().first(where: { $0.hasSuffix("/\(name)") }) else {
            throw BenchFailure(
                exitCode: .usage,
                message: "there is no Benchmarks/Workloads/\(name); name a workload file")
        }
        return file
    }

    /// A path relative to the current folder if the file is below it.
    private static func shown(_ path: String) -> String {
        let current = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(current) ? String(path.dropFirst(current.count)) : path
    }
}
