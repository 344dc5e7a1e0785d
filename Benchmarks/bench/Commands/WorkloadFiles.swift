import Foundation

/// The workload files of the package.
enum WorkloadFiles {
    /// Left out when no file is named: engine.yml measures the engine, harness.yml the harness, ci.yml
    /// is small, and gate.yml is for comparing builds.
    private static let notByDefault = ["engine.yml", "harness.yml", "ci.yml", "gate.yml"]

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

    /// The files of the default shootout.
    static func defaults() throws -> [String] {
        try all().filter { path in !notByDefault.contains { path.hasSuffix("/" + $0) } }
    }

    /// The file for `bench gate`.
    static func gate() throws -> String {
        guard let file = try all().first(where: { $0.hasSuffix("/gate.yml") }) else {
            throw CommandFailure(
                exitCode: .usage,
                message: "there is no Benchmarks/Workloads/gate.yml; name a workload file")
        }
        return file
    }

    /// Relative to the current folder where it lies below it.
    private static func shown(_ path: String) -> String {
        let current = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(current) ? String(path.dropFirst(current.count)) : path
    }
}
