/// The reads of a context that have failed, and what must not be saved because of them.
///
/// A read by the program returns nil or no members when the store fails, and the program may compute with that. The engine
/// does not: it leaves a save or a delete rule undone, and reads again the next time.
struct FailedReads {
    /// The first error since the last save began.
    private(set) var firstError: (any Error)?

    /// The objects that returned nil or no members to the program.
    private var objects: [ManagedObject: any Error] = [:]

    /// Whether the engine reads for a save or for delete rules.
    private var isEngineReading = false

    /// - Parameter givesValue: Whether the reader gets nil or no members in the place of what is stored.
    mutating func note(_ error: any Error, of object: ManagedObject, givesValue: Bool) {
        firstError = firstError ?? error
        if givesValue, !isEngineReading, objects[object] == nil { objects[object] = error }
    }

    /// Lets the values of an object be saved again: nothing of what was set on it is left.
    mutating func forget(_ object: ManagedObject) {
        if !objects.isEmpty { objects[object] = nil }
    }

    /// Lets everything be saved again: nothing is left of what the program has set.
    mutating func forgetAll() { objects = [:] }

    mutating func beginSave() { firstError = nil }

    /// Throws if the engine has not read all that the save looks at: the save would write something else.
    func requireAll() throws {
        if let firstError { throw firstError }
    }

    /// Throws if the program may have computed with the nil of a failed read. Objects that have left do not count.
    ///
    /// - Throws: `SaveError.unreadObject`.
    mutating func requireNoneGiven() throws {
        objects = objects.filter { !$0.key.state.contains(.detached) }
        if let (object, error) = objects.first {
            throw SaveError.unreadObject(object.objectID, underlying: error)
        }
    }

    /// - Returns: Whether the engine was reading until now.
    @discardableResult
    mutating func setEngineReading(_ isEngine: Bool) -> Bool {
        defer { isEngineReading = isEngine }
        return isEngineReading
    }

    /// Begins to look for errors of a part.
    ///
    /// - Returns: The first error of before, for `endPart`.
    mutating func beginPart() -> (any Error)? {
        defer { firstError = nil }
        return firstError
    }

    /// - Returns: Whether all of the part was read.
    mutating func endPart(_ before: (any Error)?) -> Bool {
        defer { firstError = before ?? firstError }
        return firstError == nil
    }
}

extension ManagedObjectContext {
    /// The store could not be read: nothing takes the place of what is there.
    ///
    /// - Parameter givesValue: Whether the reader gets nil or no members instead.
    func readFailed(of object: ManagedObject, _ error: any Error, givesValue: Bool) {
        failedReads.note(error, of: object, givesValue: givesValue)
        faultHandler(object.objectID, error)
    }

    /// Runs a part of a save or of the end of an event. The engine handles what it cannot read there: it does so again.
    func readingForEngine<T>(_ body: () throws -> T) rethrows -> T {
        let outer = failedReads.setEngineReading(true)
        defer { failedReads.setEngineReading(outer) }
        return try body()
    }

    /// Runs a hook or an observer: what the program cannot read there must not be saved, since it is not called again.
    func readingForProgram<T>(_ body: () throws -> T) rethrows -> T {
        let outer = failedReads.setEngineReading(false)
        defer { failedReads.setEngineReading(outer) }
        return try body()
    }

    /// Whether all that the body reads can be read.
    func readsAll(_ body: () -> Void) -> Bool {
        let before = failedReads.beginPart()
        body()
        return failedReads.endPart(before)
    }
}
