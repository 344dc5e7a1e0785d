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
            summary: "says of updates that it forgets that they are saved",
            openLoad: { try FaultySubject($0, DroppedUpdate.init) }),
        Subject(
            name: "selftest-loses-merge", group: .selfTest,
            summary: "does not tell the view of every save",
            openLoad: { try StackLoad(LostMergeStack(.loading($0))) }),
        Subject(
            name: "selftest-swallows-conflict", group: .selfTest,
            summary: "takes a conflict for a success",
            openLoad: { try FaultySubject($0, SwallowedConflict.init) }),
        Subject(
            name: "selftest-unsafe", group: .selfTest,
            summary: "leaves syncing to the operating system, as no other",
            openLoad: {
                var configuration = $0
                configuration.synchronous = "off"
                return try CLoad(configuration: configuration)
            }),
    ]
}
