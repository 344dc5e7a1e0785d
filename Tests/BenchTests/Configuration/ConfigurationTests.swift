import Foundation
import TestSupport
import Testing

@Suite struct `Workload and threshold files` {
    private let folder = TemporaryFolder()

    /// A text to replace in a correct file, its replacement, and the message after the file's name.
    struct Mistake: CustomTestStringConvertible {
        var right: String
        var wrong: String
        var message: String
        var testDescription: String { wrong.isEmpty ? "without \(right)" : wrong }
    }

    private static let workload = """
        schema: 1
        name: small
        kind: import
        subjects: [sqlite-c]
        dataset: { flights: 100 }
        parameters:
          saveSize: 100
        """

    @Test(arguments: [
        Mistake(
            right: "saveSize:", wrong: "savSize:",
            message: ":7: parameters.savSize: unknown key \"savSize\"; did you mean \"saveSize\"?"),
        Mistake(
            right: "name:", wrong: "nmae:",
            message: ":2: nmae: unknown key \"nmae\"; did you mean \"name\"?"),
        Mistake(right: "name: small\n", wrong: "", message: ":1: the key \"name\" is missing"),
        Mistake(
            right: "schema: 1", wrong: "schema: 2", message: ":1: schema: 2 is not from 1 to 1"),
        Mistake(
            right: "kind: import", wrong: "kind: imprt",
            message: ":3: kind: unknown kind \"imprt\"; did you mean \"import\"?"),
        Mistake(
            right: "[sqlite-c]", wrong: "[sqlite]", message: ":4: subjects: unknown subject"),
        Mistake(
            right: "[sqlite-c]", wrong: "[peers, grdb]",
            message: ":4: subjects: grdb appears twice"),
        Mistake(
            right: "[sqlite-c]", wrong: "[object-graph]",
            message: ":4: subjects: the kind import cannot measure object-graph. Allowed: "),
        Mistake(
            right: "flights: 100", wrong: "flights: 0",
            message: ":5: dataset.flights: 0 is not from 1 to 336776"),
        Mistake(
            right: "saveSize: 100", wrong: "saveSize: many",
            message: ":7: parameters.saveSize: must be a whole number from 1 to 1000000"),
        Mistake(
            right: "saveSize: 100", wrong: "saveSize: 100\nfit: { subject: grdb, seconds: 1 }",
            message: ":8: fit.subject: unknown subject"),
        Mistake(
            right: "saveSize: 100", wrong: "saveSize: [10, 10]",
            message: ":7: parameters.saveSize: 10 appears twice"),
        Mistake(
            right: "kind: import", wrong: "kind: import\nkind: paging",
            message: ":3: the key \"kind\" appears twice"),
        Mistake(right: "[sqlite-c]", wrong: "[sqlite-c", message: ":5: is not valid YAML"),
    ])
    func `a mistake in a workload file is named with its file, line and key`(
        mistake: Mistake
    ) throws {
        try expect(mistake, in: Self.workload)
    }

    private static let growth = """
        schema: 1
        name: small
        kind: growth
        subjects: [object-graph]
        parameters: { path: [fetch, merge] }
        gate:
          - { growth: 1.3 }
        """

    @Test(arguments: [
        Mistake(
            right: "growth: 1.3", wrong: "growth: 0.9",
            message: ":7: gate.growth: 0.9 is not from 1.0 to 100.0"),
        Mistake(
            right: "growth: 1.3", wrong: "metric: time, detect: 5%",
            message: ":7: gate.metric: unknown key \"metric\""),
        Mistake(
            right: "{ growth", wrong: "{ cell: \"*path=fetch\", growth",
            message: ":7: gate: no rule matches object-graph/pooled/path=merge"),
        Mistake(
            right: "{ growth", wrong: "{ cell: \"*path=walk\", growth",
            message: ":7: gate: matches no cell of small"),
        Mistake(
            right: "gate:\n  - { growth: 1.3 }", wrong: "",
            message: ":1: the key \"gate\" is missing"),
    ])
    func `growth needs a limit for each cell`(mistake: Mistake) throws {
        try expect(mistake, in: Self.growth)
    }

    private static let load = """
        schema: 1
        name: small
        kind: load
        subjects: [single, sqlite-c]
        parameters: { writers: [1, 2], readers: 1 }
        mix:
          - { operation: update, keys: zipfian }
          - { operation: count }
        phases:
          - { mode: warm-up, seconds: 1 }
          - { mode: open, seconds: 1, rate: 60% }
        exclude:
          - { subject: single, writers: 2 }
        thresholds:
          - { cell: single*, metric: lostUpdates, exactly: 0 }
        """

