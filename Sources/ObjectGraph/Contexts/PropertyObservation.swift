import Foundation

/// Keeps an observer of a property active, until `cancel` or until the observation is released.
///
/// Queue: that of the object's context.
public final class PropertyObservation {
    private weak var context: ManagedObjectContext?
    let object: ManagedObject
    let property: Property
    private let handler: (ManagedObject) -> Void

    /// The value that the observer may have read.
    private var known: ValueInMemory

    /// Whether a setter ran within an operation that is not done yet.
    private var wasSet = false

    private var isCancelled = false

    init(
        _ object: ManagedObject, _ property: Property,
        _ handler: @escaping (ManagedObject) -> Void
    ) {
        self.object = object
        self.property = property
        self.handler = handler
        context = object.managedObjectContext
        known = object.valueInMemory(of: property)
        context?.propertyObservers.add(self)
    }

    deinit { cancel() }

    /// Ends the observation.
    public func cancel() {
        isCancelled = true
        context?.propertyObservers.remove(self)
    }

    func notify() {
        if !isCancelled { handler(object) }
    }

    func noteSetting() { wasSet = true }

    /// Notes the value before it may change.
    func noteValue() {
        if known == .notRead { known = object.valueInMemory(of: property) }
    }

    /// Notes the value after it may have changed.
    ///
    /// - Returns: Whether it has. Without an earlier value, only a setter can have changed it.
    func takeChange() -> Bool {
        let (old, hadSetting) = (known, wasSet)
        known = object.valueInMemory(of: property)
        wasSet = false
        return old == .notRead ? hadSetting : known != old
    }
}

/// The value of a property as far as it is in memory.
enum ValueInMemory: Equatable {
    /// The object is a fault, or the members of the relationship were not read.
    case notRead
    case attribute(AttributeValue)
    case destination(ManagedObject?)
    case members(Set<ManagedObject>)
    case order([ManagedObject])
    /// The object has left its context.
    case detached
}

extension ManagedObject {
    /// The value of a property if it is in memory. Fires no fault.
    final func valueInMemory(of property: Property) -> ValueInMemory {
        if state.isDetached { return .detached }
        switch property.kind {
        case .toMany:
            guard let known = contents?.relationships[property.index], let members = known.objects
            else { return .notRead }
            return known.order.map { .order($0) } ?? .members(members)
        case .toOne: return state.isFault ? .notRead : .destination(destination(of: property))
        case .attribute(.transformable):
            return state.isFault ? .notRead : .attribute(storedForm(of: property))
        case .attribute: return state.isFault ? .notRead : .attribute(attributeValue(of: property))
        }
    }

    /// The data of a transformable attribute. Its transformer need not be asked, which may fail.
    private final func storedForm(of property: Property) -> AttributeValue {
        if let changes = changesBesideDraft, changes.contains(property.index) {
            guard case .transformable(let value) = changes[property.index],
                let data = value.storedData
            else { return .null }
            return .data(data)
        }
        guard let slot = property.slot, let row = valuesRow, row.hasValue(slot) else {
            return .null
        }
        return .data(Data(row.bytes(slot, in: binding.entity.layout)))
    }
}
