/// Where an object is in its life, whether the next save deletes it, and what else is true of it.
struct ObjectState {
    // In one word, so that an object takes 58 bytes, and a seed is passed in registers.
    private var bits: UInt16

    init(life: ObjectLife, flags: ObjectFlags = []) {
        bits = UInt16(flags.rawValue) << 8 | UInt16(life.rawValue)
    }

    /// Changes by `ManagedObject.enter(_:)` only.
    fileprivate(set) var life: ObjectLife {
        // Unchecked: only raw values of cases are stored.
        get { ObjectLife(rawValue: UInt8(bits & 7)).unsafelyUnwrapped }
        set { bits = bits & ~7 | UInt16(newValue.rawValue) }
    }

    var deletion: UnsavedDeletion {
        get { UnsavedDeletion(rawValue: UInt8(bits >> 4 & 7)).unsafelyUnwrapped }
        set { bits = bits & ~0x70 | UInt16(newValue.rawValue) << 4 }
    }

    var flags: ObjectFlags {
        get { ObjectFlags(rawValue: UInt8(bits >> 8)) }
        set { bits = bits & 0xFF | UInt16(newValue.rawValue) << 8 }
    }

    /// The state of an object that has left its context.
    static let detached = ObjectState(life: .detached, flags: .fault)

    var isFault: Bool { flags.contains(.fault) }
    var isDetached: Bool { life == .detached }
    var isDeleted: Bool { deletion != .none }

    /// Whether the object is new, changed or deleted.
    var hasChanges: Bool { life.isToBeWritten || isDeleted }

    /// Whether a value cannot be read at once: a single test, whether or not queues are checked.
    @inline(__always)
    var needsAttention: Bool { !flags.isDisjoint(with: [.fault, .checked]) }
}

extension ManagedObject {
    /// Moves the object to another place in its life. Debug builds check that this is legal.
    // Not an observer of the property: with one, every access to the state of every object would be
    // checked for exclusivity at run time, which costs a fetch and a save 10 to 17 %.
    @inline(__always)
    final func enter(_ life: ObjectLife) {
        assert(
            state.life.mayBecome(life), "An object that is \(state.life) cannot become \(life).")
        state.life = life
    }
}

/// Where an object is in its life, apart from an unsaved deletion.
enum ObjectLife: UInt8 {
    /// The object has a row and no pending changes, as far as the context knows.
    case clean

    /// The object has left its context.
    case detached

    /// A value has changed since the last save.
    case updated

    /// The next save inserts the row.
    case inserted

    /// The next save inserts the row again: a saved deletion was undone, or another context has
    /// deleted the row and the merge policy keeps the object. Other rows may refer to it.
    case broughtBack

    /// The object was made without a context and has not been inserted yet.
    case unattached

    /// Whether a save writes the object's values.
    var isToBeWritten: Bool {
        switch self {
        case .updated, .inserted, .broughtBack, .unattached: true
        case .clean, .detached: false
        }
    }

    /// Whether the object has no row, or none any more.
    var isInsertion: Bool {
        switch self {
        case .inserted, .broughtBack, .unattached: true
        case .clean, .detached, .updated: false
        }
    }

    /// Whether the object was never saved from this context.
    var isNew: Bool { isInsertion && self != .broughtBack }

    /// The legal transitions. Any object may leave its context.
    func mayBecome(_ next: ObjectLife) -> Bool {
        switch (self, next) {
        case (_, .detached): true
        case (.unattached, .inserted): true
        // A save, a rollback, or another context's insertion of the same row.
        case (.inserted, .clean), (.broughtBack, .clean), (.updated, .clean): true
        case (.clean, .updated): true
        // A child's insertion of a row that this context has a fault for.
        case (.clean, .inserted): true
        case (.clean, .broughtBack), (.updated, .broughtBack), (.detached, .broughtBack): true
        default: self == next
        }
    }
}

/// Whether and why an object counts as deleted until the next save.
enum UnsavedDeletion: UInt8 {
    case none

    /// The delete rules are still to be applied.
    case marked

    /// The delete rules have been applied, or none apply.
    case propagated

    /// The delete rules were applied to an older row than the object has now. The next save applies
    /// them to this one, since others may have related the object meanwhile.
    case renewed

    /// The row was found gone; the object was not deleted here.
    case foundGone

    /// Another context has deleted the row, as a merge has reported; the object was not deleted
    /// here.
    case merged

    /// The object was deleted here, and a merge has reported that another context has deleted the
    /// row too.
    case mergedToo

    /// Whether no delete rules are to be applied any more.
    var isPropagated: Bool {
        switch self {
        case .propagated, .renewed, .foundGone, .merged, .mergedToo: true
        case .none, .marked: false
        }
    }

    /// Whether a save deletes the row. What others have deleted is news, not an order: the row may
    /// be back by then.
    var isOrder: Bool {
        switch self {
        case .marked, .propagated, .renewed, .mergedToo: true
        case .none, .foundGone, .merged: false
        }
    }

    /// Whether only others have deleted the row, which may be back.
    var isNews: Bool { isOfOthers && !isOrder }

    /// Whether a merge has reported that another context has deleted the row.
    var isMerged: Bool { self == .merged || self == .mergedToo }

    /// Whether the row is known to be gone, so that taking the deletion back does not bring the
    /// object back.
    var isOfOthers: Bool { self == .foundGone || isMerged }
}

/// Conditions that an object may meet at any time in its life.
struct ObjectFlags: OptionSet {
    let rawValue: UInt8

    /// The values have not been read. `row`, if there is one, was cached when the object was
    /// fetched.
    static let fault = ObjectFlags(rawValue: 1)

    /// The object's own values are in a draft, a row that is not finished.
    static let draft = ObjectFlags(rawValue: 2)

    /// `awakeFromFetch` is running: setting a value is not a change.
    static let awaking = ObjectFlags(rawValue: 4)

    /// The object is among those changed since pending changes were last processed.
    static let changedInEvent = ObjectFlags(rawValue: 8)

    /// An insertion of the object was posted, or would have been if the context had observers.
    static let announced = ObjectFlags(rawValue: 16)

    /// Properties of the object are observed.
    static let observed = ObjectFlags(rawValue: 32)

    /// Every use is checked for the context's queue (spec §4.8).
    static let checked = ObjectFlags(rawValue: 64)
}
