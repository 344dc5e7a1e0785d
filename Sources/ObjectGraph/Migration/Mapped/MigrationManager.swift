import Foundation

/// What the code of a mapping works with: the objects of both stores, and which ones were made of
/// which (spec §9.3).
///
/// Not `Sendable`: it belongs to the migration that passes it to hooks, and to its thread. Both
/// contexts may be used there without `perform`.
public final class MigrationManager {
    public let mappingModel: MappingModel

    /// Has the old objects; its store cannot be written.
    public let sourceContext: ManagedObjectContext

    /// Has the new objects. The migration saves it after each chunk of objects and after each hook.
    public let destinationContext: ManagedObjectContext

    /// The mapping that is running.
    public var currentEntityMapping: EntityMapping { plans[currentPlan].mapping }

    /// How much of the migration is done, from 0 to 1.
    public internal(set) var fractionCompleted = 0.0

    /// Values that hooks hand over to each other.
    public var userInfo: [String: Any] = [:]

    let plans: [MappingPlan]
    var currentPlan = 0

    /// The entities of which mappings with another destination have made objects, by index.
    private var strays: Set<Int> = []

    /// The object of the source that is being mapped; nil between two of them.
    var currentSource: ManagedObject?

    /// The size of the data in new objects that are not saved yet.
    var largeByteCount = 0

    let associations: Associations
    private var cancellation: MigrationError?

    init(
        _ mappingModel: MappingModel, _ plans: [MappingPlan],
        from sourceContext: ManagedObjectContext,
        to destinationContext: ManagedObjectContext, _ associations: Associations
    ) {
        self.mappingModel = mappingModel
        self.plans = plans
        self.sourceContext = sourceContext
        self.destinationContext = destinationContext
        self.associations = associations
    }

    // MARK: - Creating

    /// Inserts a new object and associates it with the current object of the source.
    ///
    /// An object of the mapping's destination, or of a descendant of it, gets the values of the
    /// property mappings, any other one its default values.
    ///
    /// - Parameter entityName: The entity; nil means the mapping's destination.
    /// - Throws: `FetchError` if the model has no such entity or it is abstract; `PropertyError` if
    ///   a property does not accept its value.
    @discardableResult
    public func insert(_ entityName: String? = nil) throws -> ManagedObject {
        let plan = plans[currentPlan]
        let name = entityName ?? plan.mapping.destination ?? ""
        let object = try destinationContext.insertObject(entityName: name)
        guard let source = currentSource else { return object }
        if plan.makes(object) {
            largeByteCount += try plan.setAttributes(of: object, from: source)
        }
        associate(source, with: object, plan: currentPlan)
        return object
    }

    /// Inserts a new object of a class and associates it with the current object of the source, as
    /// `insert(_:)` with its entity does.
    ///
    /// - Throws: As `insert(_:)`; `FetchError.classMismatch` if the entity has another class.
    @discardableResult
    public func insert<Object: ManagedObject>(_ type: Object.Type) throws -> Object {
        try insert(type.entityName).cast()
    }

    // MARK: - Associations

    /// Notes that an object was made of an object of the source.
    ///
    /// - Parameters:
    ///   - source: The object of the source.
    ///   - destination: The object that was made of it.
    ///   - mapping: The mapping that has made it.
    /// - Throws: `MigrationError` with `unknownMapping`.
    public func associate(
        _ source: ManagedObject, with destination: ManagedObject, for mapping: EntityMapping
    ) throws(MigrationError) {
        associate(source, with: destination, plan: try plan(named: mapping.name))
    }

    private func associate(_ source: ManagedObject, with destination: ManagedObject, plan: Int) {
        let entity = destination.binding.entity
        if entity !== plans[plan].destination { strays.insert(entity.index) }
        associations.add(
            Association(
                plan: plan, source: source.reference, destination: destination,
                isAlone: source === currentSource && plan == currentPlan))
    }

    /// The objects that were made of objects of the source, in their order.
    ///
    /// Cost: up to two statements for each object and mapping.
    /// - Parameters:
    ///   - name: The mapping that has made them; nil means any.
    ///   - source: The objects of the source.
    /// - Throws: `MigrationError` with `unknownMapping`; `StoreError`.
    public func destinationInstances(
        forMappingNamed name: String? = nil, source: [ManagedObject]
    ) throws -> [ManagedObject] {
        let named = try name.map { [try plan(named: $0)] }
        var found: [ManagedObject] = []
        for object in source {
            for plan in named ?? Array(plans.indices)
            where plans[plan].source === object.binding.entity {
                found += try associations.destinations(of: object.reference, plan: plan)
                    .map(destination)
            }
        }
        return found
    }

