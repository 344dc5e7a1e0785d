#if PostgreSQL
import ObjectGraph

/// The rows of a batch insert, in chunks. If all fit into one, they can be read again for another try
/// of the transaction; the program's source can be read once.
///
/// One thread uses it.
final class UpsertSource {
    /// A row, and the attributes that it was given.
    struct Row {
        let given: PropertyMask
        let row: RowReference
    }

    private static let maximumChunkCount = 1 << 16

    private let entity: Entity
    private let handler: BatchInsertRequest.RowHandler
    private var hasBegun = false
    private var isAtEnd = false

    /// The rows of the first chunk, once they have all been read and until the second one begins.
    private var first: [Row]?
    private var isAgain = false

    init(_ request: BatchInsertRequest, _ model: ManagedObjectModel, _ entity: Entity) throws {
        self.entity = entity
        handler = try request.makeHandler(model, entity)
    }

    /// Whether all rows that were read are still here, so that `restart` can be called.
    var canRestart: Bool { !hasBegun || first != nil }

    /// Begins again with the first row.
    func restart() { isAgain = first != nil }

    /// The next chunk; nil after the last one. A row that is read takes a key.
    func next(_ keys: inout BatchKeys) throws -> [Row]? {
        if isAgain {
            isAgain = false
            return first
        }
        guard !isAtEnd else { return nil }
        let isFirst = !hasBegun
        hasBegun = true
        // A failure below loses the rows of the chunk.
        first = nil
        var chunk: [Row] = []
        var row = BatchInsertRow(entity)
        while chunk.count < Self.maximumChunkCount {
            row.begin(key: keys.next, isAlone: chunk.isEmpty)
            isAtEnd = try handler(&row)
            if isAtEnd { break }
            let given = row.given
            chunk.append(Row(given: given, row: try row.finish()))
            try keys.take()
        }
        if isFirst { first = chunk }
        return chunk
    }
}
#endif
