import Foundation

/// The checkout of this package from which `bench` was started. The program itself knows no commit,
/// so it may have been built from another one.
struct Checkout {
    /// The full hash; a `+` marks uncommitted changes.
    let commit: String
    /// When the commit was made; `nil` if git does not tell.
    let committedAt: Date?

    /// `nil` without a checkout, or without git.
    static let ofBench: Checkout? = Executable.repository.flatMap { try? Checkout($0) }

    private init(_ package: URL) throws {
        let changes = try BaseBuild.run(["git", "diff", "--quiet", "HEAD"], in: package)
        let isChanged = changes.status != 0
        commit = try BaseBuild.commit(of: "HEAD", in: package) + (isChanged ? "+" : "")
        let date = try BaseBuild.run(["git", "log", "-1", "--format=%ct"], in: package).output
        committedAt = Double(date.trimmingCharacters(in: .whitespacesAndNewlines))
            .map(Date.init(timeIntervalSince1970:))
    }

    /// Whether the program was certainly built before that commit was made.
    var isNewerThanBuild: Bool {
        guard let committedAt, let built = Executable.modificationDate else { return false }
        return built <= committedAt
    }
}
