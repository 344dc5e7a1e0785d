import Benchmarking

/// The name of what can be measured, and what it is.
///
/// To add one, add its line here and its factory in ``SubjectFactory``.
struct Subject: Sendable {
    var name: String
    var group: Group
    var summary: String

    enum Group: String, Sendable {
        /// An arrangement of contexts: competes.
        case stack
        /// Something else that a user would pick: a yardstick.
        case peer
        /// The engine by itself, one context on one coordinator.
        case engine
        /// Shows that the instrument finds what it is to find. It can be named, and is not listed.
        case selftest
    }

    var role: SubjectRole { group == .peer ? .peer : .stack }

    /// Peers have no coordinator, so no lock policy of one.
    var hasLockPolicy: Bool { group != .peer }

    static func named(_ name: String) -> Subject? {
        (all + selftests).first { $0.name == name }
    }

    static let selftests = [
        Subject(
            name: "selftest-null", group: .selftest,
            summary: "does nothing: the harness's own cost"),
        Subject(
            name: "selftest-drops-update", group: .selftest,
            summary: "says of updates that it forgets that they are saved"),
        Subject(
            name: "selftest-loses-merge", group: .selftest,
            summary: "does not tell the view of every save"),
        Subject(
            name: "selftest-swallows-conflict", group: .selftest,
            summary: "takes a conflict for a success"),
        Subject(
            name: "selftest-unsafe", group: .selftest,
            summary: "leaves syncing to the operating system, as no other"),
    ]

    static let all = [
        Subject(
            name: "nested", group: .stack,
            summary: "private root, main context below it, workers below main"),
        Subject(
            name: "nested-two-level", group: .stack,
            summary: "main context on the coordinator, workers below it"),
        Subject(
            name: "nested-workers-on-root", group: .stack,
            summary: "private root with the main context and the workers below it"),
        Subject(
            name: "shared", group: .stack,
            summary: "contexts side by side on one coordinator, merged by did-save notification"),
        Subject(
            name: "shared-automatic", group: .stack,
            summary: "the same, merged automatically"),
        Subject(
            name: "shared-no-merge", group: .stack,
            summary: "the same, not merged: the view refetches"),
        Subject(
            name: "single", group: .stack,
            summary: "one private-queue context for everything"),
        Subject(
            name: "isolated-batch", group: .stack,
            summary: "batch work on a coordinator of its own, merged by object IDs"),
        Subject(
            name: "isolated-batch-refetch", group: .stack,
            summary: "the same, the view refetches"),
        Subject(
            name: "object-graph", group: .engine,
            summary: "the engine without a stack, for the engine workload"),
        Subject(
            name: "grdb", group: .peer, summary: "GRDB records over a DatabasePool"),
        Subject(
            name: "sqlite-c", group: .peer, summary: "SQLite's C API with prepared statements"),
    ]
}
