import Testing

@testable import ObjectGraph

/// The steps between versions of a model, as far as they follow from the models.
@Suite struct `Routes over versions (§9.7)` {
    private let fixture = MigrationFixture()

    /// A page whose size has a type; nil means no size.
    private func version(
        _ type: AttributeType?, _ others: AttributeDescription...
    ) throws -> ManagedObjectModel {
        let size = type.map { [AttributeDescription("size", $0)] } ?? []
        return try ManagedObjectModel(entities: [
            fixture.entity("Page", [AttributeDescription("title", .string)] + size + others)
        ])
    }

    private func steps(
        _ source: ManagedObjectModel, _ destination: ManagedObjectModel,
        over listed: [ManagedObjectModel], _ mappings: [MappingModel] = [],
        configuration: String? = nil
    ) throws -> [(from: String, to: String, isMapped: Bool)] {
        try MigrationRoute(
            from: source, to: destination, over: listed, mappings: mappings,
            configuration: configuration
        ).steps.map {
            ($0.source.versionChecksum, $0.destination.versionChecksum, $0.mapping != nil)
        }
    }

    private func mapping(
        _ source: ManagedObjectModel, _ destination: ManagedObjectModel
    ) throws -> MappingModel {
        try MappingModel(
            from: source, to: destination, [EntityMapping(from: "Page", to: "Page")])
    }

    /// Versions of which each leads to the next, and none to the one after.
    private func chain() throws -> [ManagedObjectModel] {
        try [version(.string), version(nil), version(.integer32)]
    }

    @Test func `a direct step is taken where it can be inferred (§9.7.1)`() throws {
        let versions = try [
            version(.string), version(.string, AttributeDescription("a", .string)),
            version(.string, AttributeDescription("b", .string)),
        ]
        let steps = try steps(versions[0], versions[2], over: versions)
        #expect(steps.map(\.to) == [versions[2].versionChecksum])
    }

    @Test func `otherwise the store goes over versions in between (§9.7.1)`() throws {
        let versions = try chain()
        let steps = try steps(versions[0], versions[2], over: versions)
        #expect(steps.map(\.to) == versions.dropFirst().map(\.versionChecksum))
        #expect(steps.map(\.from) == versions.dropLast().map(\.versionChecksum))
        #expect(steps.allSatisfy { !$0.isMapped })
        // The program's model need not be listed.
        #expect(
            try self.steps(versions[0], versions[2], over: Array(versions.dropLast())).count == 2)
    }

    @Test func `a store never goes back to an earlier version (§9.7.3)`() throws {
        let versions = try chain()
        func expectRefusal(_ listed: [ManagedObjectModel]) {
            let error = #expect(throws: MigrationError.self) {
                try steps(versions[0], versions[2], over: listed)
            }
            #expect(error?.code == 134190)
        }
        // The version between them came before the store's, or after the program's.
        expectRefusal([versions[1], versions[0], versions[2]])
        expectRefusal([versions[0], versions[2], versions[1]])
        // A store of an unlisted version may be newer than all of them.
        expectRefusal([versions[1], versions[2]])
    }

    @Test func `without a way the error is that of the direct step (§9.7.5)`() throws {
        let (source, destination) = try (version(.string), version(.integer32))
        let error = #expect(throws: MigrationError.self) {
            try steps(source, destination, over: [source])
        }
        let direct = #expect(throws: MigrationError.self) {
            try ModelCorrespondence(from: source, to: destination)
        }
        #expect(error == direct && error != nil)
    }

    @Test func `a declared mapping is used between its models (§9.7.4)`() throws {
        let versions = try chain()
        let direct = try mapping(versions[0], versions[1])
        // Where it could be inferred, too.
        #expect(try steps(versions[0], versions[1], over: [], [direct]).map(\.isMapped) == [true])
        let steps = try steps(versions[0], versions[2], over: versions, [direct])
        #expect(steps.map(\.isMapped) == [true, false])
        // Its models are known without being listed.
        #expect(
            try self.steps(versions[0], versions[2], over: [], [direct]).map(\.isMapped)
                == [true, false])
    }

    @Test func `a mapping for the whole way is used at once (§9.7.2)`() throws {
        let versions = try chain()
        let mappings = try [
            mapping(versions[0], versions[1]), mapping(versions[0], versions[2]),
        ]
        let steps = try steps(versions[0], versions[2], over: versions, mappings)
        #expect(steps.map(\.to) == [versions[2].versionChecksum])
        #expect(steps.map(\.isMapped) == [true])
    }

    @Test func `an inferred step does not pass a declared mapping (§9.7.4)`() throws {
        // Inference would drop the size, of which the mapping makes something.
        let versions = try [
            version(.string), version(.integer64),
            version(nil, AttributeDescription("area", .double)),
            version(nil, AttributeDescription("area", .double), AttributeDescription("a", .string)),
        ]
        let declared = try mapping(versions[1], versions[2])
        let fromSecond = try steps(versions[1], versions[3], over: versions, [declared])
        #expect(fromSecond.map(\.isMapped) == [true, false])
        let fromThird = try steps(versions[2], versions[3], over: versions, [declared])
        #expect(fromThird.map(\.isMapped) == [false])
        // The first version cannot become the second one, and must not become the fourth.
        let error = #expect(throws: MigrationError.self) {
            try steps(versions[0], versions[3], over: versions, [declared])
        }
        #expect(error?.reason == .noRoute)
        #expect(error?.code == 134140)
    }

    @Test func `a mapping that does not lead to the end is not in the way (§9.7.4)`() throws {
        let versions = try [
            version(.integer16), version(.integer32),
            version(.integer16, AttributeDescription("a", .string)),
        ]
        let aside = try mapping(versions[0], versions[1])
        #expect(try steps(versions[0], versions[2], over: [], [aside]).map(\.isMapped) == [false])
        // Listed, it is between them.
        let error = #expect(throws: MigrationError.self) {
            try steps(versions[0], versions[2], over: versions, [aside])
        }
        #expect(error?.reason == .noRoute)
    }

    @Test func `a version without the store's configuration is left out (§9.7.3)`() throws {
        let versions = try chain()
        let part = try ManagedObjectModel(
            entities: Array(versions[0].entitiesByName.values), configurations: ["Part": ["Page"]])
        let last = try ManagedObjectModel(
            entities: Array(versions[2].entitiesByName.values), configurations: ["Part": ["Page"]])
        #expect(throws: MigrationError.self) {
            try steps(part, last, over: [part, versions[1], last], configuration: "Part")
        }
    }
}
