import Foundation

/// An object of a context: the values of one row, its unsaved changes, and its relationships.
///
/// Subclass it for an entity and give it typed accessors:
///
///     final class Book: ManagedObject {
///         static let title = Attribute<String>("title")
///         static let author = ToOne<Author>("author")
///         override class var managedProperties: [any ManagedProperty] { [title, author] }
///
///         var title: String { get { self[Self.title] } set { self[Self.title] = newValue } }
///         var author: Author? { get { self[Self.author] } set { self[Self.author] = newValue } }
///     }
///
/// Not `Sendable`: an object belongs to the queue of its context. Pass its `objectID` to other
/// queues. Subclasses keep nothing in stored properties; make an object with `init(context:)`.
/// Source: spec §2.
open class ManagedObject {
    /// The context, entity and store, shared with the other objects of the same three.
    final let binding: EntityBinding

    /// The primary key, or a negative number while the object has no row.
    final var reference: Int64

    /// The slab that `rowStart` points into, kept alive.
    final private(set) var slab: RowSlab?

    /// The start of the row or draft; nil without either.
    final private(set) var rowStart: UnsafeRawPointer?

    /// The values set since the last save that are not in a draft, and the contents; nil for most
    /// objects.
    final private(set) var changesBesideDraft: ChangedValues?

    // Last, so that an object takes 58 bytes and fits an allocation of 64.
    final var state: ObjectState

    /// For the engine: takes the seed that a context has made. Use `init(context:)`.
    public required init(seed: consuming ObjectSeed) {
        reference = seed.reference
        rowStart = seed.rowStart
        state = seed.state
        slab = seed.slab
        binding = seed.binding
    }

    deinit { changesBesideDraft?.deallocate() }

    /// The values set since the last save. A new object gives up its draft.
    final var changes: ChangedValues? {
        if state.flags.contains(.draft) { giveUpDraft() }
        return changesBesideDraft
    }

    /// Whether values were set that are not in a draft.
    final var hasUnsavedValues: Bool { !(changesBesideDraft?.mask.isEmpty ?? true) }

    /// The unsaved values to write to, made when first needed.
    @inline(__always)
    final var unsavedValues: ChangedValues { changesBesideDraft ?? makeChangedValues() }

    @inline(never)
    private final func makeChangedValues() -> ChangedValues {
        let made = ChangedValues.allocate()
        changesBesideDraft = made
        return made
    }

    /// Discards the unsaved values.
    final func discardChanges() {
        if state.flags.contains(.draft) { row = nil }
        guard let changes = changesBesideDraft else { return }
        if changes.contents != nil { return changes.removeAllValues() }
        changes.deallocate()
        changesBesideDraft = nil
    }

    /// The to-many relationships that have been read or changed.
    final var contents: RelationshipContents? {
        get { changesBesideDraft?.contents }
        set {
            if newValue != nil || changesBesideDraft != nil { unsavedValues.contents = newValue }
        }
    }

    /// Discards unsaved values that the row has now. Transient values are kept, since no row has
    /// them.
    final func discardSavedChanges() {
        guard let changes = changesBesideDraft, binding.hasTransients else {
            return discardChanges()
        }
        let transients = binding.entity.transientIndexes
        changes.mask.forEach { if !transients.contains($0) { changes.remove($0) } }
    }

    /// The object's snapshot; nil for a new object and for a fault without a row.
    final var row: RowReference? {
        get { state.flags.contains(.draft) ? nil : valuesRow }
        set {
            state.flags.remove(.draft)
            slab = newValue?.slab
            rowStart = newValue?.start
        }
    }

    /// The row or the draft, for values that are not in `changesBesideDraft`.
    final var valuesRow: RowReference? {
        slab.map { RowReference(slab: $0, start: rowStart.unsafelyUnwrapped) }
    }

    /// Makes a row that the level above has accepted the object's row. A finished draft is that row
    /// already.
    @inline(__always)
    final func take(accepted row: RowReference) {
        if row.start == rowStart {
            state.flags.remove(.draft)
        } else {
            self.row = row
        }
    }

