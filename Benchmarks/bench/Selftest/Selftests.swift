import Stacks

extension Subject {
    /// Subjects with one fault each, and one that does nothing.
    static let selftests = [
        Subject(
            name: "selftest-null", group: .selftest,
            summary: "does nothing: the harness's own cost",
            openLoad: { _ in NullSubject() }),
        Subject(
            name: "selftest-drops-update", group: .selftest,
            summary: "says of updates that it forgets that they are saved",
            openLoad: { try FaultySubject($0, DroppedUpdate.init) }),
        Subject(
            name: "selftest-loses-merge", group: .selftest,
            summary: "does not tell the view of every save",
            openLoad: { try StackLoad(LostMergeStack(.loading($0))) }),
        Subject(
            name: "selftest-swallows-conflict", group: .selftest,
            summary: "takes a conflict for a success",
            openLoad: { try FaultySubject($0, SwallowedConflict.init) }),
        Subject(
            name: "selftest-unsafe", group: .selftest,
            summary: "leaves syncing to the operating system, as no other",
            openLoad: {
                var configuration = $0
                configuration.synchronous = "off"
                return try CLoad(configuration: configuration)
            }),
    ]
}
