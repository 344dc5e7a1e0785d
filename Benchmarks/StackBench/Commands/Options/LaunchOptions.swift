import ArgumentParser

/// The options of every command that makes a run: where it is kept, and how it begins or goes on.
struct LaunchOptions: ParsableArguments {
    @Option(help: "The folder of the run (default: results/<time>).", completion: .directory)
    var output: String?

    @Option(help: "The seed of all random orders (default: a random one, kept in run.json).")
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "Go on with a run: one that was killed or interrupted, or with a new length a complete "
                + "one. Its other options are its own.", valueName: "run"),
        completion: .directory)
    var resume: String?

    @Flag(help: "Run a debug build anyway; its times mean nothing.")
    var allowDebug = false

    /// - Parameter isToldMore: whether the command line describes a new run by other options than its
    ///   length.
    /// - Throws: `ValidationError` if it also resumes one.
    func requireOneRun(_ isToldMore: Bool, _ others: String) throws {
        guard resume == nil || !(isToldMore || output != nil || seed != nil) else {
            throw ValidationError(
                "--resume uses the options of the resumed run; leave out other options than its new "
                    + "length, and \(others)"
            )
        }
    }
}
