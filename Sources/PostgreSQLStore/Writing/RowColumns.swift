#if PostgreSQL
import Foundation
import ObjectGraph

/// The values of rows, as one array parameter for each column, for `unnest`.
struct RowColumns {
    private let sources: [StoredColumn.Source]
    private var columns: [ParameterColumn]

    /// The bytes of all texts and blobs.
    private(set) var byteCount = 0

    /// - Parameter entity: An entity that has the slots of the columns; its ancestors and
    ///   descendants have the same.
    init(_ columns: [StoredColumn], of entity: Entity, capacity: Int) {
        sources = columns.map(\.source)
        self.columns = columns.map {
            ParameterColumn(entity.layout.slotKinds[$0.slot].parameterKind, capacity: capacity)
        }
    }

    /// - Parameter entity: That of the row.
    /// - Throws: `StoreError` for a text that PostgreSQL cannot store.
    mutating func append(_ row: RowReference, _ entity: Entity) throws(StoreError) {
        let layout = entity.layout
        for (index, source) in sources.enumerated() {
            let slot = source.slot
            guard row.hasValue(slot) else {
                columns[index].appendNull()
                continue
            }
            switch layout.slotKinds[slot] {
            case .integer: columns[index].append(integer: row.integer(slot, in: layout))
            case .real: columns[index].append(real: row.real(slot, in: layout))
            case .text:
                let bytes = row.bytes(slot, in: layout)
                try entity.requireStorable(bytes, at: slot)
                source.withStored(bytes) {
                    columns[index].append(bytes: $0)
                    byteCount += $0.count
                }
            case .blob:
                let bytes = row.bytes(slot, in: layout)
                columns[index].append(bytes: bytes)
                byteCount += bytes.count
            }
        }
    }

    var parameters: [Parameter] { columns.map { .column($0) } }

    /// `unnest` of bigint arrays and then of these columns, which are named `c0`, `c1`, ….
    ///
    /// - Parameter integers: The names of the columns before these.
    static func source(
        _ integers: [String], _ columns: [StoredColumn], of entity: Entity
    ) -> String {
        let types =
            integers.map { _ in "bigint[]" }
            + columns.map { entity.layout.slotKinds[$0.slot].arrayType }
        let arrays = types.enumerated().map { "$\($0 + 1)::\($1)" }
        let names = integers + columns.indices.map { "c\($0)" }
        return "unnest(\(arrays.joined(separator: ", "))) AS v(\(names.joined(separator: ", ")))"
    }
}

extension StoredColumn.Source {
    /// Lends the bytes that the column has for a text.
    @inline(__always)
    func withStored(_ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        if folding == .none { return body(text) }
        StringFolding.fold(text, folding.options).withUnsafeBytes(body)
    }
}

extension Entity {
    /// - Throws: `StoreError` for a text with U+0000, which PostgreSQL has in no text.
    func requireStorable(_ text: UnsafeRawBufferPointer, at slot: Int) throws(StoreError) {
        guard let start = text.baseAddress, memchr(start, 0, text.count) != nil else { return }
        let attribute = properties.first { $0.slot == slot }
        throw StoreError(
            .unacceptableValue(
                .string(String(decoding: text, as: UTF8.self)), attribute: attribute?.name ?? "",
                entity: name))
    }
}

extension SlotKind {
    var parameterKind: ParameterColumn.Kind {
        switch self {
        case .integer: .integer
        case .real: .real
        case .text: .text
        case .blob: .bytes
        }
    }

    fileprivate var arrayType: String {
        switch self {
        case .integer: "bigint[]"
        case .real: "double precision[]"
        case .text: "text[]"
        case .blob: "bytea[]"
        }
    }
}

extension ParameterColumn {
    /// A column of integers.
    init(_ integers: some Collection<Int64>) {
        self.init(.integer, capacity: integers.count)
        for integer in integers { append(integer: integer) }
    }
}
#endif
