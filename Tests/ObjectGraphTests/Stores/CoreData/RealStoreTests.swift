import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Files that Core Data and SwiftData have written for programs of others. They are not part of the
/// repository; without them these tests are skipped, and the stores of `CoreDataStore` must do.
@Suite(.enabled(if: RealStore.isAvailable))
struct `Real stores of Core Data (§8.7)` {
    @Test(arguments: RealStore.names.filter(RealStore.hasModel))
    func `reading one leaves its files as they are (§11.4.1)`(_ name: String) async throws {
        let store = try RealStore(name)
        let files = try store.files()
        let content = try await store.content { $0.isReadOnly = true }
        #expect(!content.isEmpty || name == "S151")
        let isUnchanged = try store.files() == files
        #expect(isUnchanged)
    }

    @Test(arguments: RealStore.names.filter(RealStore.hasModel))
    func `it opens with its own model, is written and read again (§8.7.1, §8.7.3)`(
        _ name: String
    ) async throws {
        try await RealStore(name).requireWritable()
    }

    @Test(arguments: RealStore.names.filter { RealStore.modelFile($0) != nil })
    func `it opens with the model file of its program (§8.7.1)`(_ name: String) async throws {
        let store = try RealStore(name)
        let model = try ManagedObjectModel(contentsOf: #require(RealStore.modelFile(name)))
        let isOwn =
            try RealStore.hasModel(name)
            && PersistentStoreCoordinator.model(ofStoreAt: store.url).entityVersionHashesByName
                == model.entityVersionHashesByName
        if isOwn {
            let contents = [try await store.content(), try await store.content(model)]
            #expect(Set(contents[0].keys) == Set(contents[1].keys))
        }
        try await store.requireWritable(model) { description in
            // The file of some programs is of another version than the store.
            description.migration.isAutomatic = true
            description.ignoresModelVersions = !RealStore.hasModel(name)
        }
    }
}

/// A copy of a real store.
private struct RealStore {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../../shared/stores").standardizedFileURL
    static var isAvailable: Bool { !names.isEmpty }

    static let names: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (names ?? []).filter { !$0.hasPrefix("README") }.sorted()
    }()

    /// Whether it carries its model; programs before 2013 did not write it.
    static func hasModel(_ name: String) -> Bool { name != "S009" }

    /// The folder of the version that the program had.
    static func modelFile(_ name: String) -> URL? {
        try? FileManager.default.contentsOfDirectory(
            at: folder.appending(path: "\(name)/model"), includingPropertiesForKeys: nil
        ).first { $0.pathExtension == "xcdatamodel" }
    }

    let copy = TemporaryFolder()
    let url: URL

    init(_ name: String) throws {
        var url: URL?
        for file in try FileManager.default.contentsOfDirectory(
            at: Self.folder.appending(path: name), includingPropertiesForKeys: nil)
        where file.lastPathComponent != "model" {
            // The originals are write-protected.
            let target = copy.url(file.lastPathComponent)
            try Data(contentsOf: file).write(to: target)
            if file.pathExtension != "sqlite-wal", !file.path.hasSuffix("-wal") { url = target }
        }
        self.url = try #require(url)
    }

    func files() throws -> [String: Data] {
        try FileManager.default.subpathsOfDirectory(atPath: copy.url.path).reduce(into: [:]) {
            $0[$1] = try Data(contentsOf: copy.url.appending(path: $1))
        }
    }

    /// Runs the body with a context on the store, and closes it.
    func run<Result: Sendable>(
        _ model: ManagedObjectModel? = nil,
        _ configure: (inout PersistentStoreDescription) -> Void = { _ in },
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        let container =
            try model.map { PersistentContainer(name: "App", model: $0) }
            ?? PersistentContainer(storeAt: url)
        var description = PersistentStoreDescription.sqlite(at: url)
        description.migration.isAutomatic = false
        description.tracksHistory = true
        configure(&description)
        container.persistentStoreDescriptions = [description]
        try container.loadPersistentStores()
        let result = try await container.performBackgroundTask(body)
        let coordinator = container.coordinator
        for store in coordinator.persistentStores { try coordinator.removePersistentStore(store) }
        return result
    }

    func content(
        _ model: ManagedObjectModel? = nil,
        _ configure: (inout PersistentStoreDescription) -> Void = { _ in }
    ) async throws -> [String: String] {
        try await run(model, configure) { try $0.content() }
    }

    /// Changes an object of each entity and reads all again.
    func requireWritable(
        _ model: ManagedObjectModel? = nil,
        _ configure: (inout PersistentStoreDescription) -> Void = { _ in }
    ) async throws {
        let (counts, changed) = try await run(model, configure) { context in
            var counts: [String: Int] = [:]
            for entity in context.model.entities where !entity.isAbstract {
                var request = FetchRequest(entityName: entity.name)
                request.includesSubentities = false
                let objects = try context.fetch(request, as: ManagedObject.self)
                counts[entity.name] = objects.count
                guard let object = objects.first else { continue }
                for property in entity.properties
                where !property.isHidden && !property.isTransient && property.derivation == nil {
                    try object.touch(property)
                }
            }
            #expect(context.hasChanges || counts.values.allSatisfy { $0 == 0 })
            try context.save()
            return (counts, try context.content())
        }
        #expect(changed.keys.count { !$0.contains(".") } == counts.values.reduce(0, +))
        // The values are those of others, and are not printed.
        let isSame = try await content(model, configure) == changed
        #expect(isSame)
    }
}

extension ManagedObject {
    /// Sets another value, if the type has one that needs no knowledge of the program.
    fileprivate func touch(_ attribute: Property) throws {
        switch attribute.attributeType {
        case .double, .float:
            try setValue(
                (value(forKey: attribute.name) as? Double ?? 0) + 1, forKey: attribute.name)
        case .date:
            let date = try value(forKey: attribute.name) as? Date ?? .distantPast
            try setValue(date + 60, forKey: attribute.name)
        case .string:
            let text = try value(forKey: attribute.name) as? String ?? ""
            try setValue("\(text) again", forKey: attribute.name)
        case .boolean:
            let flag = try value(forKey: attribute.name) as? Bool ?? false
            try setValue(!flag, forKey: attribute.name)
        default: break
        }
    }
}
