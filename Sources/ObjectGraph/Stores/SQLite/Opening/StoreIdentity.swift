import Synchronization

/// Tells whether a file still has the content of the store that was opened.
///
/// `replacePersistentStore` keeps the file and, for a backup of the store, the identifier. The mark
/// of the copy is another one each time.
final class StoreIdentity: Sendable {
    private struct Content: Equatable {
        let identifier: String
        let copyMark: String?
    }

    /// Nil until the store is open.
    private let content = Mutex<Content?>(nil)

    func note(_ identifier: String, copy mark: String?) {
        content.withLock { $0 = Content(identifier: identifier, copyMark: mark) }
    }

    /// - Throws: `SQLiteError` if the file cannot be read.
    func isSame(on connection: Connection) throws -> Bool {
        guard let expected = content.withLock({ $0 }) else { return true }
        do {
            let (identifier, list) = try MetadataTable.read(on: connection, url: nil)
            return Content(identifier: identifier, copyMark: list.copyMark) == expected
        } catch is StoreError {
            // The file was emptied, or is no longer a store.
            return false
        }
    }
}
