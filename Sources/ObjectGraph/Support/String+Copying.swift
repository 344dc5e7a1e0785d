extension String {
    /// The text with these bytes; U+FFFD replaces bytes that are not UTF-8.
    ///
    /// Most texts are ASCII. Their high bits are tested sixteen bytes at a time, then they are
    /// copied without validation.
    @inline(__always)
    init(copying bytes: UnsafeRawBufferPointer) {
        guard bytes.isASCII else {
            self.init(decoding: bytes, as: UTF8.self)
            return
        }
        // Right, since ASCII is UTF-8.
        self.init(
            copying: UTF8Span(
                unchecked: bytes.bindMemory(to: UInt8.self).span, isKnownASCII: true))
    }
}

extension UnsafeRawBufferPointer {
    /// Whether no byte is above 127.
    @inline(__always)
    var isASCII: Bool {
        // Overlapping words cost less than testing the remaining bytes one by one.
        if count >= 16 {
            let last = count - 16
            var union =
                loadUnaligned(as: SIMD2<UInt64>.self)
                | loadUnaligned(fromByteOffset: last, as: SIMD2<UInt64>.self)
            var offset = 16
            while offset < last {
                union |= loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self)
                offset += 16
            }
            return (union.x | union.y) & 0x8080_8080_8080_8080 == 0
        }
        if count >= 8 {
            let union =
                loadUnaligned(as: UInt64.self)
                | loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            return union & 0x8080_8080_8080_8080 == 0
        }
        return allSatisfy { $0 < 0x80 }
    }
}
