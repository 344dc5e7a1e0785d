import Foundation

/// Finds the folder into which `scripts/fetch-dataset` unpacks the tables.
public enum DatasetLocation {
    /// The folder named by the environment, or the one in the package; `nil` where nothing was
    /// fetched.
    public static func current() -> URL? {
        folder(
            environment: ProcessInfo.processInfo.environment,
            currentDirectory: URL(fileURLWithPath: FileManager.default.currentDirectoryPath),
            executable: Bundle.main.executableURL)
    }

    /// Looks in three places, the first that has the tables winning:
    /// 1. `STACKBENCH_DATASETS`, which when set is the only one, there or not; `generated` means that
    ///    rows are to be made though others were fetched;
    /// 2. `Benchmarks/Datasets/cache` in the current directory;
    /// 3. the same in each folder above the executable, which lies in the package's build folder.
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

    /// `scripts/fetch-dataset` writes the sums last, so a folder without them is half unpacked.
    private static func isComplete(_ folder: URL) -> Bool {
        FileManager.default.fileExists(
            atPath: folder.appendingPathComponent("SHA256SUMS").path)
    }
}
