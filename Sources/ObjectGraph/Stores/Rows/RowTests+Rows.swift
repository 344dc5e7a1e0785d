extension RowTests {
    /// Whether all tests hold for the row that starts at this address. The accessors must be those
    /// of the row's entity.
    @inline(__always)
    func hold(for row: UnsafeRawPointer, _ accessors: UnsafePointer<PropertyAccessor>) -> Bool {
        for index in 0..<count
        where !self[index].holds(for: row, accessors[self[index].propertyIndex]) {
            return false
        }
        return true
    }
}

extension RowTest {
    @inline(__always)
    fileprivate func holds(for row: UnsafeRawPointer, _ accessor: PropertyAccessor) -> Bool {
        guard row.rowHasValue(Int(accessor.slot)) else { return question.holdsForNull }
        let offset = Int(accessor.byteOffset)
        switch question {
        case .integer(let relation, let other):
            let value = row.load(fromByteOffset: offset, as: Int64.self)
            return relation.holds(for: value < other ? -1 : value == other ? 0 : 1)
        case .integers(let least, let greatest):
            let value = row.load(fromByteOffset: offset, as: Int64.self)
            return least <= value && value <= greatest
        case .real(let relation, let other):
            return relation.holds(for: row.load(fromByteOffset: offset, as: Double.self), other)
        case .text(let relation, let other, let options):
            let text = row.rowBytes(offset)
            return relation.holds(
                for: options.isEmpty
                    ? StringComparison.binary(text, other)
                    : StringComparison.folded(text, other, options))
        case .matches(let matcher):
            return matcher._withUnsafeGuaranteedRef { $0.matches(row.rowBytes(offset)) }
        }
    }
}
