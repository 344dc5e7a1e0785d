import ArgumentParser
import Benchmarking
import Foundation

/// The option that tells a service what to show beside a change.
struct Annotations: ParsableArguments {
    enum Service: String, ExpressibleByArgument, CaseIterable {
        case github
    }

    @Option(help: "Also print what was found for this service to show (in GitHub Actions: github).")
    var annotations: Service?

    private var service: Service? {
        // Set to "true" by GitHub in every job: "Variables reference", default variables.
        let isGitHub = ProcessInfo.processInfo.environment["GITHUB_ACTIONS"] == "true"
        return annotations ?? (isGitHub ? .github : nil)
    }

    func print(_ judgements: Judgements) {
        if service == .github { Swift.print(judgements.annotations, terminator: "") }
    }
}
