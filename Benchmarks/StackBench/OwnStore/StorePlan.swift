import Measuring
import ObjectGraph
import Reports
import RunRecords

/// Chooses the workloads that measure a store: all counts, and the times that fit into the budget,
/// the quickest first.
struct StorePlan {
    /// In the order of the report.
    private(set) var workloads: [Workload] = []
    /// What is left out and why, one sentence each.
    private(set) var leftOut: [String] = []
    /// The names of each question about times for which the budget is too short.
    private(set) var questionsLeftOut: [[String]] = []

    let survey: StoreSurvey
    let model: ManagedObjectModel
    let names: ShownNames
    private var candidates: [Candidate] = []
    /// Sentences about what the data do not allow, each with the workload that would measure it.
    private var omissions: [(workload: String, sentence: String)] = []

    /// The names of workloads and questions on the command line, as in ``Selection``. An empty list
    /// means all.
    struct Asked {
        var workloads: [String]
        var questions: [String]
    }

    /// A workload that may be measured.
    private struct Candidate {
        var workload: Workload
        /// The rows that a sample works on.
        var rowCount: Int
        /// The time of one sample.
        var sampleSeconds: Double
        /// A sentence about what the workload leaves out, for the first screen.
        var note: String?

        /// The time that all rounds of its questions about times are likely to take.
        var seconds: Double {
            Double(timedCellCount) * sampleSeconds * StorePlan.roundCount
        }
        var timedCellCount: Int { cells { !$0.isExact }.count }
        /// The time to count its cells and to sample once those that no such question has.
        var countingSeconds: Double {
            let counted = cells(\.isExact)
            let unasked = counted.subtracting(cells { !$0.isExact })
            return Double(counted.count + unasked.count) * sampleSeconds
        }

        private func cells(_ isAsked: (Question) -> Bool) -> Set<String> {
            Set(workload.questions.filter(isAsked).flatMap(\.contests).flatMap(\.cells))
        }
    }

    /// The arrangements that the shootout compares.
    private static let stacks = [
        "main-only", "nested", "nested-propagating", "shared", "container", "serial-writer",
        "single", "isolated-batch",
    ]
    /// The stack for questions about techniques.
    static let usual = ["shared"]
    private static let readRowsMax = 100_000
    private static let importRowsMax = 30_000
    static let writeRowsMax = 20_000
    /// A p95 of the main queue takes 200 heartbeats, one each millisecond.
    private static let watchedRowsMin = 20_000

    /// - Parameter seconds: the time for all rounds.
    init(
        _ survey: StoreSurvey, _ model: ManagedObjectModel, _ names: ShownNames, seconds: Double,
        asked: Asked
    ) {
        self.survey = survey
        self.model = model
        self.names = names
        planImport()
        planReaders()
        planReading()
        planList()
        planWalking()
        planForms()
        planUpdate()
        planDeletion()
        planInsertion()
        planFinding()
        keep(asked)
        leftOut = omissions.map(\.sentence)
        // Who names a workload or a number of rounds wants its times whatever they are.
        if asked.workloads.isEmpty, asked.questions.isEmpty, seconds.isFinite { dropSmall() }
        choose(within: seconds)
    }

    /// Keeps what is asked for. Keeps everything if there is no such workload or question, so that
    /// the error can name all of them.
    private mutating func keep(_ asked: Asked) {
        let all = Set(candidates.flatMap { $0.workload.questions.flatMap($0.workload.names) })
        guard !asked.workloads.isEmpty || !asked.questions.isEmpty,
            all.isSuperset(of: asked.questions)
        else { return }
        let kept = candidates.compactMap { candidate -> Candidate? in
            let workload = candidate.workload
            guard
                asked.workloads.isEmpty
                    || [workload.name, workload.kind.name].contains(where: asked.workloads.contains)
            else { return nil }
            var kept = candidate
            kept.workload.questions.removeAll { question in
                !asked.questions.isEmpty
                    && !workload.names(of: question).contains(where: asked.questions.contains)
            }
            return kept.workload.questions.isEmpty ? nil : kept
        }
        guard !kept.isEmpty else { return }
        candidates = kept
        omissions.removeAll { omission in
            !kept.contains { $0.workload.name == omission.workload }
        }
    }

    // MARK: Time

    /// The rounds until most comparisons of a run with so many are decided.
    private static let roundCount = 16.0
    /// A worker's life, without its work.
    private static let workerSeconds = 0.1
    private static let copiedBytesPerSecond = 3e8

