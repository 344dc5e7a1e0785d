/// Keeps an observer of a property active, until `cancel` or until the observation is released.
///
/// Queue: that of the object's context.
public final class PropertyObservation {
    private weak var context: ManagedObjectContext?
    private let object: ManagedObject
    fileprivate let index: Int
    fileprivate let handler: (ManagedObject) -> Void

    fileprivate init(
        _ object: ManagedObject, _ index: Int, _ context: ManagedObjectContext?,
        _ handler: @escaping (ManagedObject) -> Void
    ) {
        self.object = object
        self.index = index
        self.context = context
        self.handler = handler
    }

    deinit { cancel() }

    /// Ends the observation.
    public func cancel() {
        context?.propertyObservations[object]?.removeAll { $0.observation == nil || $0 == self }
        guard context?.propertyObservations[object]?.isEmpty == true else { return }
        context?.propertyObservations[object] = nil
        object.state.flags.remove(.observed)
    }
}

/// A weak reference to an observation.
struct WeakObservation {
    fileprivate weak var observation: PropertyObservation?

    fileprivate static func == (first: Self, second: PropertyObservation) -> Bool {
        first.observation === second
    }
}

extension ManagedObject {
    /// Calls the handler each time after the property is set, also by an inverse; primitive setters
    /// call no handler (spec §2.3).
    ///
    /// - Throws: `PropertyError.unknownKey` if the entity has no such property.
    public final func observe(
        _ key: String, _ handler: @escaping (ManagedObject) -> Void
    ) throws(PropertyError) -> PropertyObservation {
        guard let property = binding.entity.property(named: key) else {
            throw PropertyError(.unknownKey, entity: binding.entity.name, key: key)
        }
        let observation = PropertyObservation(self, property.index, managedObjectContext, handler)
        // A detached object does not change any more.
        guard let context = managedObjectContext else { return observation }
        context.propertyObservations[self, default: []].append(
            WeakObservation(observation: observation))
        state.flags.insert(.observed)
        return observation
    }

    final func notifyObservers(ofPropertyAt index: Int) {
        guard let context = managedObjectContext else { return }
        for case let observation? in (context.propertyObservations[self] ?? [])
            .map(\.observation) where observation.index == index
        {
            context.readingForProgram { observation.handler(self) }
        }
    }
}