    @Test(arguments: [
        Mistake(
            right: "keys: zipfian", wrong: "keys: zipf",
            message: ":7: mix.keys: unknown distribution \"zipf\""),
        Mistake(
            right: "keys: zipfian", wrong: "keys: uniform, skew: 1",
            message: ":7: mix.skew: only the distributions zipfian and latest have a skew"),
        Mistake(
            right: "operation: count", wrong: "operation: count, keys: uniform",
            message: ":8: mix.keys: the operation count has no keys"),
        Mistake(
            right: "operation: count", wrong: "operation: update",
            message: ":7: mix: update appears twice"),
        Mistake(
            right: "operation: count", wrong: "operation: insert",
            message: ":1: the mix has no operation for readers; add one, or set readers to 0"),
        Mistake(
            right: "readers: 1", wrong: "readers: 1, rows: 1",
            message: ":1: each writer and each reader needs a row of its own"),
        Mistake(
            right: "mode: warm-up", wrong: "mode: open, rate: 5%",
            message: ":10: phases: a rate in percent needs a warm-up or closed phase before it"),
        Mistake(
            right: "rate: 60%", wrong: "rate: x%",
            message: ":11: phases.rate: x% is neither operations per second nor a percentage"),
        Mistake(
            right: ", rate: 60%", wrong: "", message: ":11: phases: the key \"rate\" is missing"),
        Mistake(
            right: "mode: open, seconds: 1", wrong: "mode: open, seconds: 1, operations: 1",
            message: ":11: phases: a phase needs either seconds or operations"),
        Mistake(
            right: "mode: open, seconds: 1, rate: 60%", wrong: "mode: warm-up, seconds: 1",
            message: ":10: phases: needs a closed or an open phase"),
        Mistake(
            right: "{ subject: single, writers: 2 }", wrong: "{ subject: single, writers: 3 }",
            message: ":13: exclude: matches no cell of small"),
        Mistake(
            right: "{ subject: single, writers: 2 }", wrong: "{ readers: 1 }",
            message: ":1: the exclusions leave no cell"),
        Mistake(
            right: "cell: single*", wrong: "cell: \"single/pooled/writers=2\"",
            message:
                ":15: thresholds: matches no cell of small; did you mean \"single/pooled/writers=1\"?"
        ),
        Mistake(
            right: "cell: single*", wrong: "workload: small",
            message: ":15: thresholds.workload: unknown key \"workload\""),
        Mistake(
            right: "exactly: 0", wrong: "exactly: 0, relativeTo: grdb",
            message: ":15: thresholds.relativeTo: unknown subject \"grdb\""),
        Mistake(
            right: "exactly: 0", wrong: "exactly: 0, relativeTo: { readers: 1 }",
            message: ":15: thresholds.relativeTo.readers: small has only one value of readers; "
                + "give it several under parameters, or compare writers"),
        Mistake(
            right: "exactly: 0", wrong: "exactly: 0, relativeTo: { writers: 3 }",
            message: ":15: thresholds.relativeTo.writers: unknown value \"3\""),
        Mistake(
            right: "exactly: 0", wrong: "exactly: 0, relativeTo: { writers: 1 }",
            message: ":15: thresholds.relativeTo: the rule compares each cell with itself"),
        Mistake(
            right: "metric: lostUpdates", wrong: "metric: lostUpdate",
            message: ":15: thresholds: unknown metric \"lostUpdate\"; "
                + "did you mean \"lostUpdates\"?"),
        Mistake(
            right: "thresholds:",
            wrong: "gate: [{ metric: intended.p9, detect: 50% }]\nthresholds:",
            message: ":14: gate: unknown metric \"intended.p9\"; did you mean \"intended.p99\"?"),
        Mistake(
            right: "thresholds:",
            wrong: "gate: [{ cell: grdb, metric: time, detect: 5% }]\nthresholds:",
            message: ":14: gate: matches no cell of small"),
        Mistake(
            right: "thresholds:", wrong: "gate: [{ metric: time, detect: 5 }]\nthresholds:",
            message: ":14: gate.detect: 5 is not a percentage"),
    ])
    func `a mistake in a load is named with its file, line and key`(mistake: Mistake) throws {
        try expect(mistake, in: Self.load)
    }

    @Test func `only a load has a mix`() throws {
        try expect(
            Mistake(
                right: "subjects:", wrong: "mix: []\nsubjects:",
                message: ":4: mix: only workloads of the kind load have this key"),
            in: Self.workload)
    }

