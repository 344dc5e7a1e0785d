/// Notifies a delegate of the inserted, updated and deleted objects of one class in a context
/// (spec §13.1).
///
///     let monitor = try EntityMonitor<Book>(in: view, frequency: .onSave)
///     monitor.delegate = shelf
///
/// It ends when it is released. Queue: everything must be used on the context's queue.
public final class EntityMonitor<Object: ManagedObject>: @unchecked Sendable {
    // @unchecked Sendable: as a context, all state is used on the context's queue only. The
    // observation has its own lock.

    /// When the delegate is notified.
    public enum Frequency: Sendable, Hashable {
        /// At the end of each event, also of unsaved changes and merges.
        case onChange
        /// After each save of the context.
        case onSave
    }

    public let context: ManagedObjectContext
    public let frequency: Frequency
    public weak var delegate: (any EntityMonitorDelegate<Object>)?

    private let entity: Entity
    private let predicate: CompiledPredicate?
    private var observation: Observation?

    /// A monitor of the objects of a class and its subclasses.
    ///
    /// - Parameters:
    ///   - context: The context to observe.
    ///   - frequency: When the delegate is notified.
    ///   - predicate: Which objects to report, by their values at that time; nil means all.
    /// - Throws: `FetchError.unknownEntity` unless exactly one entity has the class; others for
    ///   mistakes in the predicate, and `unsupported` if it has a FETCH.
    public init(
        in context: ManagedObjectContext, frequency: Frequency = .onSave,
        where predicate: ObjectPredicate? = nil
    ) throws(FetchError) {
        self.context = context
        self.frequency = frequency
        let name = try TypedFetchRequest<Object>().request(in: context.model).entityName
        guard let entity = context.model.entity(named: name) else { throw .unknownEntity(name) }
        self.entity = entity
        if let predicate {
            self.predicate = try CompiledPredicate(predicate, entity: entity, model: context.model)
        } else {
            self.predicate = nil
        }
        observation = context.observe { [weak self] in self?.receive($0) }
    }

    private func receive(_ notification: ContextNotification) {
        switch (notification, frequency) {
        case (.objectsDidChange(let changes), .onChange), (.didSave(let changes), .onSave):
            report(changes)
        default: break
        }
    }

    private func report(_ changes: ObjectChanges) {
        let (inserted, updated, deleted) = (
            objects(changes.inserted), objects(changes.updated), objects(changes.deleted)
        )
        if !inserted.isEmpty { delegate?.entityMonitor(self, didInsert: inserted) }
        if !updated.isEmpty { delegate?.entityMonitor(self, didUpdate: updated) }
        if !deleted.isEmpty { delegate?.entityMonitor(self, didDelete: deleted) }
    }

    /// The objects of the class that match. A new object that was deleted has left the context and
    /// is not among them.
    private func objects(_ ids: [ManagedObjectID]) -> Set<Object> {
        guard delegate != nil else { return [] }
        let own = ids.filter { entity.familyIndexes.contains($0.scope.entityIndex) }
        return Set(
            own.compactMap { context.registeredObject(for: $0) as? Object }.filter {
                predicate?.matches(ObjectSubject(object: $0)) ?? true
            })
    }
}

/// Is notified of the objects of a class that were inserted, updated or deleted. Each method is
/// called only if there are some.
public protocol EntityMonitorDelegate<Object>: AnyObject {
    associatedtype Object: ManagedObject

    func entityMonitor(_ monitor: EntityMonitor<Object>, didInsert objects: Set<Object>)
    func entityMonitor(_ monitor: EntityMonitor<Object>, didUpdate objects: Set<Object>)

    /// The values of the objects can still be read.
    func entityMonitor(_ monitor: EntityMonitor<Object>, didDelete objects: Set<Object>)
}
