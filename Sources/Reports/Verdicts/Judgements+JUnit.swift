import Measuring
import RunRecords

extension Judgements {
    /// A JUnit file: a suite for each workload, a test case for each judgement. A judgement that is
    /// open is skipped; a crash is an error.
    public var junit: String {
        let suites = all.map(\.workload).uniqued.map { workload -> Markup in
            let cases = all.filter { $0.workload == workload }
            return .element(
                "testsuite",
                [
                    "name": workload, "tests": "\(cases.count)",
                    "failures": "\(cases.count { $0.outcome == .failed })",
                    "errors": "\(cases.count { $0.outcome == .broken })",
                    "skipped": "\(cases.count { $0.outcome == .open })",
                ], cases.map(\.testCase))
        }
        let root = Markup.element(
            "testsuites",
            [
                "name": name, "tests": "\(all.count)",
                "failures": "\(all.count { $0.outcome == .failed })",
                "errors": "\(all.count { $0.outcome == .broken })",
                "skipped": "\(all.count { $0.outcome == .open })",
            ], suites)
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(root.source)\n"
    }
}

extension Judgement {
    fileprivate var testCase: Markup {
        let children: [Markup] =
            switch outcome {
            case .held, .improved: [.element("system-out", [:], sentence)]
            case .failed: [.element("failure", ["message": sentence], sentence)]
            case .broken: [.element("error", ["message": sentence], sentence)]
            case .open: [.element("skipped", ["message": sentence], "")]
            }
        return .element("testcase", ["classname": workload, "name": subject], children)
    }
}
