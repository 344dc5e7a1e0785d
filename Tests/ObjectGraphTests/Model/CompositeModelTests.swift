import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Composite attributes of a model (§1.3)` {
    private static func model(
        _ attributes: [AttributeDescription], constraints: [[String]] = [],
        indexes: [FetchIndexDescription] = []
    ) throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Thing", attributes: attributes, uniquenessConstraints: constraints,
                indexes: indexes)
        ])
    }

    private static func composite(
        _ change: (inout AttributeDescription) -> Void = { _ in }
    ) -> AttributeDescription {
        var attribute = AttributeDescription(
            "c", .composite, elements: [AttributeDescription("x", .string)])
        change(&attribute)
        return attribute
    }

    struct Mistake: Sendable, CustomTestStringConvertible {
        let property: String?
        let reason: ModelError.Reason
        let make: @Sendable () throws(ModelError) -> ManagedObjectModel
        var testDescription: String { "\(property ?? ""): \(reason)" }

        init(
            _ property: String?, _ reason: ModelError.Reason,
            _ make: @escaping @Sendable () throws(ModelError) -> ManagedObjectModel
        ) {
            (self.property, self.reason, self.make) = (property, reason, make)
        }

        /// A mistake in the composite attribute `c`, which has the string `x`.
        init(
            _ property: String, _ reason: ModelError.Reason,
            change: @escaping @Sendable (inout AttributeDescription) -> Void
        ) {
            self.init(property, reason) { () throws(ModelError) in
                try model([composite(change)])
            }
        }
    }

    static let mistakes = [
        Mistake("c", .needlessElements, change: { $0.type = .string }),
        Mistake(
            "c", .unsuitableForComposite("a value in memory only"),
            change: { $0.isTransient = true }),
        Mistake("c", .unsuitableForComposite("a default value"), change: { $0.defaultValue = 1 }),
        Mistake("c", .unsuitableForComposite("a derivation"), change: { $0.derivation = "now()" }),
        Mistake(
            "c", .unsuitableForComposite("validation rules"),
            change: { $0.validationRules = [ValidationRule("SELF != 1", .code(1))] }),
        Mistake("c", .needlessTransformer, change: { $0.transformer = .propertyList }),
        Mistake(
            "c.x", .unsuitableElement("transient"), change: { $0.elements[0].isTransient = true }),
        Mistake(
            "c.x", .unsuitableElement("derived"), change: { $0.elements[0].derivation = "now()" }),
        Mistake(
            "c", .unsuitableForComposite("external storage"),
            change: { $0.allowsExternalStorage = true }),
        Mistake(
            "c.x", .unsuitableElement("kept in files"),
            change: { $0.elements[0].allowsExternalStorage = true }),
        Mistake(
            "c.x", .unsuitableElement("of type undefined"),
            change: { $0.elements[0].type = .undefined }),
        Mistake(
            "c.x", .defaultOfOtherType(1, .string), change: { $0.elements[0].defaultValue = 1 }),
        Mistake("c.x", .duplicateProperty, change: { $0.elements.append($0.elements[0]) }),
        Mistake("c.a b", .invalidName, change: { $0.elements[0].name = "a b" }),
        Mistake("c.x.y", .invalidName, change: { $0.elements[0].name = "x.y" }),
        Mistake(
            "c.x.y", .unsuitableElement("transient"),
            change: {
                $0.elements[0].type = .composite
                $0.elements[0].elements = [AttributeDescription("y", .date, isTransient: true)]
            }),
        Mistake(
            "c", .compositeConstraint,
            { () throws(ModelError) in try model([composite()], constraints: [["c"]]) }),
        Mistake(
            "c.x", .compositeConstraint,
            { () throws(ModelError) in try model([composite()], constraints: [["c.x"]]) }),
        Mistake(
            nil, .unknownIndexProperty("c"),
            { () throws(ModelError) in
                try model([composite()], indexes: [FetchIndexDescription("i", on: "c")])
            }),
        Mistake(
            "c", .duplicateProperty,
            { () throws(ModelError) in try model([composite(), AttributeDescription("c", .date)]) }),
    ]

    @Test(arguments: mistakes)
    func `a composite that contradicts itself is refused (§1.3.38)`(_ mistake: Mistake) throws {
        let error = #expect(throws: ModelError.self) { _ = try mistake.make() }
        #expect(error == ModelError("Thing", mistake.property, mistake.reason))
        #expect(error?.description.contains("Thing") == true)
    }

    /// Each level has the one below twice. Nothing counts or copies all of them.
    @Test func `the elements count as properties (§1.3.38)`() throws {
        var attribute = AttributeDescription("a", .composite)
        for _ in 0..<200 {
            var (first, second) = (attribute, attribute)
            (first.name, second.name) = ("a", "b")
            attribute = AttributeDescription("a", .composite, elements: [first, second])
        }
        let error = #expect(throws: ModelError.self) { try Self.model([attribute]) }
        guard case .tooManyProperties? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `columns are named by the path in upper case (§1.3.31)`() throws {
        let store = try StoreFixture(
            AttributeDescription("location_latitude", .string),
            AttributeDescription(
                "location", .composite,
                elements: [
                    AttributeDescription("latitude", .double),
                    AttributeDescription(
                        "street", .composite, elements: [AttributeDescription("name", .string)]),
                    AttributeDescription("Latitude", .integer16),
                ]))
        let columns = try store.sql("SELECT name, type FROM pragma_table_info('ZTHING')")
        let expected = [
            ["ZLOCATION_LATITUDE", "VARCHAR"], ["ZLOCATION_LATITUDE1", "FLOAT"],
            ["ZLOCATION_LATITUDE2", "INTEGER"], ["ZLOCATION_STREET_NAME", "VARCHAR"],
            ["Z_ENT", "INTEGER"], ["Z_OPT", "INTEGER"], ["Z_PK", "INTEGER"],
        ]
        let texts: [[String]] = columns.map { $0.compactMap(\.self) }
        #expect(texts.sorted { $0[0] < $1[0] } == expected)
    }

    @Test func `a renamed composite finds its columns (§1.3.31)`() throws {
        let folder = TemporaryFolder()
        let url = folder.url("store.sqlite")
        func coordinator(_ attribute: AttributeDescription) throws -> ManagedObjectContext {
            let coordinator = PersistentStoreCoordinator(model: try Self.model([attribute]))
            var description = PersistentStoreDescription.sqlite(at: url)
            description.ignoresModelVersions = true
            try coordinator.addPersistentStore(description)
            return ManagedObjectContext(.privateQueue, coordinator: coordinator)
        }
        let old = try coordinator(Self.composite())
        try old.performAndWait {
            try old.insert("Thing", ["c": ["x": "value"]])
            try old.save()
        }
        let new = try coordinator(
            Self.composite {
                ($0.name, $0.renamingIdentifier) = ("d", "c")
                ($0.elements[0].name, $0.elements[0].renamingIdentifier) = ("y", "x")
            })
        try new.performAndWait {
            let thing = try new.all("Thing")[0]
            #expect(try thing.value(forKeyPath: "d.y") as? String == "value")
        }
    }

    @Test func `the elements count for the version hash (§1.3.39)`() throws {
        func hash(_ change: (inout AttributeDescription) -> Void) throws -> [UInt8]? {
            try Self.model([Self.composite(change)]).entityVersionHashesByName["Thing"]
        }
        let hashes = try [
            hash { _ in }, hash { $0.elements[0].name = "y" }, hash { $0.elements[0].type = .date },
            hash { $0.elements[0].isOptional = false }, hash { $0.elements = [] },
            hash { $0.elements.append(AttributeDescription("y", .string)) },
            hash { $0.elements[0].versionHashModifier = "2" },
        ]
        #expect(Set(hashes).count == hashes.count)
        #expect(try hash { _ in } == hash { $0.elements[0].defaultValue = "d" })
    }

    @Test func `a class declares its composites by their Swift types (§1.3.36)`() throws {
        let location = try #require(
            Atlas.model.attributesByName(ofEntity: "Place")?["location"])
        #expect(location.type == .composite && location.isOptional)
        #expect(location.elements.map(\.name) == ["latitude", "longitude", "label", "street"])
        #expect(location.elements.map(\.isOptional) == [false, false, true, true])
        #expect(location.elements[3].elements.map(\.type) == [.string, .integer16])
    }
}
