import Benchmarking
import Datasets

/// One document of a workload file: which operation, on what, by whom, how often.
struct Workload: Sendable {
    var name: String
    var title: String
    var kind: WorkloadKind
    var subjects: [Subject]
    var repetitions: Int
    /// SQLite's `synchronous` pragma, the same for all subjects.
    var synchronous: String
    /// Each stack is measured under each of them.
    var lockPolicies: [String]
    /// The first so many flights of the data set; nil for all.
    var flightCount: Int?
    /// The values of every parameter of the kind, several where they are an axis of the matrix.
    var parameters: [String: [String]]
    /// The subject whose figures the others' are divided by.
    var reference: String?
    /// What is left out of the matrix.
    var exclusions: [CellFilter]
    /// Nil for kinds other than a load.
    var load: LoadPlan?
    /// What the cells must keep.
    var thresholds: [ThresholdRule] = []
    /// What a gate is to detect, the last rule that matches; see ``pairedRules(of:standard:)``.
    var gateRules: [GateRule] = []
    /// What it asks of its cells.
    var questions: [Question] = []
    /// What a reader is advised by the answers.
    var advice: [AdviceRule] = []
    /// What is different at full size; nil where there is no other size.
    var fullSize: FullSize?
    /// The workload that this one is the full size of; nil for others.
    var smallName: String?
    /// The same of a kind whose growth is judged; see ``growthLimit(of:)``.
    var growthRules: [GrowthRule] = []

    /// Reads a file, which holds one workload or several separated by `---`.
    ///
    /// - Throws: ``ConfigurationError`` with file, line, key and what is allowed.
    static func load(file: String) throws -> [Workload] {
        try ConfigurationNode.documents(in: file).map(Workload.init(reading:))
    }

    private init(reading document: ConfigurationNode) throws {
        let entries = try document.mapping(allowing: [
            "schema", "name", "title", "kind", "subjects", "repetitions", "synchronous",
            "lockPolicies", "dataset", "parameters", "reference", "exclude", "thresholds",
            "gate", "mix", "phases", "checks", "questions", "advice", "full",
        ])
        try entries.requireSchema()
        let name = try entries.required("name").string()
        let kinds = WorkloadKind.all
        let kindName = try entries.required("kind").choice("kind", of: kinds.map(\.name))
        let kind = kinds.first { $0.name == kindName }!
        let subjects = try Self.subjects(entries.required("subjects"), of: kind)

        self.name = name
        title = try entries["title"]?.string() ?? kind.summary
        self.kind = kind
        self.subjects = subjects
        repetitions = try entries["repetitions"]?.integer(in: 1...1_000) ?? 3
        synchronous =
            try entries["synchronous"]?.choice("value", of: ["off", "normal", "full", "extra"])
            ?? "normal"
        lockPolicies =
            try entries["lockPolicies"]?
            .distinct { try $0.choice("lock policy", of: ["pooled", "serialized"]) } ?? ["pooled"]
        flightCount = try entries["dataset"].flatMap { try Self.flightCount($0, of: kind) }
        parameters = try Self.parameters(entries["parameters"], of: kind)
        reference = try entries["reference"]?.choice("reference", of: subjects.map(\.name))
        load = try Self.load(entries, of: kind)
        exclusions = []
        exclusions = try entries["exclude"]?.list().map { try cellFilter($0) } ?? []
        guard !cells.isEmpty else { throw document.error("everything is excluded") }
        if let load { try load.check(cells, document) }
        thresholds = try entries["thresholds"]?.list().map { try threshold($0) } ?? []
        if kind.isGrowth {
            growthRules = try growthRules(entries.required("gate"))
        } else {
            gateRules = try entries["gate"]?.list().map { try gateRule($0) } ?? []
        }
        questions = try entries["questions"].map(self.questions) ?? []
        advice = try entries["advice"]?.list().map { try adviceRule($0) } ?? []
        fullSize = try entries["full"].map(self.fullSize)
    }

    private static func load(
        _ entries: ConfigurationMapping, of kind: WorkloadKind
    ) throws -> LoadPlan? {
        if kind.isLoad { return try LoadPlan(reading: entries) }
        for key in ["mix", "phases", "checks"] {
            if let node = entries[key] {
                throw node.error("only workloads of the kind load have it")
            }
        }
        return nil
    }

    /// Names of subjects, or of the groups `all-stacks` and `peers`.
    private static func subjects(
        _ node: ConfigurationNode, of kind: WorkloadKind
    ) throws -> [Subject] {
        let possible = Subject.all.filter(kind.admits)
        let groups = ["all-stacks": Subject.Group.stack, "peers": .peer]
            .filter { kind.subjects.contains($0.value) }
        let allowed = possible.map(\.name) + groups.keys.sorted()
        var subjects: [Subject] = []
        for element in try node.list() {
            let hidden = Subject.selftests.first { $0.name == (try? element.string()) }
            if let hidden, kind.subjects.contains(hidden.group) {
                subjects.append(hidden)
                continue
            }
            if let name = try? element.string(), !allowed.contains(name),
                Subject.named(name) != nil
            {
                throw element.error(
                    "the kind \(kind.name) cannot measure \(name). "
                        + "Allowed: \(allowed.joined(separator: ", ")).")
            }
            let name = try element.choice("subject", of: allowed)
            let group = groups[name]
            let named = possible.filter { $0.name == name || $0.group == group }
            for subject in named {
                guard !subjects.contains(where: { $0.name == subject.name }) else {
                    throw element.error("\(subject.name) is there twice")
                }
                subjects.append(subject)
            }
        }
        return subjects
    }

    static func flightCount(
        _ node: ConfigurationNode, of kind: WorkloadKind
    ) throws -> Int? {
        guard kind.usesDataset else {
            throw node.error("workloads of the kind \(kind.name) make their own rows")
        }
        let flights = try node.mapping(allowing: ["flights"]).required("flights")
        if (try? flights.string()) == "all" { return nil }
        return try flights.integer(in: 1...DatasetFacts.published.flightCount)
    }

    private static func parameters(
        _ node: ConfigurationNode?, of kind: WorkloadKind
    ) throws -> [String: [String]] {
        let entries = try node?.mapping(allowing: kind.parameters.map(\.name))
        var parameters: [String: [String]] = [:]
        for parameter in kind.parameters {
            parameters[parameter.name] =
                try entries?[parameter.name]?.distinct(parameter.value) ?? [parameter.defaultValue]
        }
        return parameters
    }
}
