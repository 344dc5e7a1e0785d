/// SHA-256, for the version hashes of a model (FIPS 180-4).
///
/// Implemented here because no dependency of the engine has it.
struct Digest {
    private var pending: [UInt8] = []

    mutating func update(_ text: String) {
        // The length comes first, so that ("ab", "c") and ("a", "bc") give different digests.
        withUnsafeBytes(of: UInt64(text.utf8.count).bigEndian) { pending.append(contentsOf: $0) }
        pending.append(contentsOf: text.utf8)
    }

    mutating func update(_ number: Int) { update(String(number)) }
    mutating func update(_ flag: Bool) { update(flag ? "1" : "0") }

    /// The 32 bytes of the digest.
    consuming func finalize() -> [UInt8] {
        let bitCount = UInt64(pending.count) * 8
        pending.append(0x80)
        while pending.count % 64 != 56 { pending.append(0) }
        withUnsafeBytes(of: bitCount.bigEndian) { pending.append(contentsOf: $0) }
        var state = Self.initialState
        for start in stride(from: 0, to: pending.count, by: 64) {
            Self.compress(pending[start..<start + 64], into: &state)
        }
        return state.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }

    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var schedule = InlineArray<64, UInt32>(repeating: 0)
        for index in 0..<16 {
            let start = block.startIndex + index * 4
            schedule[index] = block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let first = schedule[index - 15]
            let second = schedule[index - 2]
            schedule[index] =
                schedule[index - 16] &+ (first.rotated(7) ^ first.rotated(18) ^ first >> 3)
                &+ schedule[index - 7]
                &+ (second.rotated(17) ^ second.rotated(19) ^ second >> 10)
        }
        let constants = roundConstants
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let sum =
                h &+ (e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)) &+ (e & f ^ ~e & g)
                &+ constants[index] &+ schedule[index]
            let other =
                (a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)) &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e) = (g, f, e, d &+ sum)
            (d, c, b, a) = (c, b, a, sum &+ other)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private static let primes = (2...311).filter { number in
        !(2..<number).contains { number % $0 == 0 }
    }

    private static func fractionBits(_ value: Double) -> UInt32 {
        UInt32((value - value.rounded(.down)) * 4_294_967_296)
    }

    /// The first 32 bits of the fractions of the square roots of the first 8 primes.
    private static let initialState = primes.prefix(8).map { fractionBits(Double($0).squareRoot()) }

    /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
    private static let roundConstants = primes.map { fractionBits(cubeRoot(Double($0))) }

    private static func cubeRoot(_ value: Double) -> Double {
        var root = value
        for _ in 0..<60 { root -= (root * root * root - value) / (3 * root * root) }
        return root
    }
}

extension UInt32 {
    fileprivate func rotated(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}
