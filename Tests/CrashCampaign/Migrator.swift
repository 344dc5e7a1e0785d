import Foundation
import ObjectGraph
import TestSupport

/// Kills a process that migrates a store from model to model and back, and checks that the store is
/// of one of the models, whole.
struct Migrator {
    let cycle: MigrationCycle
    let url: URL
    let journal: String

    private func open(_ number: Int, migrates: Bool = true) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: try cycle.model(number))
        var description = PersistentStoreDescription.sqlite(at: url)
        description.pragmas = ["journal_mode": journal]
        if migrates { description.migration = try cycle.options(number) }
        description.migration.isAutomatic = migrates
        try coordinator.addPersistentStore(description)
        return coordinator
    }

    private func close(_ coordinator: PersistentStoreCoordinator) throws {
        try coordinator.removePersistentStore(coordinator.persistentStores[0])
    }

    func makeStore() throws {
        let coordinator = try open(0, migrates: false)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            try cycle.fill(context)
            try context.save()
        }
        try close(coordinator)
    }

    /// Migrates until the process is killed.
    func run() -> Never {
        do {
            var number = try modelOfStore()
            FileHandle.standardOutput.write(Data("\(Writer.ready)\n".utf8))
            while true {
                number = cycle.number(after: number)
                try close(try open(number))
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private func modelOfStore() throws -> Int {
        for number in 0..<cycle.modelCount {
            do {
                try close(try open(number, migrates: false))
                return number
            } catch let error as StoreError {
                guard case .incompatibleModel = error.reason else { throw error }
            }
        }
        throw CrashFailure("the store is of none of the models")
    }

    /// Throws if the store is damaged or lacks something, or if the killed process has left files.
    func check() throws {
        let number = try modelOfStore()
        let coordinator = try open(number, migrates: false)
        let integrity = try coordinator.pragma(
            "integrity_check", of: coordinator.persistentStores[0])
        guard integrity == "ok" else { throw CrashFailure(integrity) }
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let wrong = try context.performAndWait { try cycle.difference(context, number) }
        try close(coordinator)
        if let wrong { throw CrashFailure("\(wrong), with model \(number)") }
        let files = try FileManager.default.contentsOfDirectory(
            atPath: url.deletingLastPathComponent().path)
        let name = url.deletingPathExtension().lastPathComponent
        let strange = files.filter {
            $0.contains(name) && !$0.hasPrefix(name) && $0 != ".\(name)_SUPPORT"
        }
        guard strange.isEmpty else { throw CrashFailure("left behind: \(strange)") }
    }
}
