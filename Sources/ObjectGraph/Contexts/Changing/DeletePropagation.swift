/// Applies the delete rules of deleted objects (spec §2.6).
struct DeletePropagation {
    let context: ManagedObjectContext

    // The list grows while it is worked through: cascades append to it, level by level.
    func run() {
        guard context.tracker.mayHaveMarked else { return }
        defer { context.tracker.noteAppliedRules() }
        var (position, levelEnd) = (0, 0)
        while position < context.tracker.deleted.count {
            guard position < levelEnd else {
                Prefetch(in: context).readEnds(
                    ofDeleted: context.tracker.deleted[position...].filter {
                        $0.state.deletion == .marked
                    }
                ) { $0 == .nullify || $0 == .cascade }
                // The list may have changed: values that are read wake the objects that have them.
                levelEnd = context.tracker.deleted.count
                continue
            }
            let object = context.tracker.deleted[position]
            position += 1
            guard object.state.deletion == .marked else { continue }
            context.noteEvent(of: object)
            object.state.deletion = .propagated
            do {
                try context.requiringReads {
                    for property in object.binding.entity.properties
                    where property.relationship != nil {
                        propagate(from: object, along: property)
                    }
                }
            } catch {
                // The next event tries again.
                context.tracker.mark(object)
            }
        }
    }

    private func propagate(from object: ManagedObject, along property: Property) {
        let relationship = property.relationship!
        switch (property.kind, relationship.deleteRule) {
        case (_, .noAction), (_, .deny), (.attribute, _):
            break
        case (.toOne, let rule):
            guard let destination = object.destination(of: property) else { return }
            if rule == .cascade { context.delete(destination) }
            destination.renewIfStale(property, of: object, in: context)
            if !destination.isDeleted || relationship.inverseIndex != nil {
                object.setDestination(nil, of: property)
            }
        case (.toMany, let rule):
            let members = object.destinations(of: property)
            object.readTogether(members, of: property)
            for destination in members {
                destination.returnIfBack(in: context)
                if rule == .cascade, !destination.state.isDetached { context.delete(destination) }
                destination.renewIfStale(property, of: object, in: context)
                object.change(destination, in: property, isAddition: false)
            }
        }
    }
}
