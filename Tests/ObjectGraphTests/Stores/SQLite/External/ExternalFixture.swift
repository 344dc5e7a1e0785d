import Foundation
import TestSupport

@testable import ObjectGraph

/// A store of photos whose data go to files if they have more than 100 bytes.
struct ExternalFixture: Sendable {
    let folder = TemporaryFolder()
    let coordinator: PersistentStoreCoordinator
    let store: PersistentStoreHandle
    let context: ManagedObjectContext

    static let large = Data(repeating: 7, count: 101)
    static let other = Data(repeating: 9, count: 5000)
    static let small = Data(repeating: 5, count: 100)

    /// - Parameter isDerived: Whether albums have the number of their photos, and the sum of their
    ///   sizes.
    static func model(
        isExternal: Bool = true, isUnique: Bool = false, isDerived: Bool = false
    ) throws -> ManagedObjectModel {
        let derived = [
            AttributeDescription("photoCount", .integer64, derivation: "photos.@count"),
            AttributeDescription("byteCount", .integer64, derivation: "photos.size.@sum"),
        ]
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Album",
                attributes: [AttributeDescription("name", .string)] + (isDerived ? derived : []),
                relationships: [
                    .toMany("photos", "Photo", inverse: "album", deleteRule: .cascade)
                ]),
            EntityDescription(
                name: "Photo",
                attributes: [
                    AttributeDescription("name", .string),
                    AttributeDescription("size", .integer64),
                    AttributeDescription("data", .binaryData, allowsExternalStorage: isExternal),
                ], relationships: [.toOne("album", "Album", inverse: "photos")],
                uniquenessConstraints: isUnique ? [["name"]] : []),
        ])
    }

    static func description(_ url: URL) -> PersistentStoreDescription {
        var description = PersistentStoreDescription.sqlite(at: url)
        description.externalStorageThresholdBytes = 100
        return description
    }

    /// - Parameters:
    ///   - photos: The data of the photos `0`, `1` … to begin with.
    ///   - configure: Changes the description.
    init(
        _ photos: [Data] = [], model: ManagedObjectModel? = nil,
        configure: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws {
        coordinator = PersistentStoreCoordinator(model: try model ?? Self.model())
        var description = Self.description(folder.url("App.sqlite"))
        configure(&description)
        store = try coordinator.addPersistentStore(description)
        context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try add(photos)
    }

    var url: URL { folder.url("App.sqlite") }
    var support: URL { folder.url(".App_SUPPORT") }

    /// - Parameter inAlbum: Whether they are in a new album.
    func add(_ photos: [Data], inAlbum: Bool = false) throws {
        guard !photos.isEmpty else { return }
        try context.performAndWait {
            let album = inAlbum ? try context.insert("Album") : nil
            for (index, data) in photos.enumerated() {
                let photo = try context.insert(
                    "Photo", ["name": "\(index)", "size": data.count, "data": data])
                if let album { try photo.setValue(album, forKey: "album") }
            }
            try context.save()
            context.reset()
        }
    }

    /// The names of the files with values, in order.
    func files(in support: URL? = nil) -> [String] {
        let path = (support ?? self.support).appending(path: "_EXTERNAL_DATA").path
        return (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
    }

    func file(_ name: String) -> URL { support.appending(path: "_EXTERNAL_DATA/\(name)") }

    /// Whether a process has files to clean up.
    var isInUse: Bool {
        FileManager.default.fileExists(atPath: support.appending(path: ".in-use").path)
    }

    func makeContext(
        _ policy: MergePolicy = .error, _ coordinator: PersistentStoreCoordinator? = nil
    ) -> ManagedObjectContext {
        let context = ManagedObjectContext(
            .privateQueue, coordinator: coordinator ?? self.coordinator)
        context.performAndWait { context.mergePolicy = policy }
        return context
    }

    /// Another coordinator on a file of the folder.
    func open(
        _ name: String = "App.sqlite", model: ManagedObjectModel? = nil,
        configure: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: try model ?? Self.model())
        var description = Self.description(folder.url(name))
        configure(&description)
        try coordinator.addPersistentStore(description)
        return coordinator
    }

    func close(_ coordinator: PersistentStoreCoordinator? = nil) throws {
        let coordinator = coordinator ?? self.coordinator
        for store in coordinator.persistentStores {
            try coordinator.removePersistentStore(store)
        }
    }

    /// The data of all photos by name, as another coordinator reads them.
    func stored(
        _ name: String = "App.sqlite", model: ManagedObjectModel? = nil
    ) throws -> [Data?] {
        let coordinator = try open(name, model: model)
        defer { try? close(coordinator) }
        return try data(in: makeContext(.error, coordinator))
    }

    func data(in context: ManagedObjectContext) throws -> [Data?] {
        try context.performAndWait {
            try context.all("Photo", by: "name").map { try $0.value(forKey: "data") as? Data }
        }
    }

    /// Changes the photo of this name, and saves.
    func change(
        _ name: String, to data: Data?, in context: ManagedObjectContext? = nil
    ) throws {
        let context = context ?? self.context
        try context.performAndWait {
            try photo(name, in: context).setValue(data, forKey: "data")
            try context.save()
        }
    }

    func photo(_ name: String, in context: ManagedObjectContext) throws -> ManagedObject {
        try context.fetch(
            FetchRequest(entityName: "Photo", predicate: ObjectPredicate("name == %@", name)),
            as: ManagedObject.self)[0]
    }

    func sql(_ query: String, _ name: String = "App.sqlite") throws -> [[String]] {
        let connection = try Connection(
            SQLiteConfiguration(path: folder.path(name), mode: .readWrite))
        let statement = try connection.statement(query)
        defer { statement.reset() }
        var rows: [[String]] = []
        while try statement.step() {
            rows.append(
                (0..<Int32(statement.columnCount)).map {
                    let value = statement.value(at: $0)
                    return value.isNull ? "NULL" : value.string
                })
        }
        return rows
    }

    /// The names of the files to which rows refer, in order.
    func references(_ name: String = "App.sqlite") throws -> [String] {
        try sql(
            "SELECT substr(CAST(ZDATA AS TEXT), 2, 36) FROM ZPHOTO WHERE hex(substr(ZDATA, 1, 1)) = '02'",
            name
        ).map { $0[0] }.sorted()
    }
}
