extension UnsafeMutableRawPointer {
    /// Copies bytes from elsewhere, of which there are mostly as many as a text has: too few to be worth a call.
    @inline(__always)
    func copyText(_ bytes: UnsafeRawBufferPointer) {
        switch bytes.count {
        case 8..<16: copyEnds(of: bytes, as: UInt64.self)
        case 16..<32: copyEnds(of: bytes, as: SIMD2<UInt64>.self)
        case 32...64: copyEnds(of: bytes, as: SIMD4<UInt64>.self)
        default:
            guard let source = bytes.baseAddress else { return }
            copyMemory(from: source, byteCount: bytes.count)
        }
    }

    /// Copies at least one word of bytes and at most two, by a word from either end; these overlap.
    @inline(__always)
    private func copyEnds<Word: BitwiseCopyable>(
        of bytes: UnsafeRawBufferPointer, as word: Word.Type
    ) {
        let last = bytes.count - MemoryLayout<Word>.size
        let first = bytes.loadUnaligned(as: word)
        storeBytes(
            of: bytes.loadUnaligned(fromByteOffset: last, as: word), toByteOffset: last, as: word)
        storeBytes(of: first, as: word)
    }
}
