/// Why a save failed. The context is as before and nothing was written.
public enum SaveError: Error, Sendable {
    /// Objects that were changed elsewhere in the meantime (Core Data's 133020).
    case mergeConflicts([MergeConflict])

    /// Objects that share the values of a uniqueness constraint with others (133021).
    case constraintConflicts([ConstraintConflict])

    /// Objects that violate rules of the model or of their class (1550 to 1600).
    case validation([ValidationError])

    /// Objects that are changed or referred to, but exist neither in the context, nor above it, nor
    /// in the store (133000).
    case unknownObjects([ManagedObjectID])

    /// An object that could not be read, so the program got nil or no members instead. Values
    /// computed from that must not be saved.
    case unreadObject(ManagedObjectID, underlying: any Error)

    /// A hook changed objects in every one of 1,000 rounds.
    case endlessWillSave

    /// The merge policy has settled nothing in 10 rounds, or others have saved the same rows in each
    /// of 100.
    case unresolvedConflicts
}

/// An object whose row has another version than the object was read with (spec §5.3).
public struct MergeConflict: Sendable {
    public let objectID: ManagedObjectID

    /// The attributes and to-one destinations that the change was based on, by name; nulls are
    /// absent.
    public let objectSnapshot: [String: AttributeValue]

    /// Those that the row cache had; nil if the conflict was found in the store.
    public let cachedSnapshot: [String: AttributeValue]?

    /// Those in the store; nil if the conflict was found in the row cache, or the row is gone.
    public let persistedSnapshot: [String: AttributeValue]?
    public let oldVersion: UInt32

    /// The version of the newest row; 0 if the row is gone.
    public let newVersion: UInt32
}

/// Objects that share unique values with each other or with a row (spec §5.5).
public struct ConstraintConflict: Sendable {
    /// The names of the constraint's attributes.
    public let constraint: [String]

    /// Their values, in the same order.
    public let values: [AttributeValue]

    /// The stored object with the values; nil if both objects are unsaved.
    public let databaseObjectID: ManagedObjectID?

    /// The attributes and to-one destinations of that object by name; nil without one.
    public let databaseSnapshot: [String: AttributeValue]?

    /// The objects that are to have the values: changed ones first, then new ones, each in the
    /// order of their changes.
    public let conflictingObjectIDs: [ManagedObjectID]

    /// The values that each was read with; empty for a new object.
    public let conflictingSnapshots: [[String: AttributeValue]]
}

extension SaveError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .mergeConflicts(let conflicts):
            "\(conflicts.count) objects were changed elsewhere since they were read, among them \(conflicts[0].objectID); refresh them, or choose a merge policy."
        case .constraintConflicts(let conflicts):
            conflicts.map(\.description).joined(separator: " ")
                + " Change the values, delete one, or choose a merge policy."
        case .validation(let errors):
            errors.map(\.description).joined(separator: " ")
        case .unknownObjects(let ids):
            "\(ids.count) objects are unknown to this context, among them \(ids[0]): they belong to another context, were dropped by a context above, or were deleted from the store. Delete them here, and refer to other objects."
        case .unreadObject(let id, let error):
            "\(id) could not be read, and its values may have been used; refresh it with mergeChanges false, or roll back, and save again. \(error)"
        case .endlessWillSave:
            "willSave changed objects in 1,000 rounds; set a property there only if the value differs."
        case .unresolvedConflicts:
            "The merge policy did not settle the conflicts in 10 rounds, or others saved the same rows in each of 100; check a policy of your own, or save again when other writers have finished."
        }
    }
}

extension ConstraintConflict: CustomStringConvertible {
    /// The values, the object that has them and those that want them.
    public var description: String {
        let shared = zip(constraint, values).map {
            "\($0) = \($1.swiftValue.map { "\($0)" } ?? "nil")"
        }
        .joined(separator: ", ")
        let wanting = conflictingObjectIDs.map(\.description).joined(separator: ", ")
        let owner = databaseObjectID.map { "\($0) has it in the store, and " } ?? ""
        return "\(shared): \(owner)\(wanting) would share it."
    }
}

extension MergeConflict: CustomStringConvertible {
    /// The object and the versions of its row.
    public var description: String {
        if newVersion == 0 {
            return "\(objectID) was read with version \(oldVersion), but its row was deleted."
        }
        // Deleted here after its row was found gone.
        guard oldVersion > 0 else {
            return "\(objectID) was found gone, but its row is back with version \(newVersion)."
        }
        return
            "\(objectID) was read with version \(oldVersion), but its row now has version \(newVersion)."
    }
}
