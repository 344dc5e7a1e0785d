#if PostgreSQL
import CPostgreSQL
import Foundation

/// The value of a parameter, which is sent in binary form.
///
/// NULL has the type that the server infers; write `$1::bigint` where it cannot.
enum Parameter: Sendable {
    case null
    case integer(Int64)
    /// NaN becomes NULL, as in SQLite.
    case real(Double)
    case text(String)
    case bytes(Data)
    /// An array of bigint, for `= ANY($1)`.
    case integers([Int64])
    case column(ParameterColumn)

    /// The OID of its type; 0 for NULL.
    var type: Oid {
        switch self {
        case .null: 0
        case .integer: WireType.integer
        case .real: WireType.real
        case .text: WireType.text
        case .bytes: WireType.bytes
        case .integers: ParameterColumn.Kind.integer.arrayType
        case .column(let column): column.kind.arrayType
        }
    }

    var byteCount: Int {
        switch self {
        case .null: 0
        case .integer, .real: 8
        case .text(let text): text.utf8.count
        case .bytes(let data): data.count
        case .integers(let integers): 20 + 12 * integers.count
        case .column(let column): column.bytes.count
        }
    }
}

extension Array<Parameter> {
    /// Lends the parameters in libpq's form: addresses, lengths and formats.
    func withEncoded(
        _ body: (
            UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>
        ) -> Int32
    ) -> Int32 {
        var addresses = [UnsafePointer<CChar>?](repeating: nil, count: Swift.max(count, 1))
        var lengths = [Int32](repeating: 0, count: Swift.max(count, 1))
        let formats = [Int32](repeating: 1, count: Swift.max(count, 1))
        let scratch = WireBuffer(capacity: reduce(0) { $0 + $1.scratchByteCount })
        // The buffer has room for all of them, so that no address changes.
        for (index, parameter) in enumerated() {
            let bytes = parameter.write(to: scratch)
            addresses[index] = bytes?.baseAddress?.assumingMemoryBound(to: CChar.self)
            lengths[index] = Int32(truncatingIfNeeded: bytes?.count ?? 0)
        }
        // The addresses of columns are valid as long as the columns, and the others as the buffer.
        return withExtendedLifetime((self, scratch)) { body(addresses, lengths, formats) }
    }
}

extension Parameter {
    fileprivate var scratchByteCount: Int {
        if case .column = self { 0 } else { Swift.max(byteCount, 1) }
    }

    /// The value in its wire form: at the end of the buffer, or where a column has it; nil for
    /// NULL.
    fileprivate func write(to buffer: WireBuffer) -> UnsafeRawBufferPointer? {
        switch self {
        case .null: return nil
        case .integer(let value):
            let place = buffer.extend(by: 8)
            place.storeNetwork(value)
            return UnsafeRawBufferPointer(start: place, count: 8)
        case .real(let value):
            guard !value.isNaN else { return nil }
            let place = buffer.extend(by: 8)
            place.storeNetwork(value.bitPattern)
            return UnsafeRawBufferPointer(start: place, count: 8)
        case .text(var text): return text.withUTF8 { buffer.copy(UnsafeRawBufferPointer($0)) }
        case .bytes(let data): return data.withUnsafeBytes { buffer.copy($0) }
        case .integers(let integers):
            var column = ParameterColumn(.integer, capacity: integers.count)
            for integer in integers { column.append(integer: integer) }
            return buffer.copy(column.bytes)
        case .column(let column): return column.bytes
        }
    }
}

extension WireBuffer {
    /// Copies the bytes to the end. The result has an address even if it is empty.
    fileprivate func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let place = extend(by: bytes.count)
        if let source = bytes.baseAddress {
            place.copyMemory(from: source, byteCount: bytes.count)
        }
        return UnsafeRawBufferPointer(start: place, count: bytes.count)
    }
}
#endif
