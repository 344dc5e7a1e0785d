/// The observers of properties of a context's objects (spec §2.3).
///
/// Setters notify them at once. Everything else that changes values is an *operation*: a merge, a
/// refresh, an undo. It notifies observers when it is done, since its setters leave objects in
/// between. The context then compares the values with the earlier ones, so that no part of the
/// engine has to report its changes.
struct PropertyObservers {
    private struct WeakObservation {
        weak var observation: PropertyObservation?
    }

    /// An observation that feeds a sequence, which ends with it.
    private final class Feed {
        private let observation: PropertyObservation
        private let finish: () -> Void

        init(_ observation: PropertyObservation, _ finish: @escaping () -> Void) {
            self.observation = observation
            self.finish = finish
        }

        deinit { finish() }
    }

    /// By object, in the order in which they were added.
    private var observations: [ManagedObject: [WeakObservation]] = [:]

    private var feeds: [ObjectIdentifier: Feed] = [:]

    /// How many operations are running, one within the other.
    fileprivate var operationCount = 0

    var isEmpty: Bool { observations.isEmpty }

    mutating func add(_ observation: PropertyObservation) {
        observations[observation.object, default: []].append(
            WeakObservation(observation: observation))
        observation.object.state.flags.insert(.observed)
    }

    mutating func remove(_ observation: PropertyObservation) {
        let object = observation.object
        // An observation that is being released is nil here.
        observations[object]?.removeAll {
            $0.observation == nil || $0.observation === observation
        }
        guard observations[object]?.isEmpty == true else { return }
        observations[object] = nil
        object.state.flags.remove(.observed)
    }

    mutating func feed(_ observation: PropertyObservation, finish: @escaping () -> Void) {
        feeds[ObjectIdentifier(observation)] = Feed(observation, finish)
    }

    /// - Returns: The feed, whose release ends the sequence. The release changes this value too, so
    ///   it is left to the caller.
    mutating func removeFeed(_ observation: ObjectIdentifier) -> AnyObject? {
        feeds.removeValue(forKey: observation)
    }

    func observations(of object: ManagedObject, propertyAt index: Int) -> [PropertyObservation] {
        (observations[object] ?? []).compactMap(\.observation).filter {
            $0.property.index == index
        }
    }

    var all: [PropertyObservation] {
        observations.values.flatMap { $0.compactMap(\.observation) }
    }

    /// Marks objects that have left their context and were brought back.
    func markObjects() {
        for object in observations.keys where !object.state.isDetached {
            object.state.flags.insert(.observed)
        }
    }
}

extension ManagedObjectContext {
    /// Begins an operation. Observers are notified at its end.
    @inline(__always)
    func beginOperation() {
        noteObservedValues()
        propertyObservers.operationCount += 1
    }

    /// Ends an operation.
    ///
    /// - Parameter notifies: Whether observers may run now; if not, the next operation notifies
    ///   them.
    @inline(__always)
    func endOperation(notifies: Bool = true) {
        propertyObservers.operationCount -= 1
        if notifies { notifyOfOperation() }
    }

    /// Notes what observers may know, before values change.
    @inline(__always)
    func noteObservedValues() {
        if !propertyObservers.isEmpty { noteValues() }
    }

    @inline(never)
    private func noteValues() {
        guard propertyObservers.operationCount == 0 else { return }
        for observation in propertyObservers.all { observation.noteValue() }
    }

    /// Notifies the observers of values that differ from the noted ones.
    @inline(__always)
    func notifyOfOperation() {
        if !propertyObservers.isEmpty { notifyOfChangedValues() }
    }

    @inline(never)
    private func notifyOfChangedValues() {
        guard propertyObservers.operationCount == 0 else { return }
        propertyObservers.markObjects()
        notify(propertyObservers.all.filter { $0.takeChange() })
    }

    func notifyObservers(of object: ManagedObject, propertyAt index: Int) {
        let observations = propertyObservers.observations(of: object, propertyAt: index)
        guard propertyObservers.operationCount == 0 else {
            return observations.forEach { $0.noteSetting() }
        }
        for observation in observations { _ = observation.takeChange() }
        notify(observations)
    }

    // A handler may change objects, and add or cancel observations.
    private func notify(_ observations: [PropertyObservation]) {
        for observation in observations { readingForProgram { observation.notify() } }
    }
}
