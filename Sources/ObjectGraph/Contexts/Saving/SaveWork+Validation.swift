// Validation in a save (spec §2.7).
extension SaveWork {
    /// Validates every object for its insertion, update or deletion.
    ///
    /// - Throws: `SaveError.validation` with all errors, ordered by kind of change and by
    ///   identifier.
    func validate(in context: ManagedObjectContext) throws {
        var errors: [ValidationError] = []
        func check(_ objects: [ManagedObject], _ body: (ManagedObject) throws -> Void) {
            var found: [ValidationError] = []
            objects.forEachBorrowed { object in
                do { try body(object) } catch {
                    found += ValidationErrors.list(of: error, object, key: nil)
                }
            }
            errors += found.sorted { $0.objectID.precedes($1.objectID) }
        }
        check(inserted) { object in
            try validate(object, in: context) { try object.validateForInsert() }
        }
        check(updated) { object in
            context.deferredValidation?.insert(object.binding.entity.index)
            try validate(object, in: context) { try object.validateForUpdate() }
        }
        let deleted = deleted.filter(\.state.deletion.isOrder)
        Prefetch(in: context).readEnds(ofDeleted: deleted) { $0 == .deny }
        check(deleted) { try $0.validateForDelete() }
        if context.coordinator.persistentStores.count > 1 {
            check(inserted + updated) { try $0.validateStores() }
        }
        guard errors.isEmpty else { throw SaveError.validation(errors) }
    }

    /// Validates an object. If that is for later, throws only what no store can keep.
    @inline(__always)
    private func validate(
        _ object: ManagedObject, in context: ManagedObjectContext, _ validate: () throws -> Void
    ) throws {
        do {
            try validate()
        } catch  where context.deferredValidation != nil {
            context.deferredValidation!.insert(object.binding.entity.index)
            let errors = ValidationErrors.list(of: error, object, key: nil)
            try ValidationErrors.throwIfAny(errors.filter(\.reason.isOfStorage))
        }
    }
}

extension ManagedObjectID {
    fileprivate func precedes(_ other: ManagedObjectID) -> Bool {
        if entityName != other.entityName { return entityName < other.entityName }
        // Temporary references decrease.
        return isTemporaryID && other.isTemporaryID
            ? reference > other.reference : reference < other.reference
    }
}

extension ManagedObject {
    /// Throws for relationships that lead to another store (spec §1.5).
    fileprivate final func validateStores() throws {
        for property in binding.entity.properties where property.relationship != nil {
            let destinations =
                property.kind == .toOne
                ? destination(of: property).map { [$0] } ?? []
                : contents?.relationships[property.index].map { Array($0.difference.added) } ?? []
            if destinations.contains(where: { $0.binding.storeNumber != binding.storeNumber }) {
                throw ValidationError(self, key: property.name, .externalRelationship)
            }
        }
    }
}
