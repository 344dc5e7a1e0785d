/// Makes the other ends of one-to-one relationships agree with what is about to be saved.
///
/// A setter has done so, unless others have related the object since, or one of the two rows is
/// older than the other. Only rows that disagree are read again.
struct OneToOneSettlement {
    let context: ManagedObjectContext

    func run() {
        guard context.parent == nil else { return }
        for object in context.tracker.updated
        where object.state.life == .updated && !object.isDeleted {
            guard let changes = object.changesBesideDraft else { continue }
            settle(of: object, where: changes.contains)
        }
        for object in context.tracker.deleted
        where object.state.deletion.isOrder && !object.state.life.isInsertion {
            settle(of: object) { _ in true }
        }
    }

    private func settle(of object: ManagedObject, where isConcerned: (Int) -> Bool) {
        for index in object.binding.entity.toOneIndexes where isConcerned(index) {
            let property = object.binding.entity.properties[index]
            guard let inverse = context.model.inverse(of: property.relationship!),
                inverse.kind == .toOne
            else { continue }
            let stored = object.storedDestination(of: property)
            let current = object.isDeleted ? nil : object.destination(of: property)
            guard stored !== current else { continue }
            stored?.returnIfBack(in: context)
            if let stored, !stored.isDeleted, !stored.state.isDetached {
                stored.renewIfStale(property, of: object, in: context)
                if stored.destination(of: inverse) === object { stored.store(nil, in: inverse) }
            }
            guard let current, !current.isDeleted else { continue }
            if !current.isWritten, !current.renew(in: context) {
                object.store(nil, in: property)
            } else if current.destination(of: inverse) !== object,
                current.changesBesideDraft?.contains(inverse.index) != true
            {
                // A row that is written for another change may lead elsewhere too.
                current.store(object, in: inverse)
            }
        }
    }
}