    private static let questions = """
        schema: 1
        name: small
        kind: paging
        subjects: [shared, single]
        dataset: { flights: 100 }
        parameters: { fetchBatchSize: [0, 20], extent: whole }
        full: { dataset: { flights: 200 } }
        questions:
          - id: batch-size
            question: Does a batch size pay?
            compare: fetchBatchSize
            against: 0
            where: { subject: single }
            metric: time
            sameWithin: 10%
        advice:
          - { if: you page, questions: [batch-size] }
        """

    @Test(arguments: [
        Mistake(
            right: "compare: fetchBatchSize", wrong: "compare: extent",
            message: ":12: questions.against: unknown extent \"0\"."),
        Mistake(
            right: "compare: fetchBatchSize\n    against: 0", wrong: "compare: extent",
            message: ":11: questions.compare: compares nothing: small has one value of extent"),
        Mistake(
            right: "compare: fetchBatchSize", wrong: "compare: fetchBatchsize",
            message: ":11: questions.compare: unknown axis \"fetchBatchsize\"; "
                + "did you mean \"fetchBatchSize\"?"),
        Mistake(
            right: "metric: time", wrong: "metric: tme",
            message: ":14: questions.metric: unknown metric \"tme\"; did you mean \"time\"?"),
        Mistake(
            right: "sameWithin: 10%", wrong: "sameWithin: 2%",
            message: ":15: questions.sameWithin: 2% is not a percentage from 2.5% to 1000.0%"),
        Mistake(
            right: "metric: time", wrong: "metric: peakMemory\n    sameBelowMilliseconds: 1",
            message: ":15: questions.sameBelowMilliseconds: peakMemory is not a time; leave it out"),
        Mistake(
            right: "metric: time",
            wrong: "metric: time\n    sameBelowMilliseconds: 1\n    sameBelowMebibytes: 1",
            message: ":16: questions.sameBelowMebibytes: time is not in bytes; leave it out"),
        Mistake(
            right: "where: { subject: single }", wrong: "where: { subject: nested }",
            message: ":13: questions.where: matches no cell of small"),
        Mistake(
            right: "questions: [batch-size]", wrong: "questions: [batch]",
            message: ":17: advice.questions: unknown question \"batch\""),
        Mistake(
            right: "full: { dataset: { flights: 200 } }",
            wrong: "full: { parameters: { fetchBatchSize: 5 } }",
            message: ":7: full.parameters.fetchBatchSize: is an axis here"),
    ])
    func `a mistake in a question is named with its file, line and key`(mistake: Mistake) throws {
        try expect(mistake, in: Self.questions)
    }

    private func expect(_ mistake: Mistake, in right: String) throws {
        let text = right.replacingOccurrences(of: mistake.right, with: mistake.wrong)
        let path = folder.path("small.yml")
        try Data(text.utf8).write(to: folder.url("small.yml"))
        let bench = try BenchProcess(["run", path, "--allow-debug"])
        #expect(bench.exitCode == 64)
        #expect(
            bench.errors.hasPrefix("bench: \(path)\(mistake.message)"), "\(bench.errors)")
    }

    @Test func `a missing file is named`() throws {
        let path = folder.path("none.yml")
        let bench = try BenchProcess(["run", path])
        #expect(bench.exitCode == 64)
        #expect(bench.errors == "bench: \(path): there is no such file\n")
    }

    @Test(arguments: [
        Mistake(
            right: "atMost: 1", wrong: "atMots: 1",
            message: ":4: rules.atMots: unknown key \"atMots\"; did you mean \"atMost\"?"),
        Mistake(
            right: "atMost: 1", wrong: "atMost: one",
            message: ":4: rules.atMost: one is not a number, alone or with one of ns"),
        Mistake(
            right: "atMost: 1", wrong: "reason: none",
            message: ":3: rules: a rule needs exactly one of atMost, atLeast and exactly"),
        Mistake(
            right: "atMost: 1", wrong: "atMost: 1\n    relativeTo: sqlite",
            message: ":5: rules.relativeTo: unknown subject \"sqlite\""),
    ])
    func `a mistake in a threshold file is named with its file, line and key`(
        mistake: Mistake
    ) throws {
        let right = "schema: 1\nrules:\n  - metric: time\n    atMost: 1\n"
        let text = right.replacingOccurrences(of: mistake.right, with: mistake.wrong)
        let path = folder.path("thresholds.yml")
        try Data(text.utf8).write(to: folder.url("thresholds.yml"))
        let bench = try BenchProcess(["check", folder.url.path, "--thresholds", path])
        #expect(bench.exitCode == 64)
        #expect(bench.errors.hasPrefix("bench: \(path)\(mistake.message)"))
    }
}
