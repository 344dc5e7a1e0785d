/// What a context could not read, and what it must not save because of that.
struct FailedReads {
    /// The first error since `begin`.
    private(set) var firstError: (any Error)?

    /// The objects that have read as nil or empty, each with the error that keeps them from being
    /// saved.
    private var objects: [ManagedObject: any Error] = [:]

    /// Whether the context reads for itself and never takes nil for a value.
    private var isContextReading = false

    /// What keeps the context from being saved; nil if nothing does.
    var savePreventingError: (any Error)? { objects.first?.value }

    /// - Parameter givesValue: Whether the reader gets nil or no members instead.
    mutating func note(_ error: any Error, _ object: ManagedObject, givesValue: Bool) {
        firstError = firstError ?? error
        if givesValue, !isContextReading, objects[object] == nil { objects[object] = error }
    }

    mutating func forget(_ object: ManagedObject) {
        if !objects.isEmpty { objects[object] = nil }
    }

    mutating func forgetAll() { objects = [:] }

    /// Begins to look for errors.
    ///
    /// - Returns: What `end` takes.
    mutating func begin() -> (any Error)? {
        defer { firstError = nil }
        return firstError
    }

    mutating func end(_ outer: (any Error)?) { firstError = outer ?? firstError }

    /// - Returns: What `endContextReading` takes.
    mutating func beginContextReading() -> Bool {
        defer { isContextReading = true }
        return isContextReading
    }

    mutating func endContextReading(_ outer: Bool) { isContextReading = outer }
}

extension ManagedObjectContext {
    /// The store could not be read: nothing takes the place of what is there.
    ///
    /// - Parameter givesValue: Whether the reader gets nil or no members instead. What it derives
    ///   from them must not be saved.
    func readFailed(of object: ManagedObject, _ error: any Error, givesValue: Bool) {
        failedReads.note(error, object, givesValue: givesValue)
        faultHandler(object.objectID, error)
    }

    /// Runs a part of a save or of the end of an event. It looks for failed reads itself, so that
    /// they do not prevent later saves.
    func readingForItself<T>(_ body: () throws -> T) rethrows -> T {
        let outer = failedReads.beginContextReading()
        defer { failedReads.endContextReading(outer) }
        return try body()
    }

    /// Runs the body. If a read in it fails, throws that error, whatever the body throws.
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
