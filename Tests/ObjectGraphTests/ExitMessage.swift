import Testing

extension ExitTest.Result? {
    /// The standard error output of the stopped process.
    var message: String {
        String(decoding: self?.standardErrorContent ?? [], as: UTF8.self)
    }
}
