import ArgumentParser

/// What a gate compares with.
struct BaseOptions: ParsableArguments {
    /// The default folder of baselines.
    static let folder = "Benchmarks/Baselines"

    @Option(help: "The git revision to compare with, such as main or HEAD~1.")
    var baseRef: String?

    @Option(help: "The bench to compare with.", completion: .file())
    var baseBin: String?

    @Option(help: "The baseline to compare counts with; times are not compared.")
    var baseline: String?

    @Option(help: "The folder of baselines.", completion: .directory)
    var baselines = BaseOptions.folder

    @Option(help: "A command of the shell, instead of a bench: its time is compared with --head's.")
    var base: String?

    @Option(help: "The command of the shell that is compared with --base.")
    var head: String?

    /// The two commands of the shell; nil if builds of bench are compared.
    var commands: CommandGate.Commands? {
        guard let base, let head else { return nil }
        return CommandGate.Commands(base: base, head: head)
    }

    /// - Throws: `ValidationError` unless one base is named.
    func requireOne() throws {
        guard (base == nil) == (head == nil) else {
            throw ValidationError("--base and --head are two commands; name both")
        }
        guard [baseRef, baseBin, baseline, base].count(where: { $0 != nil }) == 1 else {
            throw ValidationError(
                "name one base: --base-ref, --base-bin, --baseline, or --base with --head")
        }
    }
}
