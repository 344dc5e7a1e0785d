import Benchmarking
import Datasets

/// One document of a workload file: an operation, its data, its subjects and its repetitions.
struct Workload: Sendable {
    var name: String
    var title: String
    var kind: WorkloadKind
    var subjects: [Subject]
    var repetitions: Int
    /// SQLite's `synchronous` pragma, the same for all subjects.
    var synchronous: String
    /// Each stack is measured under each of these policies.
    var lockPolicies: [String]
    /// The number of flights, from the first one of the data set; nil for all.
    var flightCount: Int?
    /// The values of each parameter of the kind. Several values make an axis of the matrix.
    var parameters: [String: [String]]
    /// The subject that the others' figures are divided by.
    var reference: String?
    /// The cells that are left out.
    var exclusions: [CellFilter]
    /// Nil for kinds other than load.
    var load: LoadPlan?
    /// The rules that the results must keep.
    var thresholds: [ThresholdRule] = []
    /// What a gate detects; the last matching rule applies, see ``pairedRules(of:standard:)``.
    var gateRules: [GateRule] = []
    var questions: [Question] = []
    /// The advice that readers get from the answers.
    var advice: [AdviceRule] = []
    /// How long a sample should last; nil to take the data as they are.
    var fit: SampleFit?
    /// What changes at full size; nil if there is no other size.
    var fullSize: FullSize?
    /// The name of the small workload if this one is its full size; otherwise nil.
    var smallName: String?
    /// How much costs may grow; only for kinds with ``WorkloadKind/isGrowth``. See
    /// ``growthLimit(of:)``.
    var growthRules: [GrowthRule] = []

    /// Reads a file of one workload, or of several separated by `---`.
    ///
    /// - Throws: ``ConfigurationError`` with file, line, key and the allowed values.
    static func load(file: String) throws -> [Workload] {
        try ConfigurationNode.documents(in: file).map(Workload.init(reading:))
    }

    private init(reading document: ConfigurationNode) throws {
        let entries = try document.mapping(allowing: [
            "schema", "name", "title", "kind", "subjects", "repetitions", "synchronous",
            "lockPolicies", "dataset", "parameters", "reference", "exclude", "thresholds",
            "gate", "mix", "phases", "checks", "questions", "advice", "full", "fit",
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
        guard !cells.isEmpty else { throw document.error("the exclusions leave no cell") }
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
        fit = try entries["fit"].map(self.fit)
    }

    private static func load(
        _ entries: ConfigurationMapping, of kind: WorkloadKind
    ) throws -> LoadPlan? {
        if kind.isLoad { return try LoadPlan(reading: entries) }
        for key in ["mix", "phases", "checks"] {
            if let node = entries[key] {
                throw node.error("only workloads of the kind load have this key")
            }
        }
        return nil
    }

    /// Reads names of subjects and of the groups `all-stacks` and `peers`.
    private static func subjects(
        _ node: ConfigurationNode, of kind: WorkloadKind
    ) throws -> [Subject] {
        let possible = Subject.all.filter(kind.admits)
        let groups = ["all-stacks": Subject.Group.stack, "peers": .peer]
            .filter { kind.subjects.contains($0.value) }
        let allowed = possible.map(\.name) + groups.keys.sorted()
        var subjects: [Subject] = []
        for element in try node.list() {
            let hidden = Subject.selfTests.first { $0.name == (try? element.string()) }
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
                    throw element.error("\(subject.name) appears twice")
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
            throw node.error("the kind \(kind.name) makes its own rows; remove dataset")
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
