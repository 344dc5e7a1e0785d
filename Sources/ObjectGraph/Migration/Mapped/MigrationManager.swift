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

    /// The object of the source that is being mapped; nil between two of them.
    var currentSource: ManagedObject?

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
    /// An object of the mapping's destination gets the values of the property mappings, any other
    /// one its default values.
    ///
    /// - Parameter entityName: The entity; nil means the mapping's destination.
    /// - Throws: `FetchError` if the model has no such entity or it is abstract; `PropertyError` if
    ///   a property does not accept its value.
    @discardableResult
    public func insert(_ entityName: String? = nil) throws -> ManagedObject {
        let plan = plans[currentPlan]
        guard let name = entityName ?? plan.mapping.destination else {
            throw FetchError.unknownEntity("")
        }
        let object = try destinationContext.insertObject(entityName: name)
        guard let source = currentSource else { return object }
        if name == plan.mapping.destination { try plan.setAttributes(of: object, from: source) }
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
    public func associate(
        _ source: ManagedObject, with destination: ManagedObject, for mapping: EntityMapping
    ) {
        guard let plan = plans.firstIndex(where: { $0.mapping.name == mapping.name }) else {
            return
        }
        associate(source, with: destination, plan: plan)
    }

    private func associate(_ source: ManagedObject, with destination: ManagedObject, plan: Int) {
        associations.add(
            Association(
                plan: plan, source: source.reference, destination: destination,
                isCurrent: source === currentSource && plan == currentPlan))
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

    /// Sets the relationships of an object by the property mappings: those to the objects that were
    /// made of the objects to which the current object of the source is related.
    ///
    /// - Throws: `StoreError` if the objects cannot be read.
    public func relate(_ destination: ManagedObject) throws {
        guard let source = currentSource else { return }
        let plan = plans[currentPlan]
        guard destination.binding.entity === plan.destination else { return }
        for relationship in plan.relationships {
            let related = try relationship.objects(of: source)
            guard !related.isEmpty else { continue }
            let found = try destinationInstances(
                forMappingNamed: relationship.mappingName, source: related)
            relationship.add(found, to: destination)
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
