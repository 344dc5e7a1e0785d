import Foundation
import Synchronization

/// Tells whether a file still has the content of the store that was opened.
///
/// `replacePersistentStore` keeps the file and, for a backup of the store, the identifier. The mark
/// of the copy is another one each time.
final class StoreIdentity: Sendable {
    private struct Content {
        let identifier: String
        let copyMark: String?

        /// The bytes of the metadata that had these, so that the same need not be decoded again.
        var bytes: Data?
    }

    /// Nil until the store is open.
    private let content = Mutex<Content?>(nil)

    func note(_ identifier: String, _ metadata: MetadataList) {
        content.withLock {
            $0 = Content(
                identifier: identifier, copyMark: metadata.copyMark, bytes: metadata.bytes)
        }
    }

    /// - Throws: `SQLiteError` if the file cannot be read.
    func isSame(on connection: Connection) throws -> Bool {
        guard let expected = content.withLock({ $0 }) else { return true }
        do {
            let (identifier, bytes) = try MetadataTable.readBytes(on: connection, url: nil)
            guard identifier == expected.identifier else { return false }
            if bytes == expected.bytes { return true }
            guard MetadataList(bytes).copyMark == expected.copyMark else { return false }
            content.withLock { $0?.bytes = bytes }
            return true
        } catch is StoreError {
            // The file was emptied, or is no longer a store.
            return false
        }
    }
}
