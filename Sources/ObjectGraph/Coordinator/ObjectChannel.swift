/// The level above a context, as the context uses it: a coordinator, or a parent context.
///
/// This is the only difference between a child context and a root context. Source: spec §4.2; the
/// idea of one small protocol for both is Apache Cayenne's `DataChannel`.
protocol ObjectChannel: AnyObject, Sendable {
    /// The coordinator at the end of the chain.
    var coordinator: PersistentStoreCoordinator { get }

    /// The channel at the end of the chain, which reads the stores themselves.
    func stores() throws -> any StoreChannel

    /// The rows that match in each store, including unsaved objects of a parent. With several
    /// stores, each result starts at the store's first match; the caller joins them and applies
    /// offset and limit.
    ///
    /// - Parameter keepsSnapshot: Whether later reads may see the state that this one sees, as in
    ///   `row`. This one sees the newest state.
    func fetchRows(
        _ request: FetchRequest, entity: Entity, keepsSnapshot: Bool
    ) throws -> [StoreRows]

    /// The identities of the rows that match in each store.
    func fetchKeys(_ request: FetchRequest, entity: Entity) throws -> [StoreKeys]

    /// The identities of the rows that match, of which the last may be read later. Nil if
    /// `fetchKeys` must be used: above is a context, there are several stores, or the store reads
    /// all at once.
    func streamKeys(_ request: FetchRequest, entity: Entity) throws -> StoreKeyStream?
    func count(_ request: FetchRequest, entity: Entity) throws -> Int

    /// The newest row of an object, read no longer ago than the interval allows; nil if it was
    /// deleted.
    ///
    /// - Parameter keepsSnapshot: Whether the row may be of the state that an earlier read of this
    ///   turn saw, unless this process has written to the store since. `endTurn` must follow.
    func row(
        _ key: Int64, _ scope: ObjectIDScope, staleness: Duration?, keepsSnapshot: Bool
    ) throws -> RowReference?

    /// The rows of the entity's family with these keys, in any order; missing ones are left out.
    func rows(_ keys: [Int64], entity: Entity, storeNumber: Int) throws -> RowList

    /// The contents of a to-many relationship.
    func destinations(
        of property: Property, _ scope: ObjectIDScope, key: Int64
    ) throws -> [EntityKey]

    /// The contents of a to-many relationship, with their rows if the level above can read them
    /// along.
    ///
    /// - Parameter keepsSnapshot: as in `fetchRows`.
    func members(
        of property: Property, _ scope: ObjectIDScope, key: Int64, keepsSnapshot: Bool
    ) throws -> FoundMembers

    /// The contents of a to-many relationship of several owners, with the destinations' rows.
    func relatedRows(
        of property: Property, _ scope: ObjectIDScope, keys: [Int64]
    ) throws -> RelatedRows

    /// Primary keys for new objects; nil if identifiers stay temporary at this level.
    func reserveKeys(_ count: Int, root: Entity, storeNumber: Int) throws -> Range<Int64>?

    /// Saves the changes of a context, all or none.
    ///
    /// - Parameters:
    ///   - plans: The changes.
    ///   - origin: Who makes them; a parent takes them as its own.
    ///   - isCurrent: Whether the plans have the newest keys. A parent asks on its queue.
    /// - Returns: The place after this save in the histories of the stores; nil if none records it.
    /// - Throws: `PlanConflict` if rows differ from what the plans expect; otherwise the store's
    ///   error. A parent context throws `SaveError.unknownObjects` for updated or referenced
    ///   objects that it does not have, and `RenewedKeys` if the plans are not current.
    func save(
        _ plans: [StorePlan], from origin: ChangeOrigin, ifCurrent isCurrent: @Sendable () -> Bool
    ) throws -> PersistentHistoryToken?

    /// Notes which objects a context has registered. Until they are unregistered, their rows are
    /// kept, except rows that were deleted or may have changed in the store.
    func register(_ keys: [Int64], root: Int, storeNumber: Int)
    func register(_ key: Int64, root: Int, storeNumber: Int)
    func unregister(_ keys: [Int64], root: Int, storeNumber: Int)
}

/// A save further up has given permanent keys to objects of the plans. The context must read its
/// pending updates and make the plans again.
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

/// The members of a to-many relationship in their order: their rows, or their identities.
enum FoundMembers: Sendable {
    case rows(RowList)
    case keys([EntityKey])
}

/// The part of a save for the store with this number.
struct StorePlan: Sendable {
    let storeNumber: Int
    var plan = SavePlan()

    /// Values that rows cannot have, for a parent context.
    var transients: [TransientChange] = []

    /// Temporary references to objects that the plan does not insert. A parent context must have
    /// these objects.
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
    /// Whether the row cache already showed the conflict, so that no statement ran.
    let wasCached: Bool
}
