/// The level above a context, as the context uses it: a coordinator, or a parent context.
///
/// This is the only difference between a child context and a root context. Source: spec §4.2; the
/// idea of one small protocol for both is Apache Cayenne's `DataChannel`.
protocol ObjectChannel: AnyObject, Sendable {
    /// The channel at the end of the chain, which reads the stores themselves.
    func stores() throws -> any StoreChannel

    /// The rows that match in each store, including unsaved objects of a parent. With several
    /// stores, each result starts at the store's first match; the caller joins them and applies
    /// offset and limit.
    func fetchRows(
        _ request: FetchRequest, entity: Entity, _ options: ReadOptions
    ) throws -> [StoreRows]

    /// The identities of the rows that match in each store.
    func fetchKeys(_ request: FetchRequest, entity: Entity) throws -> [StoreKeys]

    func count(_ request: FetchRequest, entity: Entity) throws -> Int

    /// The newest row of an object, read no longer ago than the options allow; nil if it was
    /// deleted.
    func row(
        _ key: Int64, _ scope: ObjectIDScope, _ options: ReadOptions
    ) throws -> RowReference?

    /// The rows of the entity's family with these keys, in any order; missing ones are left out.
    func rows(_ keys: [Int64], entity: Entity, storeNumber: Int) throws -> RowList

    /// The contents of a to-many relationship, with their rows if the level above can read them
    /// along.
    ///
    /// - Parameter options: Nil for identities alone.
    func members(
        of property: Property, _ scope: ObjectIDScope, key: Int64, _ options: ReadOptions?
    ) throws -> FoundMembers

    /// The contents of a to-many relationship of several owners, with the destinations' rows.
    func relatedRows(
        of property: Property, _ scope: ObjectIDScope, keys: [Int64]
    ) throws -> RelatedRows

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

    var count: Int {
        switch self {
        case .rows(let rows): rows.count
        case .keys(let keys): keys.count
        }
    }

    var identities: [EntityKey] {
        switch self {
        case .rows(let rows): rows.map(EntityKey.init)
        case .keys(let keys): keys
        }
    }
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
