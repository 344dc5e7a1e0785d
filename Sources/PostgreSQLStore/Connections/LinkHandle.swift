#if PostgreSQL
import CPostgreSQL
import Foundation

/// An open connection of libpq, which it owns: waiting, sending, receiving, and the errors.
///
/// Confined to one thread at a time, as its `Link`. libpq never blocks: this waits by itself, so
/// that a cancellation gets through, and so that both sides can send at the same time.
final class LinkHandle {
    let connection: OpaquePointer
    let canceller: Canceller
    private var hasFailed = false

    /// Connects.
    ///
    /// - Throws: `connectionFailed`, `authenticationFailed`, `unknownDatabase`, `tlsFailed` or
    ///   `tooManyConnections`.
    init(_ settings: LinkSettings) throws(PostgreSQLError) {
        connection = try Self.connect(settings)
        canceller = Canceller(connection)
    }

    deinit {
        canceller.end()
        PQfinish(connection)
    }

    /// Whether the connection must not be used any more.
    var isBroken: Bool { hasFailed || PQstatus(connection) == CONNECTION_BAD }

    var isInTransaction: Bool {
        switch PQtransactionStatus(connection) {
        case PQTRANS_IDLE, PQTRANS_UNKNOWN: false
        default: true
        }
    }

    /// Whether the server has closed the connection, as far as the socket shows without asking.
    func noticesEnd() -> Bool {
        // The server's last message may come before the end.
        while !isBroken, waitForSocket(POLLIN, until: .now) {
            if PQconsumeInput(connection) == 0 { hasFailed = true }
        }
        return isBroken
    }

    func breakOff() { hasFailed = true }

    /// Sends everything that is waiting in libpq's buffer. A failure shows in the next result.
    func flush() {
        while PQflush(connection) == 1 {
            // The server may be unable to read before this side has read.
            waitForSocket(POLLIN | POLLOUT, until: nil)
            guard PQconsumeInput(connection) == 1 else { return }
        }
    }

    /// The next result of libpq, which the caller has to clear; nil at the end of a command.
    ///
    /// - Parameter isCancelled: Asked now and then. When it is true, the server is asked to end
    ///   the command.
    func nextResult(cancelledIf isCancelled: (() -> Bool)?) -> OpaquePointer? {
        var isCancelled = isCancelled
        while PQisBusy(connection) == 1 {
            if let asks = isCancelled, asks() {
                canceller.cancel()
                isCancelled = nil
            }
            let pause = isCancelled.map { _ in ContinuousClock.now + .milliseconds(20) }
            guard waitForSocket(POLLIN, until: pause) else { continue }
            guard PQconsumeInput(connection) == 1 else { break }
        }
        return PQgetResult(connection)
    }

    /// Waits until the socket is ready, or broken, which the next call to libpq reports.
    ///
    /// - Returns: False when the time has passed.
    @discardableResult
    func waitForSocket(_ events: Int32, until deadline: ContinuousClock.Instant?) -> Bool {
        Self.waitForSocket(of: connection, events, until: deadline)
    }

    private static func waitForSocket(
        of connection: OpaquePointer, _ events: Int32, until deadline: ContinuousClock.Instant?
    ) -> Bool {
        while true {
            let socket = PQsocket(connection)
            guard socket >= 0 else { return true }
            let rest = deadline.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
            let isReady = SocketCalls.wait(
                for: socket, events, atMostMilliseconds: rest.map { Int32($0.wholeMilliseconds) })
            if let isReady { return isReady }
        }
    }
}

