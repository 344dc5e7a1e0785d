import Foundation
import Logging

/// The logging and the checks of the engine (spec §12).
///
/// Read from the arguments and the environment of the process under Core Data's names, such as
/// `-com.apple.CoreData.SQLDebug 1`. A program can also create options for one coordinator.
public struct DebugOptions: Sendable {
    /// `SQLDebug`: each level adds to the previous one. 0 logs nothing and costs nothing.
    ///
    /// 1. Statements and their cost.
    /// 2. Arguments and numbers of rows.
    /// 3. The rows.
    /// 4. Query plans.
    public var sqlLevel = 0

    /// `ConcurrencyDebug`: whether use of a context or object off its queue stops the process.
    public var checksQueues = false

    /// `MigrationDebug`: 1 logs how the model of a store was compared with the coordinator's model,
    /// and of a migration the search for the old model, what becomes of each entity, and the SQL and
    /// the time of each step.
    public var migrationLevel = 0

    /// `SQLiteIntegrityCheck`: whether each file is checked when it is opened. This reads the whole
    /// file.
    public var checksIntegrity = false

    /// `SQLiteDebugSynchronous`: 0, 1 or 2 for off, normal or full; nil uses the setting of the
    /// store description.
    public var synchronous: Int?

    /// Receives each line. By default lines go to the log at level `info`.
    public var log: @Sendable (String) -> Void = { line in Self.logger.info("\(line)") }

    private static let logger = Logger(label: "CoreData")

    /// The options of this process.
    public static let process = DebugOptions(
        arguments: CommandLine.arguments, environment: ProcessInfo.processInfo.environment)

    /// Everything off.
    public init() {}

    /// Reads pairs such as `-com.apple.CoreData.SQLDebug 3`. Arguments take precedence over
    /// environment variables.
    ///
    /// YES and TRUE count as 1. Any other value that is not an integer counts as 0.
    public init(arguments: [String], environment: [String: String]) {
        func value(_ name: String) -> Int? {
            let key = "com.apple.CoreData.\(name)"
            let position = arguments.lastIndex(of: "-\(key)").map { $0 + 1 }
            let text =
                position.flatMap { $0 < arguments.count ? arguments[$0] : nil } ?? environment[key]
            return text.map { Int($0) ?? (["YES", "TRUE"].contains($0.uppercased()) ? 1 : 0) }
        }
        sqlLevel = value("SQLDebug") ?? 0
        checksQueues = (value("ConcurrencyDebug") ?? 0) > 0
        migrationLevel = value("MigrationDebug") ?? 0
        checksIntegrity = (value("SQLiteIntegrityCheck") ?? 0) > 0
        synchronous = value("SQLiteDebugSynchronous")
    }

    /// Logs the cost of a request, from level 1 on.
    @inline(__always)
    package func annotate(_ text: @autoclosure () -> String) {
        if sqlLevel > 0 { log("CoreData: annotation: \(text())") }
    }

    /// Logs a line about migration, from level 1 on.
    func noteMigration(_ text: @autoclosure () -> String) {
        if migrationLevel > 0 { log("CoreData: migration: \(text())") }
    }
}

extension Duration {
    /// The duration in Core Data's format: `0.0003s`.
    package var inSeconds: String { String(format: "%.4fs", self / .seconds(1)) }
}
