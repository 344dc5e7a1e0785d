extension ManagedObject {
    /// Calls the handler after each change of the property, on the context's queue (spec §2.3).
    ///
    /// A setter calls it at once, also with an equal value, and also the setter of an inverse.
    /// Everything else that replaces values (merge, refresh, rollback, undo, redo, a merge policy,
    /// delete rules, reset) calls it once, when it is done, if the value is another one or the
    /// object has become a fault. Primitive setters are noticed when pending changes are next
    /// processed. An object without a context cannot be observed: its handler is never called.
    ///
    /// - Parameters:
    ///   - key: The name of the property.
    ///   - handler: Gets the object. Reading the property may fire its fault.
    /// - Returns: The observation, which ends when it is released. It keeps the object.
    /// - Throws: `PropertyError.unknownKey` if the entity has no such property.
    public final func observe(
        _ key: String, _ handler: @escaping (ManagedObject) -> Void
    ) throws(PropertyError) -> PropertyObservation {
        guard let property = binding.entity.property(named: key) else {
            throw PropertyError(.unknownKey, entity: binding.entity.name, key: key)
        }
        return PropertyObservation(self, property, handler)
    }

    /// The values of an attribute: the present one, and each that replaces it (spec §2.3).
    ///
    /// Queue: the context's for the call; the values may be awaited anywhere. If several values are
    /// not awaited yet, only the newest is kept. The sequence ends when the object leaves its
    /// context: its deletion or the rollback of its insertion, a reset, the end of the context.
    /// Until then, or until the sequence is released, it keeps the object.
    ///
    /// - Parameter attribute: Is read as `object[attribute]` is, which may fire the fault.
    public final func values<Value>(for attribute: Attribute<Value>) -> AsyncStream<Value> {
        values(of: property(attribute.key)) { $0[attribute] }
    }

    /// The values of a transformable attribute: the present one, and each that replaces it, as for
    /// other attributes.
    ///
    /// - Parameter attribute: Is read as `object[attribute]` is, which may fire the fault.
    public final func values<Value>(for attribute: Transformable<Value>) -> AsyncStream<Value?> {
        values(of: property(attribute.key)) { $0[attribute] }
    }

    final func values<Value: Sendable>(
        of property: Property, _ read: @escaping (ManagedObject) -> Value
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        guard let context = managedObjectContext else {
            continuation.finish()
            return stream
        }
        continuation.yield(read(self))
        let observation = PropertyObservation(self, property) { object in
            if object.state.isDetached {
                continuation.finish()
            } else {
                continuation.yield(read(object))
            }
        }
        context.propertyObservers.feed(observation) { continuation.finish() }
        let identifier = ObjectIdentifier(observation)
        continuation.onTermination = { [weak context] _ in
            guard let context else { return }
            // The consumer may stop on any thread.
            context.queue.dispatchQueue.async {
                _ = context.propertyObservers.removeFeed(identifier)
            }
        }
        return stream
    }

    /// Notifies the observers of a property that was set.
    final func notifyObservers(ofPropertyAt index: Int) {
        managedObjectContext?.notifyObservers(of: self, propertyAt: index)
    }
}
