/// The reads of a context that failed, and what must not be saved because of them.
///
/// A read by the program returns nil or no members when the store fails, and the program may
/// compute with that. The engine does not: it abandons the save or the delete rule, and reads again
/// the next time.
struct FailedReads {
    /// The first error since `begin`.
    private(set) var firstError: (any Error)?

    /// The objects that returned nil or no members to the program.
    private var objects: [ManagedObject: any Error] = [:]

    /// Whether the engine reads for a save or for delete rules.
    private var isEngineReading = false

    /// - Parameter givesValue: Whether the reader gets nil or no members in place of the stored
    ///   value.
    mutating func note(_ error: any Error, of object: ManagedObject, givesValue: Bool) {
        firstError = firstError ?? error
        if givesValue, !isEngineReading, objects[object] == nil { objects[object] = error }
    }

    /// Allows an object to be saved again, because its changes were discarded.
    mutating func forget(_ object: ManagedObject) {
        if !objects.isEmpty { objects[object] = nil }
    }

    /// Allows everything to be saved again, because all changes were discarded.
    mutating func forgetAll() { objects = [:] }

    /// Throws if the program may have computed with the nil of a failed read. Detached objects do
    /// not count.
    ///
    /// - Throws: `SaveError.unreadObject`.
    mutating func requireNoneGiven() throws {
        objects = objects.filter { !$0.key.state.isDetached }
        if let (object, error) = objects.first {
            throw SaveError.unreadObject(object.objectID, underlying: error)
        }
    }

    /// Begins to record errors.
    ///
    /// - Returns: The error recorded so far, which `end` takes.
    mutating func begin() -> (any Error)? {
        defer { firstError = nil }
        return firstError
    }

    mutating func end(_ outer: (any Error)?) { firstError = outer ?? firstError }

    /// - Returns: Whether the engine was reading until now.
    @discardableResult
    mutating func setEngineReading(_ isEngine: Bool) -> Bool {
        defer { isEngineReading = isEngine }
        return isEngineReading
    }
}

extension ManagedObjectContext {
    /// Reports that the store could not be read.
    ///
    /// - Parameter givesValue: Whether the reader gets nil or no members instead. Values that it
    ///   computes from them must not be saved.
    func readFailed(of object: ManagedObject, _ error: any Error, givesValue: Bool) {
        failedReads.note(error, of: object, givesValue: givesValue)
        faultHandler(object.objectID, error)
    }

    /// Runs a part of a save or of the end of an event. The engine checks for failed reads there
    /// and tries again later, so these failures do not prevent later saves.
    func readingForEngine<T>(_ body: () throws -> T) rethrows -> T {
        let outer = failedReads.setEngineReading(true)
        defer { failedReads.setEngineReading(outer) }
        return try body()
    }

    /// Runs a hook or an observer. It is not called again, so nothing computed from a failed read
    /// in it may be saved.
    func readingForProgram<T>(_ body: () throws -> T) rethrows -> T {
        let outer = failedReads.setEngineReading(false)
        defer { failedReads.setEngineReading(outer) }
        return try body()
    }

    /// Runs the body. If a read in it fails, throws the read's error even if the body throws
    /// another one.
    func requiringReads<T>(_ body: () throws -> T) throws -> T {
        let outer = failedReads.begin()
        defer { failedReads.end(outer) }
        do {
            let result = try body()
            if let error = failedReads.firstError { throw error }
            return result
        } catch {
            throw failedReads.firstError ?? error
        }
    }
}
