import Foundation

/// Orders of strings, given as UTF-8 bytes. The evaluator in memory uses them, and SQL functions
/// and collations do.
enum StringComparison {
    /// By Unicode scalars, like SQLite's BINARY collation.
    ///
    /// - Returns: Less than, equal to or greater than 0.
    @inline(__always)
    static func binary(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let count = min(left.count, right.count)
        if count > 0 {
            let order = memcmp(left.baseAddress!, right.baseAddress!, count)
            if order != 0 { return Int(order) }
        }
        return left.count - right.count
    }

    static func folded(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer,
        _ options: ObjectPredicate.Options
    ) -> Int {
        if left.isASCII, right.isASCII {
            guard options.contains(.caseInsensitive) else { return binary(left, right) }
            for position in 0..<min(left.count, right.count) {
                let difference =
                    Int(left[position].asciiLowercased) - Int(right[position].asciiLowercased)
                if difference != 0 { return difference }
            }
            return left.count - right.count
        }
        let (left, right) = (StringFolding.fold(left, options), StringFolding.fold(right, options))
        return left.withUnsafeBytes { left in right.withUnsafeBytes { binary(left, $0) } }
    }

    /// Ignores case and diacritics, and orders runs of digits by their numeric value.
    static func natural(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        if left.isASCII, right.isASCII { return naturalFolded(left, right) }
        let options: ObjectPredicate.Options = [.caseInsensitive, .diacriticInsensitive]
        let (left, right) = (StringFolding.fold(left, options), StringFolding.fold(right, options))
        return left.withUnsafeBytes { left in right.withUnsafeBytes { naturalFolded(left, $0) } }
    }

    private static func naturalFolded(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Int {
        var (first, second) = (0, 0)
        while first < left.count, second < right.count {
            if left[first].isDigit, right[second].isDigit {
                let (number, other) = (digits(left, &first), digits(right, &second))
                let order =
                    number.count == other.count
                    ? binary(.init(rebasing: number), .init(rebasing: other))
                    : number.count - other.count
                if order != 0 { return order }
            } else {
                let difference =
                    Int(left[first].asciiLowercased) - Int(right[second].asciiLowercased)
                if difference != 0 { return difference }
                first += 1
                second += 1
            }
        }
        return (left.count - first) - (right.count - second)
    }

    /// A run of digits without leading zeros; moves `position` behind it.
    private static func digits(
        _ text: UnsafeRawBufferPointer, _ position: inout Int
    ) -> Slice<UnsafeRawBufferPointer> {
        while position < text.count, text[position] == 0x30 { position += 1 }
        let start = position
        while position < text.count, text[position].isDigit { position += 1 }
        return text[start..<position]
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { self &- 0x30 < 10 }
}

extension String {
    /// The UTF-8 bytes. Copies only strings without contiguous UTF-8 storage.
    @inline(__always)
    func withUTF8Bytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) })
        {
            return result
        }
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