    /// Adds a workload that may be measured.
    ///
    /// - Parameter rowCount: the rows that a sample works on; nil for all of the store.
    /// - Parameter rowSeconds: the estimated work of one sample. It rests on the survey alone, so
    ///   that a resumed run has the same plan.
    mutating func add(
        _ workload: Workload, rowCount: Int? = nil, rowSeconds: Double, note: String? = nil
    ) {
        candidates.append(
            Candidate(
                workload: workload, rowCount: rowCount ?? survey.rowCount,
                sampleSeconds: Self.workerSeconds
                    + Double(survey.byteCount) / Self.copiedBytesPerSecond + rowSeconds,
                note: note))
    }

    mutating func omit(_ workload: String, _ sentence: String) {
        omissions.append((workload, sentence))
    }

    /// Drops the questions about times of few rows, unless they are all that there is to ask.
    private mutating func dropSmall() {
        let small = candidates.indices.filter {
            candidates[$0].rowCount < StoreSurvey.rowsThatMatter
                && candidates[$0].workload.questions.contains { !$0.isExact }
        }
        guard !small.isEmpty else { return }
        let few =
            "work on fewer than \(StoreSurvey.rowsThatMatter.counted) rows takes no time that anyone "
            + "would notice"
        let othersRemain = candidates.indices.contains { place in
            !small.contains(place)
                || candidates[place].workload.questions.contains(where: \.isExact)
        }
        guard othersRemain else {
            leftOut.append("There is nothing to count, so times are compared, but \(few).")
            return
        }
        let untimed = small.map { candidates[$0].workload.name }
        for place in small {
            candidates[place].workload.questions.removeAll { !$0.isExact }
            candidates[place].workload.advice = []
        }
        candidates.removeAll { $0.workload.questions.isEmpty }
        leftOut.append(
            "Not timed, because \(few): \(untimed.listed). To time one, name it with --workload.")
    }

    /// Takes the workloads whose rounds are likely to fit, the cheapest first, and one in any case.
    /// The others keep their questions about counts.
    private mutating func choose(within seconds: Double) {
        var left = candidates.reduce(seconds) { $0 - $1.countingSeconds }
        let byPrice = candidates.indices.sorted {
            (candidates[$0].seconds, $0) < (candidates[$1].seconds, $1)
        }
        let cheapest = byPrice.first { candidates[$0].seconds > 0 }
        let chosen = byPrice.filter { place in
            let price = candidates[place].seconds
            guard price <= left || price == 0 || place == cheapest else { return false }
            left -= price
            return true
        }
        var (counted, missing): ([Candidate], [Candidate]) = ([], [])
        for (place, candidate) in candidates.enumerated() {
            var workload = candidate.workload
            let timed = workload.questions.filter { !$0.isExact }
            if chosen.contains(place) {
                if let note = candidate.note, !timed.isEmpty { leftOut.append(note) }
            } else {
                questionsLeftOut += timed.map(workload.names)
                workload.questions.removeAll { !$0.isExact }
                workload.advice = []
                if workload.questions.isEmpty {
                    missing.append(candidate)
                } else {
                    counted.append(candidate)
                }
            }
            if !workload.questions.isEmpty { workloads.append(workload) }
        }
        leftOut += Self.told("Counted, but not timed for lack of time", counted)
        leftOut += Self.told("Left out for lack of time", missing)
        if chosen.count < candidates.count {
            let all = candidates.reduce(0) { $0 + $1.seconds + $1.countingSeconds }
            leftOut.append(
                "All of it takes about \(MetricUnit.inWords(seconds: all)), so give that to --budget, or "
                    + "name what you want with --workload.")
        }
    }

    /// One sentence that names all of them with what they take; none if there are none.
    private static func told(_ start: String, _ candidates: [Candidate]) -> [String] {
        let names = candidates.map { candidate in
            let title = candidate.workload.title
            let time = MetricUnit.inWords(seconds: candidate.seconds)
            return "\(title.prefix(1).lowercased())\(title.dropFirst()) "
                + "(\(candidate.workload.name), about \(time) for \(Int(roundCount)) rounds of "
                + "\(candidate.timedCellCount) cells)"
        }
        return names.isEmpty ? [] : ["\(start): \(names.joined(separator: "; "))."]
    }

    /// The rows to take of each entity, so that there are no more than `total`.
    static func limit(of counts: [Int], total: Int) -> Int {
        var left = total
        for (place, count) in counts.sorted().enumerated() {
            let share = left / (counts.count - place)
            if count > share { return max(share, 1) }
            left -= count
        }
        return max(counts.max() ?? 1, 1)
    }

    // MARK: Stacks

