import ArgumentParser
import Datasets
import Reports
import RunRecords

/// The root of the command line.
struct BenchCommand: ParsableCommand {
    /// A release has the tag of this name.
    static let version = "0.9.0"

    static let configuration = CommandConfiguration(
        commandName: Executable.name,
        abstract: "Run the same verified work on every stack and its alternatives.",
        discussion: exitCodes,
        version: version,
        subcommands: [
            ListCommand.self, PlanCommand.self, RunCommand.self, ClaimsCommand.self,
            TraceCommand.self, MergeCommand.self, CompareCommand.self, TrendCommand.self,
            ReportCommand.self, ExportCommand.self, CheckCommand.self, GateCommand.self,
            BaselineCommand.self,
            SelfTestCommand.self,
            DoctorCommand.self, ModelCommand.self, SchemaCommand.self, WorkerCommand.self,
            RemoteWriterCommand.self,
        ] + onServers,
        defaultSubcommand: RunCommand.self)

    #if PostgreSQL
    private static let onServers: [any ParsableCommand.Type] = [ServerWriterCommand.self]
    #else
    private static let onServers: [any ParsableCommand.Type] = []
    #endif

    private static var exitCodes: String {
        let produced: [RunRecords.ExitCode] = [
            .success, .regression, .thresholdCrossed, .inconclusive, .wrongAnswer, .crash,
            .noBaseline, .difference, .usage, .probeUnavailable, .internalError, .interrupted,
        ]
        return "Exit codes:\n"
            + produced.map { "  \($0.rawValue)  \($0.meaning)" }.joined(separator: "\n")
    }
}

extension BenchFailure {
    /// Maps an error to its exit code; errors without a code of their own are internal errors.
    init(_ error: any Error) {
        switch error {
        case let failure as BenchFailure: self = failure
        case is ConfigurationError, is MissingTrait, is DatasetError, is RunDirectoryError,
            is ThresholdError, is MergeError, is ExportError, is HistoryError:
            self.init(exitCode: .usage, message: "\(error)")
        case is ComparisonError, is BaselineError:
            self.init(exitCode: .noBaseline, message: "\(error)")
        case is Interrupted: self.init(exitCode: .interrupted, message: "interrupted")
        default: self.init(exitCode: .internalError, message: "\(error)")
        }
    }
}
