extension String {
    /// The text that those bytes are, with U+FFFD for what is not UTF-8.
    ///
    /// ASCII, as most texts are, is told by its high bits, sixteen bytes at a time, and then copied without being validated.
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
        // Words that overlap cost less than the rest of the bytes one by one.
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