    /// The objects of the source of which objects were made, in their order.
    ///
    /// Cost: up to two statements for each object and mapping.
    /// - Parameters:
    ///   - name: The mapping that has made them; nil means any.
    ///   - destination: The objects that were made.
    /// - Throws: `MigrationError` with `unknownMapping`; `StoreError`.
    public func sourceInstances(
        forMappingNamed name: String? = nil, destination: [ManagedObject]
    ) throws -> [ManagedObject] {
        let named = try name.map { [try plan(named: $0)] }
        var found: [ManagedObject] = []
        for object in destination {
            for plan in named ?? Array(plans.indices) {
                guard let entity = plans[plan].source else { continue }
                found += try associations.sources(of: object, plan: plan).map {
                    sourceContext.object($0, sourceScope(entity))
                }
            }
        }
        return found
    }

    private func plan(named name: String) throws(MigrationError) -> Int {
        guard let plan = plans.firstIndex(where: { $0.mapping.name == name }) else {
            throw MigrationError(.unknownMapping(name))
        }
        return plan
    }

    func destination(_ found: Associations.Destination) -> ManagedObject {
        switch found {
        case .new(let object): object
        case .stored(let key):
            destinationContext.object(
                key.key, entityIndex: key.entityIndex,
                storeNumber: destinationContext.coordinator.records[0].number)
        }
    }

    private func sourceScope(_ entity: Entity) -> ObjectIDScope {
        sourceContext.coordinator.records[0].scopes[entity.index]
    }

    // MARK: - Relating

    /// Leaves out relationships that are set from their inverses, but for their orders.
    func prepareRelating() {
        let entities = strays.map { mappingModel.destination.entities[$0] }
        // Decided before any is left out.
        let inverses = plans.map { $0.inverses(in: plans, mappingModel, strays: entities) }
        for (plan, inverses) in zip(plans, inverses) { plan.leaveOut(inverses) }
    }

    /// Sets the relationships of an object by the property mappings: those to the objects that were
    /// made of the objects to which the current object of the source is related.
    ///
    /// - Throws: `StoreError` if the objects cannot be read.
    public func relate(_ destination: ManagedObject) throws {
        guard let source = currentSource else { return }
        let plan = plans[currentPlan]
        guard plan.makes(destination) else { return }
        for relationship in plan.relationships {
            let related = try relationship.objects(of: source)
            guard !related.isEmpty else { continue }
            let found = try destinationInstances(
                forMappingNamed: relationship.mappingName, source: related)
            relationship.add(found, to: destination)
        }
    }

    /// Sets the orders of relationships whose members were set from their side.
    func arrange(_ destination: ManagedObject) throws {
        let plan = plans[currentPlan]
        guard let source = currentSource, plan.makes(destination) else { return }
        for relationship in plan.orders {
            relationship.arrange(
                try destinationInstances(source: relationship.objects(of: source)),
                in: destination)
        }
    }

    // MARK: - Cancelling

    /// Ends the migration after the current hook, and leaves the store as it was.
    ///
    /// - Parameter error: The reason.
    public func cancel(_ error: (any Error)? = nil) {
        cancellation = MigrationError(.cancelled(error.map(UnderlyingError.init)))
    }

    func checkCancellation() throws(MigrationError) {
        if let cancellation { throw cancellation }
    }
}

extension MigrationManager {
    /// Migrates a store by a mapping, whatever model the program has.
    ///
    /// The store must not be open. Its content is replaced in one transaction, or a new store is made
    /// in another file. The new content has a new identifier, new keys and no history; metadata of
    /// the program are kept. Source: spec §9.3, §9.4.
    ///
    /// - Parameters:
    ///   - description: The SQLite store, which has the mapping's source as its model.
    ///   - mapping: The mapping.
    ///   - destination: The file to make; nil replaces the content of the store.
    /// - Throws: `MigrationError` if the store has another model or is in use, the file exists, or
    ///   code of the mapping or the validation of its objects fails; `StoreError` if a file cannot
    ///   be read or written. The store is then as it was.
    public static func migrateStore(
        _ description: PersistentStoreDescription, with mapping: MappingModel,
        to destination: URL? = nil
    ) throws {
        guard let file = description.file, description.type == .sqlite else {
            throw StoreError(
                .unsupported("migrating a store without a file by a mapping"),
                url: description.url)
        }
        var description = description
        description.migration.mappingModels = [mapping]
        let store = MigratedStore(
            description: description, file: file, model: mapping.destination, debug: .process)
        try store.naming {
            let differing = try store.reading { metadata, connection in
                let names = metadata.versionHashes.keys
                let hashes = try store.sourceModel(metadata, connection).entityVersionHashesByName
                let expected = mapping.source.entityVersionHashesByName
                return names.filter { hashes[$0] != expected[$0] }.sorted()
            }
            guard differing.isEmpty else {
                throw MigrationError(.unfittingMapping(entities: differing))
            }
            let migration = MappedMigration(mapping, of: store)
            if let destination {
                try migration.run(to: destination)
            } else {
                try migration.run()
            }
        }
    }
}
