import CZlib
import Foundation

/// Compression as raw DEFLATE (RFC 1951): no header, no length, no checksum.
enum RawDeflate {
    enum Failure: Error {
        /// The data are not one whole stream.
        case damaged
        /// The content has more bytes than the limit.
        case tooLarge
    }

    private static let version = ZLIB_VERSION
    private static let streamSize = Int32(MemoryLayout<z_stream>.size)

    /// A negative number asks for a stream without header and checksum (zlib.h).
    private static let windowBits: Int32 = -15

    /// Compresses data. The fastest level makes model caches as small as the default does, in a
    /// fifth of the time.
    ///
    /// - Throws: `Failure.tooLarge` beyond 4 GB, or without memory.
    static func deflate(_ data: Data) throws(Failure) -> Data {
        guard let inputCount = UInt32(exactly: data.count) else { throw .tooLarge }
        var (state, input, output) = (z_stream(), [UInt8](data), [UInt8]())
        let isWhole = withUnsafeMutablePointer(to: &state) { stream in
            guard
                deflateInit2_(
                    stream, Z_BEST_SPEED, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, version,
                    streamSize) == Z_OK
            else { return false }
            defer { deflateEnd(stream) }
            output = Array(repeating: 0, count: Int(deflateBound(stream, UInt(inputCount))))
            // zlib uses the pointers only during the call: the whole output fits.
            let code = input.withUnsafeMutableBufferPointer { input in
                output.withUnsafeMutableBufferPointer { output in
                    stream.pointee.next_in = input.baseAddress
                    stream.pointee.avail_in = inputCount
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = UInt32(clamping: output.count)
                    return CZlib.deflate(stream, Z_FINISH)
                }
            }
            output.removeLast(Int(stream.pointee.avail_out))
            return code == Z_STREAM_END
        }
        guard isWhole else { throw .tooLarge }
        return Data(output)
    }

    /// Decompresses a stream of up to 4 GB.
    ///
    /// Memory and time are limited by `limit`, whatever the data says.
    static func inflate(_ data: Data, limit: Int) throws(Failure) -> Data {
        guard let inputCount = UInt32(exactly: data.count) else { throw .damaged }
        var (state, input) = (z_stream(), [UInt8](data))
        var (output, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        // zlib keeps pointers to its state, to the input and to the chunk only during this block.
        let isWhole = withUnsafeMutablePointer(to: &state) { stream in
            guard inflateInit2_(stream, windowBits, version, streamSize) == Z_OK else {
                return false
            }
            defer { inflateEnd(stream) }
            return input.withUnsafeMutableBufferPointer { input in
                stream.pointee.next_in = input.baseAddress
                stream.pointee.avail_in = inputCount
                var code = Z_OK
                while code == Z_OK, output.count <= limit {
                    chunk.withUnsafeMutableBufferPointer { chunk in
                        stream.pointee.next_out = chunk.baseAddress
                        stream.pointee.avail_out = UInt32(chunk.count)
                        code = CZlib.inflate(stream, Z_NO_FLUSH)
                    }
                    output += chunk.dropLast(Int(stream.pointee.avail_out))
                }
                return code == Z_STREAM_END && stream.pointee.avail_in == 0
            }
        }
        guard output.count <= limit else { throw .tooLarge }
        guard isWhole else { throw .damaged }
        return Data(output)
    }
}
