import Foundation
import TestSupport

@testable import ObjectGraph

/// Versions of a model of pages: the number of words is added, becomes mandatory, and the title
/// goes.
struct StagedVersions: Sendable {
    let fixture = MigrationFixture()
    let models: [ManagedObjectModel]

    init() throws {
        let title = AttributeDescription("title", .string)
        let words = AttributeDescription("words", .integer64)
        let mandatory = AttributeDescription(
            "words", .integer64, isOptional: false, defaultValue: -1)
        let attributes = [[title], [title, words], [title, mandatory], [mandatory]]
        models = try attributes.map {
            try ManagedObjectModel(entities: [
                EntityDescription(name: "Page", attributes: $0)
            ])
        }
    }

    /// The model of a version; the first is 1.
    func model(_ version: Int) -> ManagedObjectModel { models[version - 1] }

    func reference(_ version: Int) throws -> ModelReference {
        try ModelReference(
            model(version), versionChecksum: model(version).versionChecksum)
    }

    func lightweight(_ versions: Int...) -> LightweightMigrationStage {
        LightweightMigrationStage(versions.map { model($0).versionChecksum })
    }

    func custom(
        _ source: Int, _ destination: Int,
        willMigrate: CustomMigrationStage.Handler? = nil,
        didMigrate: CustomMigrationStage.Handler? = nil
    ) throws -> CustomMigrationStage {
        try CustomMigrationStage(
            from: reference(source), to: reference(destination), willMigrate: willMigrate,
            didMigrate: didMigrate)
    }

    /// A stage whose code counts the words of titles, between the two versions with optional words.
    func counting() throws -> CustomMigrationStage {
        try custom(1, 2, didMigrate: Self.countWords)
    }

    static let countWords: CustomMigrationStage.Handler = { context in
        for page in try context.fetch(FetchRequest(entityName: "Page"), as: ManagedObject.self) {
            let title = try page.value(forKey: "title") as? String ?? ""
            try page.setValue(title.split(separator: " ").count, forKey: "words")
        }
    }

    /// Opens the store with the model of a version, and closes it after the body.
    func open<Result: Sendable>(
        _ version: Int, _ stages: [any MigrationStage]? = nil,
        _ change: (inout PersistentStoreDescription) -> Void = { _ in },
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        let coordinator = PersistentStoreCoordinator(model: model(version))
        var description = PersistentStoreDescription.sqlite(at: fixture.url)
        description.migration.sourceModels = models
        description.migration.stages = stages.map(StagedMigrationManager.init)
        change(&description)
        let store = try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let result = try context.performAndWait { try body(context) }
        try coordinator.removePersistentStore(store)
        return result
    }

    /// Opens the store with the model of a version, without a migration.
    func content(_ version: Int) throws -> [String: String] {
        try open(version, nil, { $0.migration.isAutomatic = false }) { try $0.content() }
    }

    /// Makes a store of a version with a page for each title.
    func make(_ version: Int, _ titles: String...) throws {
        try open(version) { context in
            for title in titles {
                try context.insertObject(entityName: "Page").setValue(title, forKey: "title")
            }
            try context.save()
        }
    }
}

/// The program's code fails.
struct CodeFailure: Error {}
