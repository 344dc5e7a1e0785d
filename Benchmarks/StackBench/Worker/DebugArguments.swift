import Foundation

/// Launch arguments for debugging, such as `-com.apple.CoreData.SQLDebug 1`.
///
/// The engine reads them from the arguments of its process (`DebugOptions`), so workers get them
/// too.
struct DebugArguments {
    static let ofProcess = DebugArguments(in: Array(CommandLine.arguments.dropFirst()))

    /// Names and values, in the order of the command line.
    private(set) var debug: [String] = []
    /// The arguments of the command itself.
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
