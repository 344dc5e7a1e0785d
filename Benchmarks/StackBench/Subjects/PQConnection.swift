#if PostgreSQL
import CPostgreSQL
import Foundation

/// One connection through libpq's C API.
///
/// It is the reference for the store, so it must not cost more than the calls themselves.
final class PQConnection {
    let connection: OpaquePointer

    /// - Parameter schema: the schema that names without one refer to.
    init(_ server: ServerAddress, schema: String) throws {
        guard let opened = PQconnectdb(server.connectionText) else {
            throw PQFailure(operation: "connect", reason: "out of memory")
        }
        connection = opened
        guard PQstatus(opened) == CONNECTION_OK else { throw failure("connect") }
        try execute("SET search_path TO \(schema)")
    }

    deinit { PQfinish(connection) }

    /// Runs one or several statements and discards rows.
    func execute(_ sql: String) throws {
        let result = PQexec(connection, sql)
        defer { PQclear(result) }
        try check(result, PGRES_COMMAND_OK, PGRES_TUPLES_OK, sql)
    }

    func prepare(_ name: String, _ sql: String, types: [Oid]) throws {
        let result = PQprepare(connection, name, sql, Int32(types.count), types)
        defer { PQclear(result) }
        try check(result, PGRES_COMMAND_OK, PGRES_COMMAND_OK, sql)
    }

    /// The integers in the first row of a statement without parameters, which are sent as text.
    func integers(_ sql: String) throws -> [Int] {
        let result = PQexec(connection, sql)
        defer { PQclear(result) }
        try check(result, PGRES_TUPLES_OK, PGRES_TUPLES_OK, sql)
        guard PQntuples(result) > 0 else { return [] }
        return (0..<PQnfields(result)).map { Int(String(cString: PQgetvalue(result, 0, $0))) ?? 0 }
    }

    func check(
        _ result: OpaquePointer?, _ expected: ExecStatusType, _ other: ExecStatusType,
        _ operation: String
    ) throws {
        let status = PQresultStatus(result)
        guard status == expected || status == other else {
            throw PQFailure(
                operation: operation, reason: String(cString: PQresultErrorMessage(result)))
        }
    }

    func failure(_ operation: String) -> PQFailure {
        PQFailure(operation: operation, reason: String(cString: PQerrorMessage(connection)))
    }
}

struct PQFailure: Error, CustomStringConvertible {
    var operation: String
    var reason: String

    var description: String { "PostgreSQL cannot \(operation): \(reason)" }
}
#endif
