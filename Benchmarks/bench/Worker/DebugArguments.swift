import Foundation

/// Launch arguments for debugging, such as `-com.apple.CoreData.SQLDebug 1`.
///
/// The engine reads them from the arguments of its process (`DebugOptions`), so workers are started with them, too.
struct DebugArguments {
    static let ofProcess = DebugArguments(in: Array(CommandLine.arguments.dropFirst()))

    /// Names and values, in their order.
    private(set) var debug: [String] = []
    /// What is left for the command.
    private(set) var others: [String] = []

    init(in arguments: [String]) {
        var arguments = arguments[...]
        while let argument = arguments.popFirst() {
            guard argument.hasPrefix("-com.apple.CoreData.") else {
                others.append(argument)
                continue
            }
            debug.append(argument)
            if let value = arguments.popFirst() { debug.append(value) }
        }
    }
}
