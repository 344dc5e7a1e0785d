import Datasets
import RunRecords

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
    /// How much costs may grow; only for kinds with ``WorkloadKind/Work/growth``. See
    /// ``growthLimit(of:)``.
    var growthRules: [GrowthRule] = []

    /// Reads a file of one workload, or of several separated by `---`.
    ///
    /// - Parameter settings: values instead of those in the file. Questions, exclusions, rules and
    ///   advice about values that are gone are gone too.
    /// - Throws: ``ConfigurationError`` with file, line, key and the allowed values;
    ///   ``MissingTrait``.
    static func load(file: String, settings: [ParameterSetting] = []) throws -> [Workload] {
        let documents = try ConfigurationNode.documents(in: file)
        // The file as it is, so that its mistakes are found with any setting.
        let written = try documents.map { try Workload(reading: $0, settings: []) }
        return try zip(documents, written).map { document, workload in
            let own = settings.filter { workload.kind.settingNames.contains($0.name) }
            return own.isEmpty ? workload : try Workload(reading: document, settings: own)
        }
    }

    private init(reading document: ConfigurationNode, settings: [ParameterSetting]) throws {
        let entries = try document.mapping(allowing: [
            "schema", "name", "title", "kind", "subjects", "repetitions", "synchronous",
            "lockPolicies", "dataset", "parameters", "reference", "exclude", "thresholds",
            "gate", "mix", "phases", "checks", "questions", "advice", "full", "fit",
        ])
        try entries.requireSchema()
        let name = try entries.required("name").string()
        let kindName = try entries.required("kind").choice("kind", of: Self.kindNames)
        guard let kind = WorkloadKind.all.first(where: { $0.name == kindName }) else {
            throw MissingTrait(file: document.file, kind: ServerKind(rawValue: kindName)!)
        }
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
        for setting in settings {
            if setting.name == ParameterSetting.flights {
                flightCount = try Self.flightCount(of: setting.node)
            } else if let parameter = kind.parameters.first(where: { $0.name == setting.name }) {
                parameters[setting.name] = try setting.node.distinct(parameter.value)
            }
        }
        /// Reads the elements of a list that still mean something beside the settings.
        func elements<Value>(
            _ key: String, _ read: (ConfigurationNode) throws -> Value
        ) throws -> [Value] {
            try entries[key]?.list().compactMap { element in
                settings.isEmpty ? try read(element) : try? read(element)
            } ?? []
        }
        reference = try entries["reference"]?.choice("reference", of: subjects.map(\.name))
        load = try Self.load(entries, of: kind)
        exclusions = []
        exclusions = try elements("exclude") { try cellFilter($0) }
        guard !cells.isEmpty else { throw document.error("the exclusions leave no cell") }
        if let load { try load.check(cells, document) }
        thresholds = try elements("thresholds") { try threshold($0) }
        if kind.work == .growth {
            growthRules = try growthRules(entries.required("gate"))
        } else {
            gateRules = try elements("gate") { try gateRule($0) }
        }
        questions = try elements("questions") { try question($0) }
        try requireDistinctQuestions(entries["questions"])
        advice = try elements("advice") { try adviceRule($0) }
        // A parameter with several values has no full size.
        fullSize = try elements("full") { try self.fullSize($0) }.first
        guard !settings.contains(where: { $0.name == ParameterSetting.flights }) else { return }
        fit = try entries["fit"].map(self.fit)
    }

    /// The kinds that a file can name, also those that this build lacks.
    private static let kindNames =
        WorkloadKind.all.map(\.name)
        + ServerKind.allCases.filter { !$0.isAvailable }.map(\.rawValue)

    private static func load(
        _ entries: ConfigurationMapping, of kind: WorkloadKind
    ) throws -> LoadPlan? {
        if kind.work == .load { return try LoadPlan(reading: entries) }
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
        return try flightCount(of: node.mapping(allowing: ["flights"]).required("flights"))
    }

    private static func flightCount(of node: ConfigurationNode) throws -> Int? {
        if (try? node.string()) == "all" { return nil }
        return try node.integer(in: 1...DatasetFacts.published.flightCount)
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
