/// What a context asks of the level above it: a coordinator, or a parent context.
///
/// Nothing else tells a child context from a root context. Source: spec §4.2; the idea of one small protocol for both is
/// Apache Cayenne's `DataChannel`.
protocol ObjectChannel: AnyObject, Sendable {
    /// The coordinator at the end of the chain.
    var coordinator: PersistentStoreCoordinator { get }

    /// The rows that match in each store, unsaved objects of a parent included. What several stores give begins with their
    /// first rows: whoever joins it cuts the page.
    func fetchRows(_ request: FetchRequest, entity: Entity) throws -> [StoreRows]

    /// The identities of the rows that match in each store.
    func fetchKeys(_ request: FetchRequest, entity: Entity) throws -> [StoreKeys]
    func count(_ request: FetchRequest, entity: Entity) throws -> Int

    /// The newest row of an object, not older than the interval allows; nil if it is gone.
    ///
    /// - Parameter keepsSnapshot: Whether it may be of the state that an earlier read of this turn has seen, unless this
    ///   process has written to the store since; `endTurn` must follow.
    func row(
        _ key: Int64, _ scope: ObjectIDScope, staleness: Duration?, keepsSnapshot: Bool
    ) throws -> RowReference?

    /// The rows of the entity's family with these keys, in any order; missing ones are left out.
    func rows(_ keys: [Int64], entity: Entity, storeNumber: Int) throws -> RowList

    /// The contents of a to-many relationship.
    func destinations(
        of property: Property, _ scope: ObjectIDScope, key: Int64
    ) throws -> [EntityKey]

    /// The contents of a to-many relationship of several owners, with the rows that it leads to.
    func relatedRows(
        of property: Property, _ scope: ObjectIDScope, keys: [Int64]
    ) throws -> RelatedRows

    /// Primary keys for new objects; nil if this level leaves their identifiers temporary.
    func reserveKeys(_ count: Int, root: Entity, storeNumber: Int) throws -> Range<Int64>?

    /// Takes the changes of a context, all or none.
    ///
    /// - Throws: `PlanConflict` if rows are not as the plans expect them; a parent context for open references to objects that
    ///   it does not have, and `RenewedKeys` if the context has mail; otherwise what the store throws.
    func save(_ plans: [StorePlan], from context: ManagedObjectContext) throws

    /// Notes which objects a context has registered, for as long as their rows must be kept.
    func register(_ keys: [Int64], root: Int, storeNumber: Int)
    func register(_ key: Int64, root: Int, storeNumber: Int)
    func unregister(_ keys: [Int64], root: Int, storeNumber: Int)
}

/// Plans name objects by keys of which a save further up has given new ones: the mail is to be taken, and the plans made anew.
struct RenewedKeys: Error {}

/// Rows of one store.
struct StoreRows: Sendable {
    let storeNumber: Int
    let rows: RowList
}

/// Identities of rows of one store.
struct StoreKeys: Sendable {
    let storeNumber: Int
    let keys: [EntityKey]
}

/// What a save does to the store with this number.
struct StorePlan: Sendable {
    let storeNumber: Int
    var plan = SavePlan()

    /// Values that rows do not have, for a parent context.
    var transients: [TransientChange] = []

    /// The temporary references in it whose objects it does not insert: a parent context must have them.
    var openReferences: [ManagedObjectID] = []
}

/// New values of transient attributes of an object, by property index.
struct TransientChange: Sendable {
    let entity: Entity
    let key: Int64
    let values: [Int: AttributeValue]
}

/// A conflict in the plan of one store.
struct PlanConflict: Error {
    let storeNumber: Int
    let conflict: StoreConflict
    /// Whether the row cache already knew of it, so that no statement was run.
    let wasCached: Bool
}
