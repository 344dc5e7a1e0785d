import CSQLite
import Foundation

/// The arguments of an SQL function; valid only during the call.
struct SQLFunctionArguments {
    let count: Int
    // Right to read: SQLite keeps the `count` values alive during the call.
    let values: UnsafeMutablePointer<OpaquePointer?>?

    subscript(position: Int) -> SQLiteValueReference {
        precondition(position >= 0 && position < count, "no such argument")
        return SQLiteValueReference(pointer: values![position]!)
    }
}

enum SQLFunctionResult {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
    /// One of the arguments, unchanged.
    case argument(SQLiteValueReference)
}

/// The body of an SQL function, kept by SQLite until the connection closes.
final class SQLFunction {
    typealias Body = (SQLFunctionArguments) throws -> SQLFunctionResult
    fileprivate let body: Body
    fileprivate init(_ body: @escaping Body) { self.body = body }
}

/// A collating sequence over UTF-8 bytes, kept by SQLite until the connection closes.
final class SQLCollation {
    typealias Compare = (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> ComparisonResult
    fileprivate let compare: Compare
    fileprivate init(_ compare: @escaping Compare) { self.compare = compare }
}

extension Connection {
    /// Registers a function that SQL can call. An error that `body` throws fails the statement.
    ///
    /// - Parameter argumentCount: -1 for any number of arguments.
    /// - Parameter deterministic: the result depends only on the arguments. SQLite may then call it
    ///   once for constants and use it in indexes.
    func register(
        function name: String, argumentCount: Int32, deterministic: Bool,
        body: @escaping SQLFunction.Body
    ) throws(SQLiteError) {
        let flags = SQLITE_UTF8 | (deterministic ? SQLITE_DETERMINISTIC : 0)
        try handle.check(
            sqlite3_create_function_v2(
                handle.database, name, argumentCount, flags,
                Unmanaged.passRetained(SQLFunction(body)).toOpaque(),
                callFunction, nil, nil,
                { Unmanaged<SQLFunction>.fromOpaque($0!).release() }))
    }

    func register(
        collation name: String, compare: @escaping SQLCollation.Compare
    ) throws(SQLiteError) {
        let collation = Unmanaged.passRetained(SQLCollation(compare))
        let code = sqlite3_create_collation_v2(
            handle.database, name, SQLITE_UTF8, collation.toOpaque(), callCollation,
            { Unmanaged<SQLCollation>.fromOpaque($0!).release() })
        // SQLite releases a function that it could not register, but not a collation.
        if code != SQLITE_OK { collation.release() }
        try handle.check(code)
    }
}

private func callFunction(
    context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?
) {
    let function = Unmanaged<SQLFunction>.fromOpaque(sqlite3_user_data(context)!)
        .takeUnretainedValue()
    do {
        switch try function.body(SQLFunctionArguments(count: Int(count), values: values)) {
        case .null: sqlite3_result_null(context)
        case .integer(let value): sqlite3_result_int64(context, value)
        case .real(let value): sqlite3_result_double(context, value)
        case .argument(let value): sqlite3_result_value(context, value.pointer)
        case .text(var text):
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_result_text64(
                        context, $0.baseAddress, UInt64($0.count), sqliteTransient,
                        UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let bytes) where bytes.isEmpty: sqlite3_result_zeroblob(context, 0)
        case .blob(let bytes):
            sqlite3_result_blob64(context, bytes, UInt64(bytes.count), sqliteTransient)
        }
    } catch let error as SQLiteError {
        sqlite3_result_error(context, error.message, -1)
        sqlite3_result_error_code(context, error.extendedCode)
    } catch {
        sqlite3_result_error(context, String(describing: error), -1)
    }
}

private func callCollation(
    context: UnsafeMutableRawPointer?, leftCount: Int32, left: UnsafeRawPointer?,
    rightCount: Int32, right: UnsafeRawPointer?
) -> Int32 {
    let collation = Unmanaged<SQLCollation>.fromOpaque(context!).takeUnretainedValue()
    let order = collation.compare(
        UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
        UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
    return Int32(order.rawValue)
}
