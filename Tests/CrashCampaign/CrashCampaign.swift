import Dispatch
import Foundation
import ObjectGraph
import Stacks
import TestSupport

/// Kills writers at random moments, and compares the stores with the acknowledged saves: the store
/// opens, every acknowledged save is complete, one further save is complete or absent, SQLite finds
/// no damage, derived attributes have the values of a computation, and the files of large values
/// are those of the rows. Every second kind of stack keeps a history, which must agree with the
/// rows. In between, several processes create one new store at once, and migrations
/// are killed.
///
/// `scripts/crash` builds and runs it.
@main
enum CrashCampaign {
    private static let kinds: [StackKind] = [.nested, .shared, .single, .isolatedBatch]
    private static let journals = ["WAL", "DELETE"]

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "write", arguments.count == 4,
            let kind = kinds.first(where: { $0.name == arguments[2] })
        {
            Writer.run(
                kind, try configuration(URL(filePath: arguments[4]), kind, journal: arguments[3]))
        }
        if arguments.first == "add", arguments.count == 3 {
            Writer.addTag(
                try configuration(URL(filePath: arguments[3]), .single, journal: arguments[2]))
        }
        if arguments.first == "migrate", arguments.count == 4,
            let cycle = MigrationCycle.named(arguments[2])
        {
            Migrator(cycle: cycle, url: URL(filePath: arguments[4]), journal: arguments[3]).run()
        }
        guard arguments.count == 1, let killCount = Int(arguments[1]), killCount > 0 else {
            FileHandle.standardError.write(Data("usage: CrashCampaign KILLS\n".utf8))
            exit(64)
        }
        exit(try run(killCount) == 0 ? 0 : 1)
    }

    /// Every second kind of stack keeps a history.
    private static func configuration(
        _ url: URL, _ kind: StackKind, journal: String
    ) throws -> StackConfiguration {
        StackConfiguration(
            model: try Journal.model(), location: .sqlite(url), pragmas: ["journal_mode": journal],
            tracksHistory: [StackKind.nested.name, StackKind.single.name].contains(kind.name))
    }

    /// - Returns: The number of kills that left a wrong state.
    private static func run(_ killCount: Int) throws -> Int {
        var generator = SeededGenerator.fromEnvironment()
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        var acknowledged: [URL: Int] = [:]
        var totals = (saves: 0, unfinished: 0, failures: 0)
        for kill in 0..<killCount {
            let kind = kinds[kill % kinds.count]
            let journal = journals[kill / kinds.count % journals.count]
            // Every third writer creates its store; the others continue with the store of the one
            // before.
            let isNew = kill / (kinds.count * journals.count) % 3 == 0
            let url = folder.url("\(kind.name)-\(journal)\(isNew ? "-\(kill)" : "").sqlite")
            // Half of the writers of old stores have saved before the delay begins, however slow the
            // machine is.
            let saveCount = isNew ? 0 : [0, 0, 0, 1, 2, 3].randomElement(using: &generator)!
            let delay = Int.random(in: 0...(isNew ? 30_000 : 60_000), using: &generator)
            let before = acknowledged[url, default: 0]
            do {
                let last = try acknowledgedSave(
                    ofWriterKilledAfter: delay, saveCount: saveCount, kind, journal: journal, url)
                if FileManager.default.hasJournal(of: url) { totals.unfinished += 1 }
                let found = try check(
                    url, kind, try configuration(url, kind, journal: journal),
                    acknowledged: max(last, before), readsFirst: kill % 3 == 1)
                totals.saves += max(0, found - before)
                acknowledged[url] = found
            } catch {
                totals.failures += 1
                print(
                    "kill \(kill), \(kind.name), \(journal), \(delay) µs after \(saveCount) saves: \(error)"
                )
                acknowledged[url] = nil
                try removeStore(at: url)
            }
            if isNew { try removeStore(at: url) }
            if kill % 20 == 0 {
                do { try openAtOnce(journal: journal) } catch {
                    totals.failures += 1
                    print("opening at once after kill \(kill), \(journal): \(error)")
                }
            }
            if kill % 2 == 0 {
                let cycle = MigrationCycle.all[kill / 2 % MigrationCycle.all.count]
                do { try killMigration(cycle, journal: journal, folder, &generator) } catch {
                    totals.failures += 1
                    print("migration \(cycle.name) after kill \(kill), \(journal): \(error)")
                }
            }
        }
        print(
            "\(killCount) kills, \(totals.saves) saves, \(totals.unfinished) stores left with a rollback journal or a WAL, \(totals.failures) failures"
        )
        if killCount >= 120, totals.saves == 0 {
            print("no writer has saved, so nothing was tested: is the machine too slow?")
            return totals.failures + 1
        }
        return totals.failures
    }

    /// Runs a writer and kills it.
    ///
    /// - Parameters:
    ///   - delay: In microseconds, from just before the store is opened or from the last awaited save.
    ///   - saveCount: The acknowledged saves to wait for.
    /// - Returns: The number of the last acknowledged save; 0 if there is none.
    private static func acknowledgedSave(
        ofWriterKilledAfter delay: Int, saveCount: Int, _ kind: StackKind, journal: String,
        _ url: URL
    ) throws -> Int {
        try linesOfProcess(
            ["write", kind.name, journal, url.path], killedAfter: delay, lineCount: saveCount
        ).last.flatMap { Int($0) } ?? 0
    }

    /// The lines that a process has written after the first one, before it was killed.
    ///
    /// - Parameter lineCount: The lines to wait for, besides the first, before the delay begins.
    private static func linesOfProcess(
        _ arguments: [String], killedAfter delay: Int, lineCount: Int = 0
    ) throws -> [String] {
        let process = Process()
        let output = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let writer = process.processIdentifier
        let watchdog = DispatchWorkItem { kill(writer, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: watchdog)
        defer { watchdog.cancel() }
        var text = Data()
        repeat {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { break }
            text += part
        } while text.count(where: { $0 == UInt8(ascii: "\n") }) <= lineCount
        usleep(UInt32(delay))
        kill(writer, SIGKILL)
        text += try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL
        else { throw CrashFailure("the writer ended by itself") }
        // The kill may cut off the last line: only whole lines count.
        let lines = String(decoding: text, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false
        ).dropLast().map(String.init)
        guard lines.first == Writer.ready else { throw CrashFailure("the writer did not begin") }
        guard lines.count > lineCount else {
            throw CrashFailure("the writer hung after \(lines.count - 1) saves")
        }
        return Array(lines.dropFirst())
    }

    /// Kills a process that migrates a store, twice, and checks what it leaves.
    private static func killMigration(
        _ cycle: MigrationCycle, journal: String, _ folder: TemporaryFolder,
        _ generator: inout SeededGenerator
    ) throws {
        let url = folder.url("\(cycle.name)-\(journal).sqlite")
        let migrator = Migrator(cycle: cycle, url: url, journal: journal)
        if !FileManager.default.fileExists(atPath: url.path) { try migrator.makeStore() }
        for _ in 0..<2 {
            let delay = Int.random(in: 0...cycle.longestDelay, using: &generator)
            _ = try linesOfProcess(
                ["migrate", cycle.name, journal, url.path], killedAfter: delay)
            try migrator.check()
        }
    }

    /// Six processes open one new store at once and save one object each.
    private static func openAtOnce(journal: String) throws {
        let folder = TemporaryFolder()
        let url = folder.url("new.sqlite")
        let processes = try (0..<6).map { _ in
            let process = Process()
            process.executableURL = Bundle.main.executableURL
            process.arguments = ["add", journal, url.path]
            try process.run()
            return process
        }
        for process in processes { process.waitUntilExit() }
        guard processes.allSatisfy({ $0.terminationStatus == 0 }) else {
            throw CrashFailure("a process could not open the store")
        }
        let coordinator = try configuration(url, .single, journal: journal).openCoordinator()
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let count = try context.performAndWait { try Tag.count(in: context) }
        guard count == processes.count else {
            throw CrashFailure("\(count) of \(processes.count) saves are there")
        }
    }

    // MARK: - What is left

    /// - Parameter readsFirst: Whether to read the file, without changing it, before opening it.
    /// - Returns: The number of the last save in the store.
    private static func check(
        _ url: URL, _ kind: StackKind, _ configuration: StackConfiguration, acknowledged: Int,
        readsFirst: Bool
    ) throws -> Int {
        if readsFirst { try checkForReading(url, configuration, acknowledged: acknowledged) }
        let stack = try kind.make(configuration)
        let last = try lastSave(in: stack.coordinators[0], acknowledged: acknowledged)
        let token = try stack.coordinators[0].currentPersistentHistoryToken()
        guard token.transactionNumbers.isEmpty != configuration.tracksHistory else {
            throw CrashFailure("the history is missing, or none was asked for")
        }
        try stack.close()
        let files =
            (try? FileManager.default.contentsOfDirectory(atPath: files(of: url).path)) ?? []
        guard files.count == Journal.fileCount(after: last) else {
            throw CrashFailure(
                "\(files.count) files of covers after save \(last), not \(Journal.fileCount(after: last))"
            )
        }
        return last
    }

    /// The folder of the values that are too large for the store's rows.
    private static func files(of url: URL) -> URL {
        let name = url.deletingPathExtension().lastPathComponent
        return url.deletingLastPathComponent().appending(path: ".\(name)_SUPPORT/_EXTERNAL_DATA")
    }

    private static func checkForReading(
        _ url: URL, _ configuration: StackConfiguration, acknowledged: Int
    ) throws {
        do {
            _ = try PersistentStoreCoordinator.metadataForPersistentStore(at: url)
            var description = PersistentStoreDescription.sqlite(at: url)
            description.isReadOnly = true
            let coordinator = PersistentStoreCoordinator(model: configuration.model)
            let store = try coordinator.addPersistentStore(description)
            _ = try lastSave(in: coordinator, acknowledged: acknowledged)
            try coordinator.removePersistentStore(store)
        } catch let error as StoreError where acknowledged == 0 {
            // The writer has not acknowledged a save, so there may be no store yet.
            switch error.reason {
            case .missingFile, .incompatibleSchema: break
            default: throw error
            }
        }
    }

    private static func lastSave(
        in coordinator: PersistentStoreCoordinator, acknowledged: Int
    ) throws -> Int {
        let integrity = try coordinator.pragma(
            "integrity_check", of: coordinator.persistentStores[0])
        guard integrity == "ok" else { throw CrashFailure(integrity) }
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        return try context.performAndWait {
            let last = try Journal.lastSave(in: context)
            guard last == acknowledged || last == acknowledged + 1 else {
                throw CrashFailure("save \(acknowledged) was acknowledged, and \(last) is the last")
            }
            var differences = try Journal.differences(after: last, in: context)
            if try !coordinator.currentPersistentHistoryToken().transactionNumbers.isEmpty {
                differences += try Journal.historyDifferences(after: last, in: context)
            }
            guard differences.isEmpty else {
                throw CrashFailure(
                    "after save \(last): \(differences.prefix(5).joined(separator: "; "))")
            }
            return last
        }
    }

    private static func removeStore(at url: URL) throws {
        try? FileManager.default.removeItem(at: files(of: url).deletingLastPathComponent())
        for suffix in ["", "-wal", "-shm", "-journal"]
        where FileManager.default.fileExists(atPath: url.path + suffix) {
            try FileManager.default.removeItem(atPath: url.path + suffix)
        }
    }
}

/// A wrong state after a kill.
struct CrashFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension FileManager {
    /// Whether there is still a rollback journal or a WAL with content beside the file.
    fileprivate func hasJournal(of url: URL) -> Bool {
        ["-journal", "-wal"].contains { suffix in
            let attributes = try? attributesOfItem(atPath: url.path + suffix)
            return (attributes?[.size] as? Int ?? 0) > 0
        }
    }
}
