import ArgumentParser
import Foundation
import Reports

/// The option that prints findings in the format of a service that shows them beside a change.
struct Annotations: ParsableArguments {
    enum Service: String, ExpressibleByArgument, CaseIterable {
        case github
    }

    @Option(help: "Also print findings in the format of this service (in GitHub Actions: github).")
    var annotations: Service?

    private var service: Service? {
        // GitHub sets it to "true" in every job: "Variables reference", default variables.
        let isGitHub = ProcessInfo.processInfo.environment["GITHUB_ACTIONS"] == "true"
        return annotations ?? (isGitHub ? .github : nil)
    }

    func print(_ judgements: Judgements) {
        if service == .github { Swift.print(judgements.annotations, terminator: "") }
    }
}
