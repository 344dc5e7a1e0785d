import Foundation

/// The values of Binary attributes that Core Data may keep in files of their own (spec §8.6).
///
/// The first byte of such a value says where its data are: 1, and they follow; or 2, and the name
/// of a file follows, which lies in a hidden folder beside the store. This engine writes the first
/// form and reads both. It never changes or deletes a file.
enum ExternalData {
    /// The SQL function for the data of a stored value:
    /// `OGExternalData(value, 'Entity.attribute')`.
    static let reading = "OGExternalData"

    /// The SQL function for the stored form of data: `OGInlineData(data)`.
    static let writing = "OGInlineData"

    private static let inlineMark: UInt8 = 1
    private static let referenceMark: UInt8 = 2

    static func register(on connection: Connection, store: URL?) throws(SQLiteError) {
        try connection.register(function: writing, argumentCount: 1, deterministic: true) {
            arguments in
            arguments[0].isNull ? .null : .blob([inlineMark] + arguments[0].blob)
        }
        try connection.register(function: reading, argumentCount: 2, deterministic: false) {
            arguments in
            if arguments[0].isNull { return .null }
            let value = arguments[0].blob
            let attribute = arguments[1].string
            switch value.first {
            case inlineMark?: return .blob(Array(value.dropFirst()))
            case referenceMark?:
                // The name ends with a zero byte.
                let name = String(decoding: value.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
                guard UUID(uuidString: name) != nil else { throw Failure.damaged(attribute).error }
                let files = store.map { candidates(name, $0) } ?? []
                for file in files {
                    if let data = try? Data(contentsOf: file) { return .blob(Array(data)) }
                }
                throw Failure.missing(attribute, file: files.first?.path ?? name).error
            default: throw Failure.damaged(attribute).error
            }
        }
    }

    /// Where a file of that name can be.
    private static func candidates(_ name: String, _ store: URL) -> [URL] {
        let folder = store.deletingLastPathComponent()
        return [store.deletingPathExtension().lastPathComponent, store.lastPathComponent].map {
            folder.appending(path: ".\($0)_SUPPORT/_EXTERNAL_DATA/\(name)")
        }
    }

    /// Why a value cannot be read. SQLite passes on a code and a text.
    private enum Failure {
        case missing(_ attribute: String, file: String)
        case damaged(_ attribute: String)

        // Extended codes of SQLITE_ERROR that SQLite does not use.
        static let missingCode: Int32 = 1 | 0x7D << 8
        static let damagedCode: Int32 = 1 | 0x7E << 8
        static let separator = "\u{1F}"

        var error: SQLiteError {
            switch self {
            case .missing(let attribute, let file):
                SQLiteError(
                    extendedCode: Self.missingCode, message: attribute + Self.separator + file)
            case .damaged(let attribute):
                SQLiteError(extendedCode: Self.damagedCode, message: attribute)
            }
        }
    }

    /// The reason for an error of the function that reads; nil for other errors.
    static func reason(for error: SQLiteError) -> StoreError.Reason? {
        let parts = error.message.components(separatedBy: Failure.separator)
        let attribute = parts[0].split(separator: ".", maxSplits: 1).map(String.init)
        guard attribute.count == 2 else { return nil }
        switch error.extendedCode {
        case Failure.missingCode where parts.count == 2:
            return .missingExternalData(
                entity: attribute[0], attribute: attribute[1], file: parts[1])
        case Failure.damagedCode:
            return .damagedValue(
                "a value of '\(parts[0])' begins neither with its data nor with the name of a file")
        default: return nil
        }
    }
}
