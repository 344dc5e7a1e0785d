import Foundation

/// Finds the folder in which `scripts/fetch-dataset` stores the tables.
public enum DatasetLocation {
    /// The folder named by the environment, or the one in the package; `nil` if there is none.
    public static func current() -> URL? {
        folder(
            environment: ProcessInfo.processInfo.environment,
            currentDirectory: URL(fileURLWithPath: FileManager.default.currentDirectoryPath),
            executable: Bundle.main.executableURL)
    }

    /// The first of these folders that has the tables:
    /// 1. `STACKBENCH_DATASETS`; if it is set, no other folder is tried, and this one need not
    ///    exist. The value `generated` means `nil`: rows are generated even if tables were fetched;
    /// 2. `Benchmarks/Datasets/cache` in the current directory;
    /// 3. the same in each folder above the executable, which is in the package's build folder.
    public static func folder(
        environment: [String: String], currentDirectory: URL, executable: URL?
    ) -> URL? {
        if let cache = environment["STACKBENCH_DATASETS"] {
            guard cache != "generated" else { return nil }
            return URL(fileURLWithPath: cache).appendingPathComponent(dataset)
        }
        var roots = [currentDirectory]
        if var folder = executable?.resolvingSymlinksInPath() {
            while folder.path != "/" {
                folder.deleteLastPathComponent()
                roots.append(folder)
            }
        }
        return
            roots
            .map { $0.appendingPathComponent("Benchmarks/Datasets/cache/\(dataset)") }
            .first { isComplete($0) }
    }

    private static let dataset = "nycflights13"

    /// `scripts/fetch-dataset` writes the checksums last, so a folder without them is incomplete.
    private static func isComplete(_ folder: URL) -> Bool {
        FileManager.default.fileExists(
            atPath: folder.appendingPathComponent("SHA256SUMS").path)
    }
}