// Opening.
extension LinkHandle {
    private static func connect(_ settings: LinkSettings) throws(PostgreSQLError) -> OpaquePointer {
        guard
            let connection = settings.withParameters({ PQconnectStartParams($0, $1, 1) })
        else {
            throw PostgreSQLError(.outOfResources, "libpq has no memory for a connection")
        }
        // Otherwise libpq prints the server's notices.
        PQsetNoticeReceiver(connection, { _, _ in }, nil)
        // The messages of failed attempts then contain the SQLSTATE, which nothing else tells.
        PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
        let deadline = settings.connectDeadline
        var status = PGRES_POLLING_WRITING
        while status != PGRES_POLLING_OK {
            let events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT
            if status == PGRES_POLLING_FAILED || PQstatus(connection) == CONNECTION_BAD {
                defer { PQfinish(connection) }
                throw failedAttempt(connection, settings)
            }
            guard waitForSocket(of: connection, Int32(events), until: deadline) else {
                PQfinish(connection)
                throw PostgreSQLError(
                    .connectionFailed, "no answer from \(settings.address) before the timeout")
            }
            status = PQconnectPoll(connection)
        }
        PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
        PQsetnonblocking(connection, 1)
        return connection
    }

    private static func failedAttempt(
        _ connection: OpaquePointer, _ settings: LinkSettings
    ) -> PostgreSQLError {
        let text = settings.redacting(String(cString: PQerrorMessage(connection)))
        let state = text.matches(of: #/:  ([0-9A-Z]{5}): /#).last.map { String($0.output.1) }
        // A server that is reached over TLS or not at all gives two messages; each has the place
        // in the server's source.
        let message = text.split(separator: "\n")
            .filter { !$0.hasPrefix("LOCATION:") }
            .map { $0.replacing(#/:  [0-9A-Z]{5}: /#) { _ in ": " } }
            .joined(separator: "; ")
        let kind: PostgreSQLError.Kind =
            if message.contains("unsupported startup parameter") {
                // A pooler's own message.
                .settingsIgnored
            } else if let state {
                PostgreSQLError.Kind(sqlState: state).ofAttempt
            } else if PQconnectionNeedsPassword(connection) == 1 {
                .authenticationFailed
            } else if message.hasPrefix("invalid ") {
                // The value of a parameter.
                .invalidURL
            } else if message.contains("SSL") || message.contains("certificate") {
                .tlsFailed
            } else {
                .connectionFailed
            }
        return PostgreSQLError(kind, message, sqlState: state)
    }
}

extension PostgreSQLError.Kind {
    /// A connection that ends before it is complete has nothing that could be lost.
    fileprivate var ofAttempt: Self { self == .connectionLost ? .connectionFailed : self }
}

// Errors.
extension LinkHandle {
    /// The error of a result that is one, or of the connection without a result. Notes whether the
    /// connection can still be used.
    func error(_ result: OpaquePointer?, sql: String?, at index: Int? = nil) -> PostgreSQLError {
        guard let result else { return connectionError(sql: sql, at: index) }
        guard let state = field("C", of: result) else {
            // libpq itself reports: usually that the connection is lost.
            let text = String(cString: PQresultErrorMessage(result)).trimmed
            return connectionError(text, sql: sql, at: index)
        }
        if ["FATAL", "PANIC"].contains(field("V", of: result)) { hasFailed = true }
        var kind = PostgreSQLError.Kind(sqlState: state)
        if kind == .statementEnded, canceller.takeRequest() { kind = .cancelled }
        var error = PostgreSQLError(
            kind, field("M", of: result) ?? "", sqlState: state, sql: sql)
        error.detail = field("D", of: result)
        error.constraint = field("n", of: result)
        error.table = field("t", of: result)
        error.commandIndex = index
        return error
    }

    private func connectionError(
        _ text: String? = nil, sql: String?, at index: Int?
    ) -> PostgreSQLError {
        let text = text ?? String(cString: PQerrorMessage(connection)).trimmed
        var error = PostgreSQLError(
            isBroken ? .connectionLost : .other,
            text.isEmpty ? "the connection ended" : text, sql: sql)
        error.commandIndex = index
        return error
    }

    private func field(_ name: Character, of result: OpaquePointer) -> String? {
        PQresultErrorField(result, Int32(name.asciiValue!)).map { String(cString: $0) }
    }
}
#endif
