import Foundation
import Logging

/// What the engine tells about its work and checks while it works (spec §12).
///
/// Taken from the arguments of the process and its environment, under the names that Core Data has for them, such as
/// `-com.apple.CoreData.SQLDebug 1`; or made by the program for one coordinator.
public struct DebugOptions: Sendable {
    /// `SQLDebug`: 1 logs statements and what they cost, 2 their arguments and numbers of rows too, 3 the rows themselves, 4
    /// the query plans as well. 0 logs nothing and costs nothing.
    public var sqlLevel = 0

    /// `ConcurrencyDebug`: whether the process is stopped where a context or an object is used off its queue.
    public var checksQueues = false

    /// `MigrationDebug`: 1 logs how the model of a store was compared with that of the coordinator.
    public var migrationLevel = 0

    /// `SQLiteIntegrityCheck`: whether each file is checked when it is opened. Reads the whole file.
    public var checksIntegrity = false

    /// `SQLiteDebugSynchronous`: 0, 1 or 2 for off, normal, full; nil leaves it as the description says.
    public var synchronous: Int?

    /// Takes each line; unless set, to the log, at its level `info`.
    public var log: @Sendable (String) -> Void = { line in Self.logger.info("\(line)") }

    private static let logger = Logger(label: "CoreData")

    /// Those of this process.
    public static let process = DebugOptions(
        arguments: CommandLine.arguments, environment: ProcessInfo.processInfo.environment)

    /// Everything off.
    public init() {}

    /// Reads pairs such as `-com.apple.CoreData.SQLDebug 3`; arguments count more than variables of the environment.
    ///
    /// A value that is no number and not YES or NO counts as 0.
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

    /// Logs what a request cost, at level 1.
    @inline(__always)
    func annotate(_ text: @autoclosure () -> String) {
        if sqlLevel > 0 { log("CoreData: annotation: \(text())") }
    }

    /// Logs a line about migration, at level 1.
    func noteMigration(_ text: @autoclosure () -> String) {
        if migrationLevel > 0 { log("CoreData: migration: \(text())") }
    }
}

extension Duration {
    /// As Core Data writes it: `0.0003s`.
    var inSeconds: String { String(format: "%.4fs", self / .seconds(1)) }
}
