import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

/// A store with a history, values in files and derived attributes, and anything in its file.
@Suite struct `Damaged stores (§5.6)` {
    private let fixture: ExternalFixture
    private let content: [String: Data]

    init() throws {
        let fixture = try ExternalFixture(model: Self.model()) { $0.tracksHistory = true }
        try fixture.add(
            [ExternalFixture.large, ExternalFixture.other, ExternalFixture.small], inAlbum: true)
        try fixture.context.performAndWait {
            let photos = try fixture.context.all("Photo")
            try photos[0].setValue("renamed", forKey: "name")
            fixture.context.delete(photos[1])
            try fixture.context.save()
        }
        try fixture.coordinator.removePersistentStore(fixture.store)
        self.fixture = fixture
        content = [fixture.url.path: try Data(contentsOf: fixture.url)]
    }

    private static func model() throws -> ManagedObjectModel {
        var entities = try ExternalFixture.model(isUnique: true, isDerived: true).entities
            .map(\.description)
        entities[1].attributes[0].preservesValueInHistoryOnDeletion = true
        return try ManagedObjectModel(entities: entities)
    }

    private func restore() throws {
        for suffix in ["-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: fixture.url.path + suffix)
        }
        for (path, data) in content { try data.write(to: URL(filePath: path)) }
    }

    /// Reads and writes what there is. Errors are right; the end of the process is not.
    ///
    /// - Returns: The errors.
    @discardableResult
    private func use(readOnly: Bool, tracksHistory: Bool = true) -> [String] {
        let errors = Mutex<[String]>([])
        @Sendable func attempt(_ body: () throws -> Void) {
            do { try body() } catch { errors.withLock { $0.append("\(error)") } }
        }
        attempt {
            let coordinator = PersistentStoreCoordinator(model: try Self.model())
            var description = ExternalFixture.description(fixture.url)
            description.isReadOnly = readOnly
            description.tracksHistory = tracksHistory
            try coordinator.addPersistentStore(description)
            defer {
                for handle in coordinator.persistentStores {
                    try? coordinator.removePersistentStore(handle)
                }
            }
            let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            context.mergePolicy = .overwrite
            context.performAndWait {
                for name in ["Album", "Photo"] {
                    attempt {
                        for object in try context.all(name) {
                            for property in object.entity.attributes.map(\.name) {
                                _ = try object.value(forKey: property)
                            }
                        }
                    }
                }
                attempt {
                    for album in try context.all("Album") { _ = try album.value(forKey: "photos") }
                }
                attempt {
                    for photo in try context.all("Photo") { _ = try photo.value(forKey: "album") }
                }
                attempt {
                    var request = FetchRequest(
                        entityName: "Photo",
                        predicate: try ObjectPredicate("album.photos.@count > 0 AND size < 7"),
                        sortKeys: [.descending("name")])
                    request.fetchBatchSize = 1
                    for photo in try context.fetch(request, as: ManagedObject.self) {
                        _ = try photo.value(forKey: "data")
                    }
                }
                attempt {
                    for transaction in try context.fetchHistory() {
                        _ = transaction.objectChanges
                        for change in transaction.changes ?? [] { _ = "\(change)" }
                    }
                }
                attempt { _ = try context.coordinator.currentPersistentHistoryToken() }
                attempt {
                    let photo = try context.insert("Photo", ["name": "new"])
                    try photo.setValue(ExternalFixture.other, forKey: "data")
                    try photo.setValue(try context.all("Album").first, forKey: "album")
                    for other in try context.all("Photo").prefix(2) {
                        try other.setValue(5, forKey: "size")
                    }
                    try context.save()
                }
                context.rollback()
                attempt {
                    for album in try context.all("Album") { context.delete(album) }
                    try context.save()
                }
                context.rollback()
                attempt {
                    try context.execute(
                        BatchUpdateRequest(
                            entityName: "Photo", propertiesToUpdate: ["size": .constant(3)]))
                }
                attempt { try context.deleteHistory(before: .date(.distantFuture)) }
            }
        }
        return errors.withLock { $0 }
    }

    @Test func `random bytes in the file never end the process (§5.6.6)`() throws {
        var generator = SeededGenerator.fromEnvironment()
        let original = content[fixture.url.path]!
        var refusals = 0
        for _ in 0..<Self.roundCount {
            try restore()
            var mutant = original
            for _ in 0..<Int.random(in: 1...20, using: &generator) {
                let page = Int.random(in: 0..<mutant.count / 4096, using: &generator) * 4096
                // Many bytes of a page are free: the header and the last cells are not.
                let place =
                    Bool.random(using: &generator)
                    ? Int.random(in: 0..<64, using: &generator)
                    : Int.random(in: 0..<4096, using: &generator)
                mutant[page + place] = UInt8.random(in: .min ... .max, using: &generator)
            }
            try mutant.write(to: fixture.url)
            if !use(readOnly: Bool.random(using: &generator)).isEmpty { refusals += 1 }
        }
        #expect(refusals > Self.roundCount / 10, "TEST_SEED=\(generator.seed)")
    }

    private static let roundCount =
        ProcessInfo.processInfo.environment["TEST_DAMAGES"].flatMap { Int($0) } ?? 60
}
