import RunRecords

/// An error that ends a command: the message for the user, and the exit code.
struct BenchFailure: Error {
    var exitCode: RunRecords.ExitCode
    var message: String
}

extension BenchFailure {
    /// The failure of a command that needs every cell to be sound.
    init(_ cell: UnsoundCell) {
        self.init(exitCode: cell.isWrongAnswer ? .wrongAnswer : .crash, message: "\(cell)")
    }
}
