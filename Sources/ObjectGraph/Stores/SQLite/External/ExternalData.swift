import Foundation

/// The stored form of Binary attributes whose values may be in files of their own (spec §8.6).
///
/// The first byte of such a value says where its data are: 1, and they follow; or 2, and the name
/// of a file follows, which lies in a hidden folder beside the store (`ExternalFiles`). The name is
/// a UUID of 36 characters with a zero byte at its end.
enum ExternalData {
    /// The SQL function for the data of a stored value:
    /// `OGExternalData(value, 'Entity.attribute')`.
    static let reading = "OGExternalData"

    /// The SQL function for the stored form of data:
    /// `OGStoredData(data, mayGoOut, 'Entity.attribute')`. Large data go to a file. A text is the
    /// name of a file that has the data already.
    static let writing = "OGStoredData"

    private static let inlineMark: UInt8 = 1
    private static let referenceMark: UInt8 = 2
    private static let nameByteCount = 36

    /// Finds the references in a column without reading the data of others.
    static func isReference(_ column: String) -> String {
        "length(\(column)) = \(nameByteCount + 2) AND substr(\(column), 1, 1) = x'02'"
    }

    /// Where the data of a stored value are.
    enum ValuePlace {
        case here(UnsafeRawBufferPointer)
        /// In the file of this name.
        case file(UnsafeRawBufferPointer)
        case damaged
    }

    static func place(of value: UnsafeRawBufferPointer) -> ValuePlace {
        switch value.first {
        case inlineMark?: return .here(UnsafeRawBufferPointer(rebasing: value.dropFirst()))
        case referenceMark? where value.count == nameByteCount + 2 && value.last == 0:
            let name = UnsafeRawBufferPointer(rebasing: value.dropFirst().dropLast())
            return isName(name) ? .file(name) : .damaged
        default: return .damaged
        }
    }

    /// The name of the file to which a stored value refers; nil for other values.
    static func fileName(in value: SQLiteValueReference) -> String? {
        guard case .file(let name) = place(of: value.blob) else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    /// Whether the text is a UUID. Other names could lead out of the folder.
    static func isName(_ text: some RandomAccessCollection<UInt8>) -> Bool {
        text.count == nameByteCount
            && text.enumerated().allSatisfy { position, byte in
                switch position {
                case 8, 13, 18, 23: byte == UInt8(ascii: "-")
                default:
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                        || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte & 0xDF)
                }
            }
    }

    /// The stored value that refers to a file.
    private static func reference(to name: some Sequence<UInt8>) -> SQLFunctionResult {
        .blob([referenceMark] + name + [0])
    }

    /// - Parameter files: The folder of the store; nil for a database in memory, whose values all
    ///   stay in their rows.
    static func register(on connection: Connection, _ files: ExternalFiles?) throws(SQLiteError) {
        try connection.register(function: writing, argumentCount: 3, deterministic: false) {
            arguments in
            let value = arguments[0]
            switch value.type {
            case .null: return .null
            case .text:
                let name = value.string
                guard let files, files.hasFile(name) else {
                    throw Failure.missing(
                        arguments[2].string, file: files?.file(name) ?? name
                    ).error
                }
                return reference(to: name.utf8)
            default:
                let data = value.blob
                guard let files, arguments[1].integer != 0, data.count > files.threshold else {
                    return .blob([inlineMark] + data)
                }
                do throws(FileFailure) {
                    return reference(to: try files.write(data).utf8)
                } catch { throw Failure.unwritable(error).error }
            }
        }
        try connection.register(function: reading, argumentCount: 2, deterministic: false) {
            arguments in
            if arguments[0].isNull { return .null }
            let attribute = arguments[1].string
            switch place(of: arguments[0].blob) {
            case .here(let data): return .blob(Array(data))
            case .file(let name):
                let name = String(decoding: name, as: UTF8.self)
                let file = files?.file(name) ?? name
                guard let data = try? ExternalValue.data(at: file) else {
                    throw Failure.missing(attribute, file: file).error
                }
                return .blob(Array(data))
            case .damaged: throw Failure.damaged(attribute).error
            }
        }
    }

    // MARK: - Errors

    /// Why a value cannot be read or written. SQLite passes on a code and a text.
    private enum Failure {
        case missing(_ attribute: String, file: String)
        case damaged(_ attribute: String)
        case unwritable(FileFailure)

        // Extended codes of SQLITE_ERROR that SQLite does not use.
        static let missingCode: Int32 = 1 | 0x7D << 8
        static let damagedCode: Int32 = 1 | 0x7E << 8
        static let unwritableCode: Int32 = 1 | 0x7C << 8
        static let separator = "\u{1F}"

        var error: SQLiteError {
            switch self {
            case .missing(let attribute, let file):
                SQLiteError(
                    extendedCode: Self.missingCode, message: attribute + Self.separator + file)
            case .damaged(let attribute):
                SQLiteError(extendedCode: Self.damagedCode, message: attribute)
            case .unwritable(let failure):
                SQLiteError(
                    extendedCode: Self.unwritableCode,
                    message: "\(failure.code)" + Self.separator + failure.path)
            }
        }
    }

    /// The reason for an error of these functions; nil for other errors.
    static func reason(for error: SQLiteError) -> StoreError.Reason? {
        let parts = error.message.components(separatedBy: Failure.separator)
        switch error.extendedCode {
        case Failure.missingCode where parts.count == 2:
            let names = parts[0].split(separator: ".", maxSplits: 1).map(String.init)
            return .missingExternalData(
                entity: names.first ?? "", attribute: names.last ?? "", file: parts[1])
        case Failure.damagedCode: return damage(of: parts[0])
        case Failure.unwritableCode where parts.count == 2:
            return FileFailure(code: Int32(parts[0]) ?? EIO, path: parts[1]).reason
        default: return nil
        }
    }

    static func damage(of attribute: String) -> StoreError.Reason {
        .damagedValue(
            "a value of '\(attribute)' begins neither with its data nor with the name of a file")
    }
}
