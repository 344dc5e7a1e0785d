extension UnsafeMutableRawPointer {
    /// Copies bytes from elsewhere. Most texts are so short that a function call would cost too
    /// much.
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

    /// Copies at least one word of bytes and at most two: one word from each end. The words may
    /// overlap.
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
