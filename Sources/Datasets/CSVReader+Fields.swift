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

    /// A time of day in UTC, written as `2013-01-01T10:00:00Z`.
    mutating func instant() throws(DatasetError) -> Date {
        try field("a time such as 2013-01-01T10:00:00Z", parsedBy: Self.parseInstant)
    }

    private mutating func field<Value>(
        _ expected: String, parsedBy parse: (ArraySlice<UInt8>) -> Value?
    ) throws(DatasetError) -> Value {
        guard let value = try optionalField(expected, parsedBy: parse) else {
            throw invalid(field: nextField - 1, expected: expected)
        }
        return value
    }

    private mutating func optionalField<Value>(
        _ expected: String, parsedBy parse: (ArraySlice<UInt8>) -> Value?
    ) throws(DatasetError) -> Value? {
        let field = nextField
        nextField += 1
        let bytes = bytes(ofField: field)
        if bytes.elementsEqual("NA".utf8) { return nil }
        guard let value = parse(bytes) else { throw invalid(field: field, expected: expected) }
        return value
    }

    private func invalid(field: Int, expected: String) -> DatasetError {
        .invalidField(
            path: path, line: line, column: columns[field], expected: expected,
            found: String(decoding: bytes(ofField: field), as: UTF8.self))
    }
}

extension CSVReader {
    private static func parseString(_ bytes: ArraySlice<UInt8>) -> String? {
        String(validating: bytes, as: UTF8.self)
    }

    private static func parseInteger(_ bytes: ArraySlice<UInt8>) -> Int? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        guard let magnitude = parseDigits(isNegative ? bytes.dropFirst() : bytes) else {
            return nil
        }
        return isNegative ? -magnitude : magnitude
    }

    private static func parseDouble(_ bytes: ArraySlice<UInt8>) -> Double? {
        guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else {
            return nil
        }
        return value
    }

    private static func parseInstant(_ bytes: ArraySlice<UInt8>) -> Date? {
        guard bytes.count == instantShape.count else { return nil }
        let start = bytes.startIndex
        for (offset, expected) in instantShape.enumerated() where expected != UInt8(ascii: "0") {
            guard bytes[start + offset] == expected else { return nil }
        }
        func number(_ range: Range<Int>) -> Int? {
            parseDigits(bytes[start + range.lowerBound..<start + range.upperBound])
        }
        guard let year = number(0..<4), let month = number(5..<7), (1...12).contains(month),
            let day = number(8..<10), (1...31).contains(day),
            let hour = number(11..<13), hour < 24, let minute = number(14..<16), minute < 60,
            let second = number(17..<19), second < 60
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        return Date(
            timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
    }

    private static let instantShape = Array("0000-00-00T00:00:00Z".utf8)

    /// At most 18 digits, which always fit.
    private static func parseDigits(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard (1...18).contains(bytes.count) else { return nil }
        var value = 0
        for byte in bytes {
            guard byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
