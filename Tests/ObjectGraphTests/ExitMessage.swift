import Testing

extension ExitTest.Result? {
    /// What the process that stopped wrote to its standard error output.
    var message: String {
        String(decoding: self?.standardErrorContent ?? [], as: UTF8.self)
    }
}
