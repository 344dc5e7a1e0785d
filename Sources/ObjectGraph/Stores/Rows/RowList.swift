/// The position of a row in its slab, with the key and entity number, so that a pass over many rows
/// does not read the slab.
struct RowPlace: Sendable, BitwiseCopyable {
    let key: Int64
    let offset: UInt32
    let entityNumber: UInt32

    init(key: Int64, offset: UInt32, entityNumber: UInt32) {
        self.key = key
        self.offset = offset
        self.entityNumber = entityNumber
    }

    /// The place of the row that starts here.
    @inline(__always)
    init(_ start: UnsafeRawPointer, slabBase: UnsafeMutableRawPointer) {
        key = start.load(as: Int64.self)
        offset = UInt32(truncatingIfNeeded: start - UnsafeRawPointer(slabBase))
        entityNumber = UInt32(start.load(fromByteOffset: 12, as: UInt16.self))
    }
}

/// Rows in order. A run of neighbouring rows of one slab holds the slab once.
package struct RowList: Sendable {
    private struct Run: Sendable {
        let slab: RowSlab
        var places: [RowPlace]
    }

    private var runs: [Run] = []
    package private(set) var count = 0

    package init() {}

    init(_ rows: some Sequence<RowReference>) {
        for row in rows { append(row) }
    }

    /// The new rows of insertions and updates.
    init(of changes: ArraySlice<RowChange>) {
        changes.withUnsafeBufferPointer { changes in
            for position in changes.indices {
                guard let start = changes[position].row?.start else { continue }
                if runs.isEmpty || runs[runs.count - 1].slab !== changes[position].row?.slab {
                    runs.append(Run(slab: changes[position].row!.slab, places: []))
                }
                runs[runs.count - 1].places.append(
                    RowPlace(start, slabBase: runs[runs.count - 1].slab.base))
            }
        }
        count = changes.count
    }

    mutating func append(_ row: RowReference) {
        if let last = runs.indices.last, runs[last].slab === row.slab {
            runs[last].places.append(row.place)
        } else {
            runs.append(Run(slab: row.slab, places: [row.place]))
        }
        count += 1
    }

    /// Appends a run of rows of one slab.
    mutating func append(_ places: [RowPlace], in slab: RowSlab) {
        guard !places.isEmpty else { return }
        runs.append(Run(slab: slab, places: places))
        count += places.count
    }

    /// Calls the body with each run of rows in one slab, in order.
    @inline(__always)
    func forEachRun(_ body: (RowSlab, [RowPlace]) throws -> Void) rethrows {
        for run in runs { try body(run.slab, run.places) }
    }

    /// The result for each row, in order.
    package func map<Result>(_ transform: (RowReference) throws -> Result) rethrows -> [Result] {
        var results: [Result] = []
        results.reserveCapacity(count)
        try forEachRun { slab, places in
            for place in places {
                results.append(try transform(RowReference(slab: slab, offset: place.offset)))
            }
        }
        return results
    }
}
