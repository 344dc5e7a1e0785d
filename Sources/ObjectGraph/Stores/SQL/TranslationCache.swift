import Synchronization

/// The statements of the requests asked for last, so that a list that is shown again is not translated again.
///
/// Kept are requests without a predicate: it may hold any number of constants, which seldom come again.
final class TranslationCache: Sendable {
    private static let capacity = 16

    // Few enough to go through, which costs less than hashing a request.
    private let entries = Mutex<[(request: FetchRequest, translation: FetchTranslation)]>([])

    /// The translation of a request, made if it is not known.
    ///
    /// - Parameter translate: To give the same for equal requests.
    func translation(
        of request: FetchRequest, _ translate: () throws(FetchError) -> FetchTranslation
    ) throws(FetchError) -> FetchTranslation {
        guard request.predicate == nil else { return try translate() }
        if let known = entries.withLock({ $0.first { $0.request == request }?.translation }) {
            return known
        }
        let made = try translate()
        entries.withLock { entries in
            if entries.count == Self.capacity { entries.removeFirst() }
            entries.append((request, made))
        }
        return made
    }
}
