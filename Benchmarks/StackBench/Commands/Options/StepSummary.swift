import Foundation
import Reports

/// The page that GitHub shows of a step of a workflow.
enum StepSummary {
    /// Appends what a command found. Does nothing outside of GitHub's workflows; a failure is a warning,
    /// because no measurement is lost with it.
    ///
    /// Source: GitHub's "Workflow commands for GitHub Actions", adding a job summary.
    static func append(_ comment: PullRequestComment) {
        guard let path = ProcessInfo.processInfo.environment["GITHUB_STEP_SUMMARY"], !path.isEmpty
        else { return }
        do {
            let file = try FileHandle(forUpdating: url(path))
            try file.seekToEnd()
            try file.write(contentsOf: Data("\n\(comment.markdown)".utf8))
            try file.close()
        } catch {
            StandardError.print("warning: cannot add to the step's summary, \(path): \(error)")
        }
    }

    private static func url(_ path: String) throws -> URL {
        let url = URL(fileURLWithPath: path)
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: url) }
        return url
    }
}
