/// Why a data set could not be read.
public enum DatasetError: Error, Equatable {
    case unreadableFile(path: String, reason: String)
    case unexpectedColumns(path: String, expected: [String], found: [String])
    case wrongFieldCount(path: String, line: Int, expected: Int, found: Int)
    case misplacedQuote(path: String, line: Int)
    case invalidField(path: String, line: Int, column: String, expected: String, found: String)
    /// The value identifies a row, and an earlier line has it.
    case duplicateKey(path: String, line: Int, column: String, value: String)
    case unexpectedFacts(folder: String, expected: DatasetFacts, found: DatasetFacts)
}

extension DatasetError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadableFile(let path, let reason):
            "\(path) cannot be read: \(reason). \(Self.remedy)"
        case .unexpectedColumns(let path, let expected, let found):
            """
            \(path):1: expected the columns \(expected.joined(separator: ",")), \
            found \(found.joined(separator: ",")). \(Self.remedy)
            """
        case .wrongFieldCount(let path, let line, let expected, let found):
            "\(path):\(line): expected \(expected) fields, found \(found). \(Self.remedy)"
        case .misplacedQuote(let path, let line):
            """
            \(path):\(line): a quoted field must begin and end at a comma or at the end of a line. \
            \(Self.remedy)
            """
        case .invalidField(let path, let line, let column, let expected, let found):
            """
            \(path):\(line): the column \(column) must be \(expected), found "\(found)". \
            \(Self.remedy)
            """
        case .duplicateKey(let path, let line, let column, let value):
            """
            \(path):\(line): the column \(column) has "\(value)" again, but identifies a row. \
            \(Self.remedy)
            """
        case .unexpectedFacts(let folder, let expected, let found):
            """
            The tables in \(folder) are incomplete: expected \(expected), found \(found). \
            \(Self.remedy)
            """
        }
    }

    private static let remedy = "Delete the folder and run scripts/fetch-dataset again."
}
