extension String {
    /// The text that those bytes are, with U+FFFD for what is not UTF-8.
    ///
    /// ASCII, as most texts are, is told by its high bits, eight bytes at a time, and then copied without being validated.
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
        var union: UInt64 = 0
        var offset = 0
        if count >= 8 {
            let last = count - 8
            while offset < last {
                union |= loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                offset += 8
            }
            // Some of them once more, which costs less than one by one.
            union |= loadUnaligned(fromByteOffset: last, as: UInt64.self)
        } else {
            while offset < count {
                union |= UInt64(self[offset])
                offset += 1
            }
        }
        return union & 0x8080_8080_8080_8080 == 0
    }
}
