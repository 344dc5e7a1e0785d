import Stacks

extension Subject {
    /// Subjects with one fault each, and one that does nothing.
    static let selfTests = [
        Subject(
            name: "selftest-null", group: .selfTest,
            summary: "does nothing: the harness's own cost",
            openLoad: { _ in NullSubject() }),
        Subject(
            name: "selftest-drops-update", group: .selfTest,
            summary: "drops updates that it reports as saved",
            openLoad: { try FaultySubject($0, DroppedUpdate.init) }),
        Subject(
            name: "selftest-loses-merge", group: .selfTest,
            summary: "does not merge every save into the view",
            openLoad: { try StackLoad(LostMergeStack(.loading($0))) }),
        Subject(
            name: "selftest-swallows-conflict", group: .selfTest,
            summary: "treats a conflict as success",
            openLoad: { try FaultySubject($0, SwallowedConflict.init) }),
        Subject(
            name: "selftest-unsafe", group: .selfTest,
            summary: "does not sync its commits, unlike all others",
            openLoad: {
                var configuration = $0
                configuration.synchronous = "off"
                return try CLoad(configuration: configuration)
            }),
    ]
}
