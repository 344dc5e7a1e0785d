/// The common part of all objects of one entity, store and context, so that each object holds one
/// reference.
final class EntityBinding {
    private(set) weak var context: ManagedObjectContext?

    /// Owned by the entity, which lives as long as the binding. Kept here to read a property in one
    /// step.
    let accessors: UnsafePointer<PropertyAccessor>
    let propertyCount: Int
    let extent: RowExtent
    let entityNumber: UInt32
    let rootIndex: Int
    private(set) var storeNumber: Int
    private(set) var counters: GraphCounters

    /// Whether the context limits the age of rows.
    var hasStalenessInterval = false
    let entity: Entity
    private(set) var scope: ObjectIDScope
    let model: ManagedObjectModel
    let objectClass: ManagedObject.Type
    let hasTransients: Bool

    /// The properties that the class validates itself.
    let validated: PropertyMask

    /// The slots that must have a value in a row, one bit each; nil if there is more to validate.
    let requiredSlots: UInt16?

    /// The initial flags of every object: `checked` if uses of the queue are checked.
    private(set) var initialFlags: ObjectFlags = []

    convenience init(context: ManagedObjectContext, entity: Entity, scope: ObjectIDScope) {
        self.init(
            entity, context.model, scope: scope, counters: context.coordinator.graphCounters)
        self.context = context
        hasStalenessInterval = context.stalenessInterval != nil
        if context.queue.checksUse { initialFlags = .checked }
    }

    /// A binding for an object without a context.
    convenience init(unattached entity: Entity, model: ManagedObjectModel) {
        let scope = ObjectIDScope(
            storeIdentifier: nil, storeNumber: 0, entity: entity,
            root: model.entities[entity.rootIndex])
        self.init(entity, model, scope: scope, counters: GraphCounters())
    }

    private init(
        _ entity: Entity, _ model: ManagedObjectModel, scope: ObjectIDScope,
        counters: GraphCounters
    ) {
        let objectClass =
            entity.description.managedObjectClass as? ManagedObject.Type ?? ManagedObject.self
        self.objectClass = objectClass
        var validated = PropertyMask()
        for key in objectClass.validatedKeys {
            guard let property = entity.property(named: key) else {
                fatalError(
                    "\(objectClass).validatedKeys has '\(key)', which is not a property of '\(entity.name)'."
                )
            }
            validated.insert(property.index)
        }
        self.validated = validated
        requiredSlots = validated.isEmpty ? entity.requiredSlots : nil
        self.entity = entity
        self.scope = scope
        self.model = model
        self.counters = counters
        accessors = entity.accessors
        propertyCount = entity.properties.count
        hasTransients = !entity.transientIndexes.isEmpty
        extent = entity.layout.extent
        entityNumber = UInt32(entity.number)
        rootIndex = entity.rootIndex
        storeNumber = scope.storeNumber
    }

    /// Inserts the only object of this binding into a context.
    func attach(to context: ManagedObjectContext, _ scope: ObjectIDScope) {
        self.context = context
        self.scope = scope
        storeNumber = scope.storeNumber
        counters = context.coordinator.graphCounters
        hasStalenessInterval = context.stalenessInterval != nil
        initialFlags = context.queue.checksUse ? .checked : []
    }
}
