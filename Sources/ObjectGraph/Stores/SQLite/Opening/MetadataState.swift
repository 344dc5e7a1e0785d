import Foundation
import Synchronization

/// The metadata of an open store that can change.
package final class MetadataState: Sendable {
    package struct Content {
        package var list: MetadataList
        /// Whether the list has a note that the next save of rows writes.
        var hasUnwrittenNote = false
        /// The number of changes, and how many of them are in the file.
        var changeCount = 0
        var writtenCount = 0
    }

    let content: Mutex<Content>

    package init(_ list: MetadataList, hasUnwrittenNote: Bool) {
        content = Mutex(Content(list: list, hasUnwrittenNote: hasUnwrittenNote))
    }

    package var list: MetadataList { content.withLock { $0.list } }

    package func setValues(_ values: [String: AttributeValue]) {
        if list.values != values { change { $0.values = values } }
    }

    /// Changes the list; the next save writes it.
    func change(_ body: (inout MetadataList) -> Void) {
        content.withLock { content in
            body(&content.list)
            content.changeCount += 1
        }
    }

    /// The content to write; call `noteWritten` afterwards. Nil if nothing has changed.
    package var unwritten: Content? {
        content.withLock { $0.changeCount > $0.writtenCount ? $0 : nil }
    }

    /// The content to write with rows, in the same way.
    package var unwrittenOrNoted: Content? {
        content.withLock { $0.changeCount > $0.writtenCount || $0.hasUnwrittenNote ? $0 : nil }
    }

    /// Values that were set since then remain unwritten.
    package func noteWritten(_ written: Content) {
        content.withLock { content in
            content.writtenCount = max(content.writtenCount, written.changeCount)
            content.hasUnwrittenNote = false
        }
    }
}