    /// Whether the level above may have a newer row, or the object has none. The flag belongs to
    /// the slab, so a neighbouring row may have set it.
    final var isRowSuperseded: Bool {
        guard let slab, !state.flags.contains(.draft) else { return true }
        return slab.hasSupersededRows.load(ordering: .relaxed)
    }

    /// Makes child contexts that have the row ask for the newest one.
    final func supersedeRow() {
        if !state.flags.contains(.draft) { slab?.hasSupersededRows.store(true, ordering: .relaxed) }
    }

    /// Makes an object without a context. A context's `insert(_:)` takes it later, and then calls
    /// `awakeFromInsert`.
    ///
    /// Attributes have their default values and can be set; relationships cannot.
    /// - Throws: `FetchError.unknownEntity` if the model has no such entity, `abstractEntity` if it
    ///   has no objects, `classMismatch` if its objects are not of this class.
    public convenience init(entityName: String, model: ManagedObjectModel) throws(FetchError) {
        guard let entity = model.entity(named: entityName) else {
            throw .unknownEntity(entityName)
        }
        guard !entity.isAbstract else { throw .abstractEntity(entityName) }
        let binding = EntityBinding(unattached: entity, model: model)
        guard binding.objectClass == Self.self else {
            throw .classMismatch(entity: entityName, expected: "\(Self.self)")
        }
        self.init(
            seed: ObjectSeed(
                binding: binding, reference: ObjectIDScope.newTemporaryReference(),
                life: .unattached, flags: .changedInEvent))
        setDefaults()
    }

    /// Sets all attributes that have a default value to it.
    final func setDefaults() {
        for (index, value) in binding.entity.defaultValues
        where !state.flags.contains(.draft) || !putInDraft(value, at: index) {
            unsavedValues[index] = value
        }
    }

    /// Inserts a new object of the entity that has this class. It gets a temporary identifier and
    /// default values, and `awakeFromInsert` is called.
    ///
    /// Queue: the context's. No statement is run.
    // Borrowing, as counting references of an object that others refer to weakly is slow.
    public convenience init(context: borrowing ManagedObjectContext) {
        self.init(seed: context.seedForInsertion(of: Self.self))
        context.registerInserted(self)
    }

    /// Inserts a new object as `init(context:)` does. Its row will be in the given store for good.
    ///
    /// - Throws: `StoreError` if the store is not open, or does not hold the entity.
    public convenience init(
        context: ManagedObjectContext, into store: PersistentStoreHandle
    ) throws(StoreError) {
        self.init(seed: try context.seedForInsertion(of: Self.self, into: store))
        context.registerInserted(self)
    }

    // MARK: - The entity that the class declares

    /// The name of the entity, which is that of the class unless overridden.
    open class var entityName: String { "\(Self.self)" }

    /// The properties that the class adds to those of its superclass; see `EntityDescription(_:)`.
    open class var managedProperties: [any ManagedProperty] { [] }

    // MARK: - Identity and state

    /// The object's identifier, safe to pass to any thread; temporary until the first save to a
    /// store.
    public final var objectID: ManagedObjectID {
        ManagedObjectID(scope: binding.scope, reference: reference)
    }

    /// The description of the object's entity.
    public final var entity: EntityDescription { binding.entity.description }

    /// The context; nil after a saved deletion, after `reset`, or if the context no longer exists.
    public final var managedObjectContext: ManagedObjectContext? {
        state.isDetached ? nil : binding.context
    }

    /// Whether the object is new and not saved yet.
    public final var isInserted: Bool {
        state.life.isInsertion && state.life != .unattached
    }

    /// Whether the object has unsaved changes and is neither new nor deleted.
    public final var isUpdated: Bool {
        state.life == .updated && !state.isDeleted
    }

    /// Whether the next save deletes the object.
    public final var isDeleted: Bool { state.isDeleted }

    /// Whether the values have not been read yet.
    public final var isFault: Bool { state.isFault }

    /// Whether the object is new, changed or deleted.
    public final var hasChanges: Bool { state.hasChanges }

