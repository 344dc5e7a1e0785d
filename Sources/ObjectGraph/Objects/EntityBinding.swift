/// What the objects of one entity, store and context share, so that each object holds one
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

    /// The initial state of every object: `checked` if uses of the queue are checked.
    private(set) var initialState: ObjectState = []

    convenience init(context: ManagedObjectContext, entity: Entity, scope: ObjectIDScope) {
        self.init(
            entity, context.model, scope: scope, counters: context.coordinator.graphCounters)
        self.context = context
        hasStalenessInterval = context.stalenessInterval != nil
        if context.queue.checksUse { initialState = .checked }
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
        initialState = context.queue.checksUse ? .checked : []
    }
}

/// The state of an object.
struct ObjectState: OptionSet {
    let rawValue: UInt16

    /// The values have not been read. `row`, if there is one, was cached when the object was
    /// fetched.
    static let fault = ObjectState(rawValue: 1)
    static let inserted = ObjectState(rawValue: 2)
    static let updated = ObjectState(rawValue: 4)
    static let deleted = ObjectState(rawValue: 8)

    /// The object has left its context.
    static let detached = ObjectState(rawValue: 16)

    /// The object is among those changed since pending changes were last processed.
    static let changedInEvent = ObjectState(rawValue: 32)

    /// The delete rules of the object have been applied.
    static let deletionPropagated = ObjectState(rawValue: 64)

    /// A relationship without a column in the object's row has changed. The row's version increases
    /// anyway (spec §2.11).
    static let relationshipChanged = ObjectState(rawValue: 128)

    /// `awakeFromFetch` is running: setting a value is not a change.
    static let awaking = ObjectState(rawValue: 256)

    /// The object was made without a context and has not been inserted yet.
    static let unattached = ObjectState(rawValue: 512)

    /// Properties of the object are observed.
    static let observed = ObjectState(rawValue: 1024)

    /// Every use is checked for the context's queue (spec §4.8).
    static let checked = ObjectState(rawValue: 2048)

    /// The object's own values are in a draft, a row that is not finished.
    static let draft = ObjectState(rawValue: 4096)

    /// The object is inserted because a saved deletion was undone. Rows of other contexts may refer
    /// to it.
    static let broughtBack = ObjectState(rawValue: 8192)

    /// The object counts as deleted because its row was found gone, not because it was deleted
    /// here.
    static let inaccessible = ObjectState(rawValue: 16384)

    /// An insertion of the object was posted, or would have been if the context had observers.
    static let announced = ObjectState(rawValue: 32768)

    /// Whether the object is new and was never saved from this context.
    var isNew: Bool { contains(.inserted) && !contains(.broughtBack) }

    /// Whether a value cannot be read at once: a single test, whether or not queues are checked.
    @inline(__always)
    var needsAttention: Bool { !isDisjoint(with: [.fault, .checked]) }
}
