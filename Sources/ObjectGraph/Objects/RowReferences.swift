/// References to other objects in encoded rows: replacements to apply, and unresolved ones found.
struct RowReferences {
    /// Permanent references by the temporary ones that they replace.
    var renewed: [Int64: Int64] = [:]

    /// The temporary references found whose objects are not new in the context; nil unless
    /// collected.
    var open: [ManagedObjectID]?
}
