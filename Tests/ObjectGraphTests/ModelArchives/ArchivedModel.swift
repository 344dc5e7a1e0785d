import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// An archived model as Core Data writes it.
struct ArchivedModel {
    var entities: [ArchivedPart]
    var fields: [(String, ArchivedPart)] = []

    /// Whether the entities are in a dictionary of known keys, as in stores.
    var isCache = true

    init(_ entities: ArchivedPart..., fields: [(String, ArchivedPart)] = []) {
        (self.entities, self.fields) = (entities, fields)
    }

    func archived() -> Data {
        let names = entities.map { entity -> String in
            if case .labelled(let name, _) = entity { name } else { "Thing" }
        }
        let known = ArchivedPart.node(
            "NSKnownKeysDictionary1",
            [
                (
                    "searchMapping",
                    .node(
                        "NSKnownKeysMappingStrategy1",
                        [("keys", .parts(names.map { .text($0) })), ("version", 1)])
                ), ("values", .parts(entities)), ("version", 1),
            ])
        return ArchivedPart.labelled(
            "model",
            .node(
                "NSManagedObjectModel",
                [
                    ("NSEntities", isCache ? known : .dictionary(Array(zip(names, entities)))),
                    ("NSFetchRequestTemplates", .null),
                ] + fields)
        ).archived()
    }

    /// The model of a store with this cache.
    func model(
        classes: [AnyClass] = [], transformers: [ValueTransformer] = []
    ) throws -> ManagedObjectModel {
        let store = try CachedStore(archived())
        return try PersistentStoreCoordinator.model(
            ofStoreAt: store.url, classes: classes, transformers: transformers)
    }

    // MARK: - Parts

    static func entity(
        _ name: String, _ properties: [(String, ArchivedPart)],
        _ fields: [(String, ArchivedPart)] = []
    ) -> ArchivedPart {
        .labelled(
            name,
            .node(
                "NSEntityDescription",
                [
                    ("NSEntityName", .text(name)), ("NSManagedObjectModel", .reference("model")),
                    ("NSProperties", .dictionary(properties)),
                    ("NSRenamingIdentifier", .text(name)),
                    ("NSVersionHashModifier", .null), ("NSClassNameForEntity", .null),
                ] + fields))
    }

    /// An optional attribute.
    static func attribute(
        _ name: String, _ type: AttributeType, _ fields: [(String, ArchivedPart)] = []
    ) -> (String, ArchivedPart) {
        (
            name,
            .node(
                "NSAttributeDescription",
                [
                    ("NSPropertyName", .text(name)), ("NSIsOptional", true), ("_P", 243),
                    ("NSAttributeType", .value(.integer(Int64(type.rawValue)))),
                    ("NSRenamingIdentifier", .text(name)), ("NSFlagsKey", 0),
                ] + fields)
        )
    }

    /// An optional relationship. Its label is the entity's name and its own.
    static func relationship(
        _ name: String, of entity: String, to destination: String, inverse: String? = nil,
        maxCount: Int64 = 0, _ fields: [(String, ArchivedPart)] = []
    ) -> (String, ArchivedPart) {
        (
            name,
            .labelled(
                "\(entity).\(name)",
                .node(
                    "NSRelationshipDescription",
                    [
                        ("NSPropertyName", .text(name)), ("NSIsOptional", true),
                        ("NSDestinationEntity", .reference(destination)),
                        ("_NSDestinationEntityName", .text(destination)),
                        (
                            "NSInverseRelationship",
                            inverse.map { .reference("\(destination).\($0)") } ?? .null
                        ), ("NSMinCount", 0), ("NSMaxCount", .value(.integer(maxCount))),
                        ("NSDeleteRule", 1),
                    ] + fields))
        )
    }
}

/// A file of a store with a model cache of its own.
struct CachedStore {
    let folder = TemporaryFolder()
    var url: URL { folder.url("store.sqlite") }

    /// A store whose model has the entity `Thing`, with the archive as its cache; nil removes the
    /// table.
    init(_ archive: Data?) throws {
        try self.init(compressed: archive.map { try RawDeflate.deflate($0) })
    }

    init(compressed cache: Data?) throws {
        let model = try ManagedObjectModel(entities: [EntityDescription(name: "Thing")])
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = try coordinator.addPersistentStore(.sqlite(at: url))
        try coordinator.removePersistentStore(store)
        let connection = try Connection(SQLiteConfiguration(path: url.path, mode: .readWrite))
        if let cache {
            try connection.execute("DELETE FROM Z_MODELCACHE")
            let insert = try connection.statement("INSERT INTO Z_MODELCACHE VALUES (?)")
            insert.bind(blob: cache, at: 1)
            try insert.run()
        } else {
            try connection.execute("DROP TABLE Z_MODELCACHE")
        }
        try connection.close()
    }
}