    private mutating func planImport() {
        let missing = survey.filesMissing.keys.filter(model.isMandatory).map(names.path)
        if let path = missing.min() {
            omit(
                "import", "Importing is not measured: \(path) is mandatory, and files are missing."
            )
            return
        }
        let limit = Self.limit(of: survey.entities.map(\.rowCount), total: Self.importRowsMax)
        let count = survey.entities.map { min($0.rowCount, limit) }.reduce(0, +)
        var workload = Workload(
            "import", of: .storeImport,
            title: "Import \(count.counted) of its rows with their links, 1,000 a save",
            subjects: Self.stacks, parameters: ["rows": ["\(limit)"], "saveSize": ["1000"]])
        if count >= Self.watchedRowsMin {
            workload.ask(
                "main-queue", "Which stack keeps the main queue free while it imports your data?",
                along: "subject", sameWithin: 0.5, sameBelow: 2e6,
                column: "main queue p95 while importing")
        } else {
            omit(
                "import",
                "The main queue's p95 during an import was not compared: that takes "
                    + "\(Self.watchedRowsMin.counted) rows.")
        }
        workload.ask(
            "rows", "Which stack imports your data fastest?", along: "subject",
            metric: .rowsPerSecond, sameWithin: 0.2, column: "import rows/s")
        workload.advice = [
            AdviceRule(
                if: count >= Self.watchedRowsMin
                    ? "you import while people use the app" : "you only import",
                questions: workload.questions.map(\.id).map { "import.\($0)" })
        ]
        add(workload, rowSeconds: Double(count) * 40e-6)
    }

    private mutating func planReaders() {
        guard let attribute = changeable else { return }
        var workload = Workload(
            "readers", of: .storeReaders,
            title: "Read random rows of \(names.entity(attribute.entity)) beside a writer",
            subjects: Self.stacks,
            parameters: [
                "attribute": [names.path(attribute)],
                "rows": ["\(min(Self.writeRowsMax, survey.rowCount))"],
            ])
        workload.ask(
            "reads", "Which stack serves the most reads beside a writer?", along: "subject",
            sameWithin: 0.3, column: "reads/s beside a writer")
        workload.advice = [
            AdviceRule(if: "you read a lot beside a writer", questions: ["readers.reads"])
        ]
        add(workload, rowSeconds: StoreReadersWorkload.seconds)
    }

    private mutating func planReading() {
        let limit = Self.limit(of: survey.entities.map(\.rowCount), total: Self.readRowsMax)
        var workload = Workload(
            "read-store", of: .storeRead, title: "Read every value of the store",
            subjects: Self.stacks,
            parameters: [
                "entity": [StoreReadWorkload.everything], "form": ["objects"], "rows": ["\(limit)"],
            ])
        workload.ask(
            "time", "Which stack reads all of your data fastest?", along: "subject",
            sameWithin: 0.3, column: "all data read")
        workload.advice = [
            AdviceRule(if: "you read most of the store at once", questions: ["read-store.time"])
        ]
        add(workload, rowSeconds: Double(min(survey.rowCount, Self.readRowsMax)) * 3e-6)
    }

    // MARK: Techniques of reading

    /// A batch that has all rows is as none.
    private mutating func planList() {
        guard let entity = survey.entities.first else { return }
        let rows = min(Self.readRowsMax / 2, entity.rowCount)
        let sizes = [20, 50, 200].filter { $0 < rows }
        guard !sizes.isEmpty else { return }
        let (name, first) = (names.entity(entity.name), "\(StoreListWorkload.shownRowCount)")
        let all = StoreListWorkload.everything
        var workload = Workload(
            "list", of: .storeList,
            title: "Show a list of \(rows.counted) rows of \(name): the first \(first), and all",
            subjects: Self.usual,
            parameters: [
                "entity": [name], "rows": ["\(rows)"], "shown": [first, all],
                "fetchBatchSize": [StoreListWorkload.unbatched] + sizes.map(String.init),
            ])
        workload.ask(
            "time", "Which fetchBatchSize shows the first \(first) of all \(name) objects soonest?",
            along: "fetchBatchSize", sameWithin: 0.2, sameBelow: 1e-3, among: ["shown": [first]])
        workload.ask(
            "scrolling", "Which fetchBatchSize scrolls through all of them fastest?",
            along: "fetchBatchSize", sameWithin: 0.2, sameBelow: 1e-3, among: ["shown": [all]])
        workload.ask(
            "statements", "What does each fetchBatchSize cost who scrolls through all of them?",
            along: "fetchBatchSize", against: StoreListWorkload.unbatched, metric: .statements,
            sameWithin: 0.2, among: ["shown": [all]])
        workload.advice = [
            AdviceRule(if: "you show the first rows of a long list", questions: ["list.time"]),
            AdviceRule(if: "users scroll through all of it", questions: ["list.scrolling"]),
        ]
        add(workload, rowCount: rows, rowSeconds: Double(rows) * 3e-6)
    }

