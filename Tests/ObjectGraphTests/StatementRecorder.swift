import Synchronization
import Testing

@testable import ObjectGraph

/// The statements that a coordinator with these debug options runs, each followed by its bindings,
/// as in `SELECT 1 WHERE ? < ? ← 1, 'x'`.
final class StatementRecorder: Sendable {
    private let lines = Mutex<[String]>([])

    var debug: DebugOptions {
        var options = DebugOptions()
        options.sqlLevel = 2
        options.log = { [self] line in note(line) }
        return options
    }

    private func note(_ line: String) {
        lines.withLock { lines in
            if let range = line.firstRange(of: "CoreData: sql: ") {
                lines.append(String(line[range.upperBound...]))
            } else if line.contains("SQLite bind["), !lines.isEmpty {
                let value = line[line.firstRange(of: "] = ")!.upperBound...]
                let separator = lines[lines.count - 1].contains(" ← ") ? ", " : " ← "
                lines[lines.count - 1] += separator + value
            }
        }
    }

    /// Expects the body to run exactly these statements.
    func expect(
        _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) rethrows {
        let statements = try statements(body)
        #expect(statements == expected, sourceLocation: sourceLocation)
    }

    /// The statements that the body runs.
    func statements(_ body: () throws -> Void) rethrows -> [String] {
        lines.withLock { $0 = [] }
        try body()
        return lines.withLock { $0 }
    }
}
