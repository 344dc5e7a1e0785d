import Foundation

/// The workload files of the package.
enum WorkloadFiles {
    /// Every file, in the order of their names, as paths to show.
    static func all() throws -> [String] {
        guard let root = Executable.packageRoot else {
            throw CommandFailure(
                exitCode: .usage,
                message: "there is no Benchmarks/Workloads here; name the workload files to run")
        }
        let folder = root.appendingPathComponent("Benchmarks/Workloads")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return names.filter { $0.hasSuffix(".yml") }.sorted().map {
            shown(folder.appendingPathComponent($0).path)
        }
    }

    /// The questions that most people come with, at sizes that ten minutes hold.
    static func shootout() throws -> String { try named("shootout.yml") }

    /// The file for `bench gate`, whose every cell costs seconds.
    static func gate() throws -> String { try named("gate.yml") }

    /// The file for counting without times, which is cheap and so has more cells.
    static func counts() throws -> String { try named("counts.yml") }

    /// The file for `bench gate` of how costs grow, which needs no base.
    static func growth() throws -> String { try named("growth.yml") }

    private static func named(_ name: String) throws -> String {
        guard let file = try all().first(where: { $0.hasSuffix("/\(name)") }) else {
            throw CommandFailure(
                exitCode: .usage,
                message: "there is no Benchmarks/Workloads/\(name); name a workload file")
        }
        return file
    }

    /// Relative to the current folder where it lies below it.
    private static func shown(_ path: String) -> String {
        let current = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(current) ? String(path.dropFirst(current.count)) : path
    }
}