    private mutating func planWalking() {
        guard !survey.relationships.isEmpty else { return }
        let (countedMax, timedMax) = (20, 3)
        let bySavings = survey.relationships.sorted {
            ($1.statementsSaved, $1.linkCount) < ($0.statementsSaved, $0.linkCount)
        }.prefix(countedMax)
        let shown = bySavings.map { names.path($0.path) }
        var workload = Workload(
            "relationships", of: .storeWalk,
            title: "Follow each relationship, with and without prefetching",
            subjects: Self.usual,
            parameters: [
                "relationship": shown, "prefetching": ["no", "yes"],
                "rows": ["\(min(Self.readRowsMax / 2, survey.rowCount))"],
            ])
        for (id, metric, most) in [
            ("statements", Metric.statements, shown.count), ("time", .time, timedMax),
        ] {
            workload.ask(
                id, "Does prefetching pay?", along: "prefetching", against: "no", metric: metric,
                sameWithin: 0.1, among: ["relationship": Array(shown.prefix(most))], isListed: true
            ) { $0["relationship", default: ""].replacing(".", with: " → ") }
        }
        let links =
            bySavings.prefix(timedMax).map { min($0.linkCount, Self.readRowsMax) }.max() ?? 0
        if shown.count < survey.relationships.count {
            omit(
                "relationships",
                "Prefetching is counted for the \(countedMax) relationships where it can save the most "
                    + "statements.")
        }
        add(
            workload, rowSeconds: Double(links) * 8e-6,
            note: shown.count > timedMax
                ? "Prefetching is timed for the \(timedMax) relationships where it can save the most "
                    + "statements."
                : nil)
    }

    private mutating func planForms() {
        // The second one only if its times matter.
        let entities = survey.entities.prefix(2).filter {
            $0.rowCount >= min(StoreSurvey.rowsThatMatter, survey.entities[0].rowCount)
        }
        var workload = Workload(
            "read-forms", of: .storeRead, title: "Read every value of an entity, in each form",
            subjects: Self.usual,
            parameters: [
                "entity": entities.map { names.entity($0.name) },
                "form": StoreReadWorkload.Form.allCases.map(\.rawValue),
                "rows": ["\(min(Self.readRowsMax / 2, survey.rowCount))"],
            ])
        workload.ask(
            "time", "In which form to read all rows?", along: "form", against: "objects",
            sameWithin: 0.1
        ) { $0["entity", default: ""] }
        let rows = min(entities.first?.rowCount ?? 0, Self.readRowsMax / 2)
        let others = survey.entities.dropFirst(entities.count).map { names.entity($0.name) }
        add(
            workload, rowCount: rows, rowSeconds: Double(rows) * 4e-6,
            note: others.isEmpty
                ? nil
                : "Forms of reading are timed with "
                    + "\(entities.map { names.entity($0.name) }.listed) only, and not with "
                    + others.joined(separator: ", ") + ".")
    }

    private mutating func planFinding() {
        let indexed = survey.entities.flatMap { entity in
            entity.attributes.filter { $0.isIndexed && $0.valueCount > 0 }.map(\.path)
        }.prefix(6)
        guard !indexed.isEmpty else {
            omit(
                "find",
                "No index of the store begins with an attribute that has values, so finding and "
                    + "sorting by an index are not measured.")
            return
        }
        for (work, baseline, sentence) in [
            (
                "find", StoreFindWorkload.identifier,
                "Is finding by an indexed attribute as fast as by identifier?"
            ),
            ("sort", StoreFindWorkload.unsorted, "What does sorting a page by an index cost?"),
        ] {
            var workload = Workload(
                work, of: .storeFind,
                title: work == "find"
                    ? "Find rows by each indexed attribute" : "Fetch a page sorted by each index",
                subjects: Self.usual,
                parameters: [
                    "work": [work],
                    "entity": indexed.map { names.entity($0.entity) }.uniqued,
                    "by": [baseline] + indexed.map(names.path),
                ])
            // Each attribute goes with its own entity only.
            workload.exclusions = workload.allCells.filter { cell in
                let by = cell.parameters["by"] ?? ""
                return by != baseline && !by.hasPrefix("\(cell.parameters["entity"] ?? "").")
            }.map { CellFilter(parameters: $0.parameters) }
            workload.ask(
                "time", sentence, along: "by", against: baseline, sameWithin: 0.2, sameBelow: 1e-3
            ) { $0["entity", default: ""] }
            add(workload, rowSeconds: 0.05)
        }
    }

    // MARK: Techniques of writing
}