    /// Whether a stored property, to-many relationships included, differs from the last fetch or
    /// save. Setting an equal value makes no difference, nor does a primitive setter alone
    /// (spec §2.4).
    public final var hasPersistentChangedValues: Bool {
        guard isToBeWritten else { return false }
        return !changedProperties.isEmpty || hasChangedRelationships
    }

    // MARK: - Hooks

    /// Called once after the object was inserted into a context.
    open func awakeFromInsert() {}

    /// Called each time after the object's values were read. Setting values here makes no changes;
    /// do not set relationships.
    open func awakeFromFetch() {}

    /// Called when values were replaced other than by setters; `events` has the reason.
    open func awake(fromSnapshotEvents events: SnapshotEvents) {}

    /// Called for each inserted, updated or deleted object of a save, before validation. Called
    /// again if it sets a value, unless a primitive setter does.
    open func willSave() {}

    /// Called for the same objects after the save.
    open func didSave() {}

    /// Called for each deletion of the object, also by a cascade, before delete rules cut its
    /// relationships.
    open func prepareForDeletion() {}

    /// Called before the values of a realised object are dropped. Do not change relationships here.
    open func willTurnIntoFault() {}

    /// Called after the values were dropped.
    open func didTurnIntoFault() {}

    // MARK: - Coding

    /// The keys of the attributes that the class codes by hand, with `decodeValue` and
    /// `encodeValue`; they are not called for others (spec §2.14).
    open class var handCodedKeys: [String] { [] }

    /// Decodes the value of an attribute that `handCodedKeys` lists; nil means no value.
    ///
    /// Called before the object is found or made, so that a failure changes nothing.
    open class func decodeValue(forKey key: String, from decoder: any Decoder) throws -> Any? {
        fatalError("\(self).handCodedKeys has '\(key)'; override decodeValue(forKey:from:).")
    }

    /// Encodes the value of an attribute that `handCodedKeys` lists.
    open func encodeValue(forKey key: String, to encoder: any Encoder) throws {
        fatalError(
            "\(Self.self).handCodedKeys has '\(key)'; override encodeValue(forKey:to:).")
    }

    // MARK: - Validation

    /// The keys of the properties for which `validateValue` is overridden; it is not called for
    /// others.
    open class var validatedKeys: [String] { [] }

    /// Throws if a property cannot have a value, or replaces the value. Call `super`, which checks
    /// the model's rules for an attribute; list the key in `validatedKeys`.
    open func validateValue(_ value: inout Any?, forKey key: String) throws {
        try validateByModel(value, forKey: key)
    }

    /// Throws to prevent a new object from being saved. Call `super`, which checks the model's
    /// rules.
    open func validateForInsert() throws { try validateProperties() }

    /// Throws to prevent a change from being saved. Call `super`, which checks the model's rules.
    open func validateForUpdate() throws { try validateProperties() }

    /// Throws to prevent a deletion from being saved. Call `super`, which applies the deny rule.
    open func validateForDelete() throws { try validateDenyRules() }
}

extension ManagedObject: Hashable {
    /// Objects are equal if they are the same instance.
    public static func == (first: ManagedObject, second: ManagedObject) -> Bool { first === second }

    public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ManagedObject: CustomStringConvertible {
    /// The entity and identifier; never fires a fault.
    public final var description: String {
        "<\(binding.entity.name) \(objectID)\(isFault ? ", fault" : "")>"
    }
}

/// The parts that an object is made of; only the engine makes a seed.
public struct ObjectSeed: ~Copyable {
    let binding: EntityBinding
    let reference: Int64
    let slab: RowSlab?
    // Points into `slab`.
    let rowStart: UnsafeRawPointer?
    let state: ObjectState

    init(
        binding: EntityBinding, reference: Int64, slab: RowSlab? = nil,
        rowStart: UnsafeRawPointer? = nil, life: ObjectLife = .clean, flags: ObjectFlags = []
    ) {
        self.binding = binding
        self.reference = reference
        self.slab = slab
        self.rowStart = rowStart
        state = ObjectState(life: life, flags: flags.union(binding.initialFlags))
    }
}
