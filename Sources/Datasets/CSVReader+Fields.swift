import Foundation

/// Each method reads the next field of the record. The tables write a missing value as `NA`: the
/// optional methods return `nil` for it, the others throw.
extension CSVReader {
    mutating func string() throws(DatasetError) -> String {
        try field("text", parsedBy: Self.parseString)
    }

    mutating func optionalString() throws(DatasetError) -> String? {
        try optionalField("text or NA", parsedBy: Self.parseString)
    }

    mutating func integer() throws(DatasetError) -> Int {
        try field("a whole number", parsedBy: Self.parseInteger)
    }

    mutating func optionalInteger() throws(DatasetError) -> Int? {
        try optionalField("a whole number or NA", parsedBy: Self.parseInteger)
    }

    mutating func double() throws(DatasetError) -> Double {
        try field("a number", parsedBy: Self.parseDouble)
    }

    mutating func optionalDouble() throws(DatasetError) -> Double? {
        try optionalField("a number or NA", parsedBy: Self.parseDouble)
    }

    mutating func year() throws(DatasetError) -> Int {
        try field("a year from 1 to 9999") {
            Self.parseInteger($0).flatMap { (1...9_999).contains($0) ? $0 : nil }
        }
    }

    mutating func month() throws(DatasetError) -> Int {
        try field("a month from 1 to 12") {
            Self.parseInteger($0).flatMap { (1...12).contains($0) ? $0 : nil }
        }
    }

    mutating func day(ofMonth month: Int, in year: Int) throws(DatasetError) -> Int {
        let last = lastDay(ofMonth: month, in: year)
        return try field("a day from 1 to \(last)") {
            Self.parseInteger($0).flatMap { (1...last).contains($0) ? $0 : nil }
        }
    }

    /// A time of day in UTC, written as `2013-01-01T10:00:00Z`.
    mutating func instant() throws(DatasetError) -> Date {
        try field("a time such as 2013-01-01T10:00:00Z", parsedBy: Self.parseInstant)
    }

    // Inlined, so that no closure is called for each field.
    @inline(__always)
    private mutating func field<Value>(
        _ expected: @autoclosure () -> String, parsedBy parse: (Span<UInt8>) -> Value?
    ) throws(DatasetError) -> Value {
        guard let value = try optionalField(expected(), parsedBy: parse) else {
            throw invalid(field: nextField - 1, expected: expected())
        }
        return value
    }

    @inline(__always)
    private mutating func optionalField<Value>(
        _ expected: @autoclosure () -> String, parsedBy parse: (Span<UInt8>) -> Value?
    ) throws(DatasetError) -> Value? {
        let field = nextField
        nextField += 1
        let bytes = chunk.span.extracting(fields[field])
        if bytes.count == 2, bytes[0] == UInt8(ascii: "N"), bytes[1] == UInt8(ascii: "A") {
            return nil
        }
        guard let value = parse(bytes) else { throw invalid(field: field, expected: expected()) }
        return value
    }

    private func invalid(field: Int, expected: String) -> DatasetError {
        .invalidField(
            path: path, line: line, column: columns[field], expected: expected,
            found: text(ofField: field))
    }
}

extension CSVReader {
    private static func parseString(_ bytes: Span<UInt8>) -> String? {
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        return String(copying: text)
    }

    private static func parseInteger(_ bytes: Span<UInt8>) -> Int? {
        guard isNegative(bytes) else { return parseDigits(bytes) }
        return parseDigits(bytes.extracting(1...)).map { -$0 }
    }

    private static func parseDouble(_ bytes: Span<UInt8>) -> Double? {
        if let value = parseShortDecimal(bytes) { return value }
        guard let text = parseString(bytes), let value = Double(text), value.isFinite else {
            return nil
        }
        return value
    }

    /// A number of at most 15 characters without an exponent, which most are. `Double` holds its
    /// digits and the power of ten exactly, so their quotient is the nearest `Double` (Clinger 1990,
    /// "How to Read Floating Point Numbers Accurately").
    private static func parseShortDecimal(_ bytes: Span<UInt8>) -> Double? {
        let start = isNegative(bytes) ? 1 : 0
        guard start < bytes.count, bytes.count <= 15, bytes[start] != point else { return nil }
        var digits = 0
        var power = 0  // until there is a point
        for index in start..<bytes.count {
            if bytes[index] == point && power == 0 {
                power = 1
                continue
            }
            guard let digit = digit(bytes[index]) else { return nil }
            digits = digits * 10 + digit
            power *= 10
        }
        let magnitude = Double(digits) / Double(max(power, 1))
        return isNegative(bytes) ? -magnitude : magnitude
    }

    private static func parseInstant(_ bytes: Span<UInt8>) -> Date? {
        guard bytes.count == 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"), bytes[19] == UInt8(ascii: "Z"),
            let year = parseDigits(bytes.extracting(0..<4)),
            let month = parseDigits(bytes.extracting(5..<7)), (1...12).contains(month),
            let day = parseDigits(bytes.extracting(8..<10)),
            (1...lastDay(ofMonth: month, in: year)).contains(day),
            let hour = parseDigits(bytes.extracting(11..<13)), hour < 24,
            let minute = parseDigits(bytes.extracting(14..<16)), minute < 60,
            let second = parseDigits(bytes.extracting(17..<19)), second < 60
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        return Date(
            timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
    }

    /// At most 18 digits, which always fit.
    @inline(__always)
    private static func parseDigits(_ bytes: Span<UInt8>) -> Int? {
        guard bytes.count >= 1 && bytes.count <= 18 else { return nil }
        var value = 0
        for index in bytes.indices {
            guard let digit = digit(bytes[index]) else { return nil }
            value = value &* 10 &+ digit
        }
        return value
    }

    private static func digit(_ byte: UInt8) -> Int? {
        let digit = byte &- UInt8(ascii: "0")
        return digit <= 9 ? Int(digit) : nil
    }

    private static func isNegative(_ bytes: Span<UInt8>) -> Bool {
        !bytes.isEmpty && bytes[0] == UInt8(ascii: "-")
    }

    private static let point = UInt8(ascii: ".")
}
