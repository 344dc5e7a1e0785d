import Testing

@testable import ObjectGraph

@Suite struct `Texts are copied out of rows` {
    static let lengths = [0, 1, 7, 8, 9, 15, 16, 17, 24, 100]

    @Test(arguments: lengths)
    func `ASCII of any length`(length: Int) {
        let text = String(repeating: "k", count: length)
        #expect(Array(text.utf8).withUnsafeBytes { String(copying: $0) } == text)
    }

    @Test(arguments: lengths)
    func `a letter beyond ASCII at any place`(length: Int) {
        for place in 0...length {
            let text =
                String(repeating: "k", count: place) + "ö"
                + String(repeating: "k", count: length - place)
            #expect(Array(text.utf8).withUnsafeBytes { String(copying: $0) } == text)
        }
    }

    @Test(arguments: lengths)
    func `bytes that are not UTF-8 become U+FFFD`(length: Int) {
        let bytes = [UInt8](repeating: 107, count: length) + [0xFF]
        #expect(
            bytes.withUnsafeBytes { String(copying: $0) }
                == String(repeating: "k", count: length) + "\u{FFFD}")
    }

    @Test(arguments: 0...130)
    func `into a row, and nothing beside them is touched`(length: Int) {
        let source = (0..<length).map { UInt8(truncatingIfNeeded: $0 + 1) }
        var destination = [UInt8](repeating: 0xEE, count: length + 2)
        destination.withUnsafeMutableBytes { destination in
            source.withUnsafeBytes { (destination.baseAddress! + 1).copyText($0) }
        }
        #expect(destination == [0xEE] + source + [0xEE])
    }
}
