import Foundation

extension UUID {
    /// The UUID with these 16 bytes; nil for another number of bytes.
    init?(bytes: Data) {
        guard bytes.count == 16 else { return nil }
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
