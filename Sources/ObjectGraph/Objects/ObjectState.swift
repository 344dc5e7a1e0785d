/// Where an object is in its life, whether the next save deletes it, and what else is true of it.
struct ObjectState {
    var life: ObjectLife {
        willSet {
            assert(life.mayBecome(newValue), "An object that is \(life) cannot become \(newValue).")
        }
    }
    var deletion = UnsavedDeletion.none
    var flags: ObjectFlags = []

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

    /// Makes an object of the context one without pending changes.
    mutating func forgetChanges() {
        if !isDetached { life = .clean }
        deletion = .none
        flags.subtract([.relationshipChanged, .changedInEvent])
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

    /// The next save inserts the row again, because a saved deletion was undone. Rows of other
    /// contexts may refer to it.
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
        // Another context has deleted the row, and the merge policy keeps the object.
        case (.clean, .inserted), (.updated, .inserted): true
        case (.detached, .broughtBack): true
        default: self == next
        }
    }
}

/// Whether and why the next save deletes an object.
enum UnsavedDeletion: UInt8 {
    case none

    /// The delete rules are still to be applied.
    case marked

    /// The delete rules have been applied, or none apply.
    case propagated

    /// The row was found gone; the object was not deleted here.
    case foundGone

    /// Whether no delete rules are to be applied any more.
    var isPropagated: Bool {
        switch self {
        case .propagated, .foundGone: true
        case .none, .marked: false
        }
    }
}

/// What can be true of an object at any time in its life.
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

    /// A relationship without a column in the object's row has changed. The row's version increases
    /// anyway (spec §2.11).
    static let relationshipChanged = ObjectFlags(rawValue: 16)

    /// An insertion of the object was posted, or would have been if the context had observers.
    static let announced = ObjectFlags(rawValue: 32)

    /// Properties of the object are observed.
    static let observed = ObjectFlags(rawValue: 64)

    /// Every use is checked for the context's queue (spec §4.8).
    static let checked = ObjectFlags(rawValue: 128)
}
