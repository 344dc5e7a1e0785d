// Values that are missing where the accessor's type has none for nil (spec §1.3).
extension ManagedObject {
    /// Stops the program if it has not set the value that it reads.
    ///
    /// Data must not stop it. So a value that a row lacks is a failed read: it is reported to the
    /// fault handler, and no save writes what was computed from the substitute. If the object has
    /// no row any more, or is in no context, it is reported only.
    ///
    /// - Parameter substitute: What the accessor returns after a report; nil stops the program.
    @inline(never)
    final func missingValue<Value: ManagedValue>(
        _ key: PropertyKey, substitute: Value?
    ) -> Value {
        let error = PropertyError(
            .missingValue(as: "\(Value.self)"), entity: binding.entity.name, key: key.name)
        guard let substitute, !isUnset(property(key)) else { fatalError("\(error)") }
        if let context = managedObjectContext, row != nil {
            context.readFailed(of: self, error, givesValue: true)
        } else if !state.isFault {
            // A fault has already reported why it could not be read.
            let handler = binding.context?.faultHandler ?? ManagedObjectContext.logsFaults
            handler(objectID, error)
        }
        return substitute
    }

    /// Whether the attribute has no value because of the program: it has not set the attribute of a
    /// new object or a transient one, or has set it to nil.
    private func isUnset(_ property: Property) -> Bool {
        guard !state.isDetached, !state.isFault, state.deletion != .foundGone,
            state.life != .broughtBack
        else { return false }
        guard let row, let slot = property.slot else { return true }
        return row.hasValue(slot) && changesBesideDraft?.contains(property.index) == true
    }
}
