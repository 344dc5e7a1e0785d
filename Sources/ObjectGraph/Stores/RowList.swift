/// Rows in their order, by slab: a run of neighbours holds its slab once.
struct RowList: Sendable {
    private struct Run: Sendable {
        let slab: RowSlab
        var offsets: [UInt32]
    }

    private var runs: [Run] = []
    private(set) var count = 0

    init() {}

    init(_ rows: some Sequence<RowReference>) {
        for row in rows { append(row) }
    }

    mutating func append(_ row: RowReference) {
        if let last = runs.indices.last, runs[last].slab === row.slab {
            runs[last].offsets.append(row.offset)
        } else {
            runs.append(Run(slab: row.slab, offsets: [row.offset]))
        }
        count += 1
    }

    /// Appends a run of rows that lie in one slab.
    mutating func append(_ offsets: [UInt32], in slab: RowSlab) {
        guard !offsets.isEmpty else { return }
        runs.append(Run(slab: slab, offsets: offsets))
        count += offsets.count
    }

    /// Calls the body with each row in order.
    @inline(__always)
    func forEach(_ body: (RowReference) throws -> Void) rethrows {
        for run in runs {
            let base = UnsafeRawPointer(run.slab.base)
            for offset in run.offsets {
                try body(RowReference(slab: run.slab, start: base + Int(offset)))
            }
        }
    }

    func map<Result>(_ transform: (RowReference) throws -> Result) rethrows -> [Result] {
        var results: [Result] = []
        results.reserveCapacity(count)
        try forEach { results.append(try transform($0)) }
        return results
    }
}
