import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Random archived models (§1.14)` {
    /// Reads an archive: a model that can be archived again, or an error.
    private func read(_ archive: Data) -> ModelFileError? {
        let draft = ModelDraft(of: URL(filePath: "/store"), classes: [], transformers: [])
        do {
            let model = try ManagedObjectModel(archived: archive, into: draft)
            let copy = try ManagedObjectModel(
                archived: ModelArchiveWriter.archive(model), into: draft)
            #expect(copy.differences(from: model).isEmpty)
            return nil
        } catch { return error }
    }

    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(name: "Thing", attributes: [AttributeDescription("a", .string)])
        ])
    }

    @Test func `an archive that is cut off is an error (§1.14.7)`() throws {
        let archive = ModelArchiveWriter.archive(try model())
        #expect(read(archive) == nil)
        for count in archive.indices { #expect(read(archive.prefix(count)) != nil) }
    }

    @Test func `a compressed archive that is cut off is an error (§1.14.7)`() throws {
        let cache = try model().cached()
        let draft = ModelDraft(of: URL(filePath: "/store"), classes: [], transformers: [])
        for count in cache.indices {
            #expect(throws: ModelFileError.self) {
                _ = try ManagedObjectModel(cached: cache.prefix(count), into: draft)
            }
        }
    }

    @Test func `archives with random bytes are read or refused (§1.14.7)`() throws {
        var generator = SeededGenerator.fromEnvironment()
        let archive = try ModelArchiveWriter.archive(makeLibraryModel())
        for _ in 0..<300 {
            var mutant = archive
            for _ in 0...Int.random(in: 0..<4, using: &generator) {
                mutant[Int.random(in: mutant.indices, using: &generator)] =
                    UInt8.random(in: .min ... .max, using: &generator)
            }
            _ = read(mutant)
        }
    }

    /// The archive stays a property list, and its objects lie.
    @Test func `archives with objects in wrong places are read or refused (§1.14.7)`() throws {
        var generator = SeededGenerator.fromEnvironment()
        let list = try BinaryPropertyList(ModelArchiveWriter.archive(makeModelOfAllFeatures()))
        var objects: [BinaryPropertyList.Object] = []
        for index in 0..<list.count { objects.append(try list.object(at: index)) }
        var messages: Set<String> = []
        for _ in 0..<300 {
            var mutant = objects
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                let place = Int.random(in: objects.indices, using: &generator)
                mutant[place] = objects.randomElement(using: &generator)!
            }
            let archive = BinaryPropertyList.data(of: mutant, rootIndex: list.rootIndex)
            if let error = read(archive) { messages.insert(error.description) }
        }
        #expect(messages.count > 20, "TEST_SEED=\(generator.seed)")
    }
}
