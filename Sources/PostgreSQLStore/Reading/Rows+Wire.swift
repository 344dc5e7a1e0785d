#if PostgreSQL
import CPostgreSQL
import ObjectGraph

extension Rows {
    /// Lends the result to the engine, which reads it in one call.
    ///
    /// - Throws: `StoreError` if a column has a type that no column of a store has.
    func withWire<T>(_ body: (WireResult) throws -> T) throws -> T {
        var kinds: [SlotKind] = []
        kinds.reserveCapacity(columnCount)
        for column in 0..<columnCount {
            let type = type(column)
            guard let kind = SlotKind(wireType: type) else {
                let name = PQfname(result, Int32(column)).map { String(cString: $0) } ?? ""
                throw StoreError(
                    .damagedValue("the column '\(name)' of a result has the type \(type)"))
            }
            kinds.append(kind)
        }
        defer { withExtendedLifetime(self) {} }
        return try body(WireResult(result, rowCount: count, kinds: kinds, access: .libpq))
    }
}

extension WireResult.Access {
    fileprivate static let libpq = Self(
        byteCount: PQgetlength, isNull: PQgetisnull, bytes: PQgetvalue)
}

extension SlotKind {
    /// - Parameter type: The OID of a type of PostgreSQL.
    fileprivate init?(wireType type: Oid) {
        switch type {
        case WireType.integer: self = .integer
        case WireType.real: self = .real
        case WireType.text: self = .text
        case WireType.bytes: self = .blob
        default: return nil
        }
    }
}

extension Parameter {
    init(_ binding: SQLBinding) {
        switch binding {
        case .null: self = .null
        case .integer(let value): self = .integer(value)
        case .real(let value): self = .real(value)
        case .text(let value): self = .text(value)
        case .blob(let value): self = .bytes(value)
        case .array(let values): self = .column(ParameterColumn(values))
        }
    }
}

extension ParameterColumn {
    fileprivate init(_ values: SQLArray) {
        switch values {
        case .integers(let values):
            self.init(.integer, capacity: values.count)
            for value in values { append(integer: value) }
        case .reals(let values):
            self.init(.real, capacity: values.count)
            for value in values { append(real: value) }
        case .texts(let values):
            self.init(.text, capacity: values.count)
            for value in values { append(text: value) }
        case .blobs(let values):
            self.init(.bytes, capacity: values.count)
            for value in values { value.withUnsafeBytes { append(bytes: $0) } }
        }
    }
}

extension Command {
    init(_ translation: FetchTranslation) {
        self.init(translation.sql, translation.bindings.map(Parameter.init))
    }
}
#endif
