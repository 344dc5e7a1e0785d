struct CSQLiteError: Error, CustomStringConvertible {
    var operation: String
    var reason: String

    var description: String { "\(operation): \(reason)" }
}
