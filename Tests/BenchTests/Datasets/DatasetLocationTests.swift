import Datasets
import Foundation
import Testing

@Suite final class `Finding the fetched tables` {
    let root = FileManager.default.temporaryDirectory
        .appendingPathComponent("location-\(UUID().uuidString)").resolvingSymlinksInPath()
    let elsewhere = URL(fileURLWithPath: "/")

    deinit {
        try? FileManager.default.removeItem(at: root)
    }

    @Test func `the current directory's cache is found`() throws {
        let cache = try makeCache(isWhole: true)

        let found = DatasetLocation.folder(
            environment: [:], currentDirectory: root, executable: nil)
        #expect(found?.path == cache.path)
    }

    @Test func `the cache of the package that built the executable is found`() throws {
        let cache = try makeCache(isWhole: true)

        let found = DatasetLocation.folder(
            environment: [:], currentDirectory: elsewhere,
            executable: root.appendingPathComponent(".build/release/bench"))
        #expect(found?.path == cache.path)
    }

    @Test func `tables that were unpacked only in part are passed over`() throws {
        _ = try makeCache(isWhole: false)

        #expect(
            DatasetLocation.folder(environment: [:], currentDirectory: root, executable: nil)
                == nil)
    }

    @Test func `the environment overrules all, so that a wrong path is noticed`() throws {
        _ = try makeCache(isWhole: true)

        let found = DatasetLocation.folder(
            environment: ["STACKBENCH_DATASETS": "/nowhere"], currentDirectory: root,
            executable: nil)
        #expect(found?.path == "/nowhere/nycflights13")
    }

    private func makeCache(isWhole: Bool) throws -> URL {
        let cache = root.appendingPathComponent("Benchmarks/Datasets/cache/nycflights13")
        try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
        if isWhole {
            try Data().write(to: cache.appendingPathComponent("SHA256SUMS"))
        }
        return cache
    }
}
