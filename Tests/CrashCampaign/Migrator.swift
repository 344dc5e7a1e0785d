import Foundation
import ObjectGraph
import TestSupport

/// Kills a process that migrates a store from model to model and back, and checks that the store is
/// of one of the models, whole.
enum Migrator {
    private static let itemCount = 400

    /// The models, each of which can be inferred from the one before, and the first from the last:
    /// names, the form of a relationship, attributes, constraints and a parent change.
    private static func model(_ number: Int) throws -> ManagedObjectModel {
        let title = AttributeDescription("title", .string)
        let size = AttributeDescription("size", .integer64, isOptional: false, defaultValue: 1)
        let isRenamed = number == 1
        let item = EntityDescription(
            name: isRenamed ? "Thing" : "Item", superentity: number == 2 ? "Base" : nil,
            attributes: isRenamed ? [title, size] : [title],
            relationships: [
                RelationshipDescription(
                    name: isRenamed ? "owners" : "owner", destination: "Owner", inverse: "items",
                    maxCount: isRenamed ? 0 : 1, renamingIdentifier: isRenamed ? "owner" : "owners")
            ],
            uniquenessConstraints: number == 2 ? [["title"]] : [],
            renamingIdentifier: isRenamed ? "Item" : "Thing")
        let owner = EntityDescription(
            name: "Owner",
            relationships: [.toMany("items", item.name, inverse: item.relationships[0].name)])
        let base = EntityDescription(name: "Base", isAbstract: true)
        return try ManagedObjectModel(entities: [item, owner] + (number == 2 ? [base] : []))
    }

    private static func open(
        _ url: URL, _ number: Int, journal: String, migrates: Bool = true
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: try model(number))
        var description = PersistentStoreDescription.sqlite(at: url)
        description.pragmas = ["journal_mode": journal]
        description.migration.isAutomatic = migrates
        try coordinator.addPersistentStore(description)
        return coordinator
    }

    private static func close(_ coordinator: PersistentStoreCoordinator) throws {
        try coordinator.removePersistentStore(coordinator.persistentStores[0])
    }

    static func makeStore(at url: URL, journal: String) throws {
        let coordinator = try open(url, 0, journal: journal)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let owners = try (0..<3).map { _ in try context.insertObject(entityName: "Owner") }
            for number in 0..<itemCount {
                let item = try context.insertObject(entityName: "Item")
                try item.setValue("\(number)", forKey: "title")
                try item.setValue(owners[number % 3], forKey: "owner")
            }
            try context.save()
        }
        try close(coordinator)
    }

    /// Migrates until the process is killed.
    static func run(_ url: URL, journal: String) -> Never {
        do {
            var number = try modelOfStore(at: url, journal: journal)
            FileHandle.standardOutput.write(Data("\(Writer.ready)\n".utf8))
            while true {
                number = (number + 1) % 3
                try close(try open(url, number, journal: journal))
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func modelOfStore(at url: URL, journal: String) throws -> Int {
        for number in 0..<3 {
            do {
                try close(try open(url, number, journal: journal, migrates: false))
                return number
            } catch let error as StoreError {
                guard case .incompatibleModel = error.reason else { throw error }
            }
        }
        throw CrashFailure("the store is of none of the models")
    }

    /// Throws if the store is damaged or lacks something.
    static func check(_ url: URL, journal: String) throws {
        let number = try modelOfStore(at: url, journal: journal)
        let coordinator = try open(url, number, journal: journal, migrates: false)
        let integrity = try coordinator.pragma(
            "integrity_check", of: coordinator.persistentStores[0])
        guard integrity == "ok" else { throw CrashFailure(integrity) }
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            var titles: [[String]] = []
            for owner in try context.fetch(
                FetchRequest(entityName: "Owner"), as: ManagedObject.self)
            {
                let items = try owner.value(forKey: "items") as? Set<ManagedObject> ?? []
                titles.append(
                    try items.compactMap { try $0.value(forKey: "title") as? String }.sorted())
            }
            let expected = (0..<3).map { owner in
                (0..<itemCount).filter { $0 % 3 == owner }.map(String.init).sorted()
            }
            guard Set(titles) == Set(expected) else {
                throw CrashFailure("items or their owners are missing after model \(number)")
            }
        }
        try close(coordinator)
    }
}
