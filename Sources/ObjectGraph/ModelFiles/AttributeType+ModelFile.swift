import Foundation

extension AttributeType {
    private static let modelFileNames: [AttributeType: String] = [
        .integer16: "Integer 16", .integer32: "Integer 32", .integer64: "Integer 64",
        .decimal: "Decimal", .double: "Double", .float: "Float", .string: "String",
        .boolean: "Boolean", .date: "Date", .binaryData: "Binary", .uuid: "UUID", .uri: "URI",
        .transformable: "Transformable", .composite: "Composite",
    ]

    private static let byModelFileName = Dictionary(
        uniqueKeysWithValues: modelFileNames.map { ($1, $0) })

    /// The name of the type in model files. The undefined type has none, since its attribute is
    /// absent, and neither has `objectID`, which files cannot express.
    var modelFileName: String? { Self.modelFileNames[self] }

    /// The type with this name in model files; nil for a name that is unknown.
    init?(modelFileName name: String?) {
        guard let name, name != "Undefined" else {
            self = .undefined
            return
        }
        guard let type = Self.byModelFileName[name] else { return nil }
        self = type
    }
}

// MARK: - Values

extension AttributeValue {
    /// Reads the text of a default or a bound. Integers and Booleans may also be YES or NO, and
    /// Booleans numbers, as in files of Xcode.
    ///
    /// - Returns: nil if the text is not a value of the type, or the type has no values as text.
    init?(modelFileText text: String, _ type: AttributeType) {
        guard let value = Self.value(of: text, type)?.converted(to: type), value.isStorable else {
            return nil
        }
        self = value
    }

    private static func value(of text: String, _ type: AttributeType) -> AttributeValue? {
        switch type {
        case .string: return .string(text)
        case .uuid: return UUID(uuidString: text).map { .uuid($0) }
        case .uri: return URL(string: text).map { .uri($0) }
        case .decimal:
            // Decimal would also take the digits before other characters.
            guard text.allSatisfy({ "+-.0123456789eE".contains($0) }), Double(text) != nil else {
                return nil
            }
            return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
                .map { .decimal($0) }
        case .integer16, .integer32, .integer64:
            if text == "YES" || text == "NO" { return .integer(text == "YES" ? 1 : 0) }
            return Int64(text).map { .integer($0) } ?? Double(text).map { .double($0) }
        case .boolean:
            if text == "YES" || text == "NO" { return .boolean(text == "YES") }
            return Double(text).map { .boolean($0 != 0) }
        case .double, .float, .date: return Double(text).map { .double($0) }
        case .undefined, .binaryData, .transformable, .objectID, .composite: return nil
        }
    }

    /// The text that reads as the value again; nil for a value that files cannot express.
    var modelFileText: String? {
        switch self {
        case .boolean(let value): value ? "YES" : "NO"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): value
        case .date(let value): "\(value.timeIntervalSinceReferenceDate)"
        case .uuid(let value): value.uuidString
        case .uri(let value): value.absoluteString
        case .null, .data, .objectID, .transformable, .composite: nil
        }
    }
}
