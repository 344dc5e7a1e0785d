/// References to other objects in encoded rows: replacements to apply, and unresolved ones found.
struct RowReferences {
    /// Permanent references by the temporary ones that they replace.
    var renewed: [Int64: Int64] = [:]

    /// The temporary references found whose objects are not new in the context; nil unless
    /// collected.
    var open: [ManagedObjectID]?

    let context: ManagedObjectContext

    /// The primary key that the current save has assigned to an object, otherwise its reference.
    mutating func current(
        _ reference: Int64, entityIndex: Int, _ storeNumber: Int
    ) -> Int64 {
        guard reference < 0 else { return reference }
        let object = context.table(entityIndex, storeNumber)[reference]
        let current = object?.reference ?? renewed[reference] ?? reference
        if current < 0, open != nil, !(object?.isInserted ?? false) || object!.isDeleted {
            let scope = context.binding(entityIndex, storeNumber).scope
            open!.append(ManagedObjectID(scope: scope, reference: current))
        }
        return current
    }
}
