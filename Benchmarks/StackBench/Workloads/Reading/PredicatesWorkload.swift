import Datasets
import Reports
import RunRecords

/// Counts and sums the flights that match a predicate, in the store or among unsaved objects.
enum PredicatesWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let alphabet: Alphabet = context.choice("alphabet")
        guard
            let question = PredicateQuestion.identified(by: context.text("question"))?
                .spelled(in: alphabet)
        else {
            preconditionFailure("The kind's table allows only questions that exist.")
        }
        let isSaved = context.text("place") == "sql"
        let subject = try context.openSubject(isWritten: false) {
            guard isSaved, alphabet != .ascii else { return }
            let store = try context.openCoordinator(
                FlightsModel.make(context.configuration.indexes))
            try alphabet.rewrite(store)
            try store.removePersistentStores()
        }
        let (sample, checksum) =
            isSaved
            ? try ask(question, of: subject, context)
            : try askUnsaved(
                question, alphabet.spelling(context.loadDataset().flights), of: subject, context)
        try subject.close()

        let store = try StoreReader(context.storeURL)
        let expected = try store.integers(
            "SELECT COUNT(*), SUM(ZDISTANCE) FROM ZFLIGHT WHERE \(question.sqlCondition)")
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("matching flights", checksum.rowCount, equals: expected[0])
        verifier.checkAny("matching flights", expected[0])
        verifier.check("distance in miles", checksum.distanceMiles, equals: expected[1])
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    private static func ask(
        _ question: PredicateQuestion, of subject: any FlightsSubject, _ context: WorkerContext
    ) throws -> (Sample, FlightsChecksum) {
        var checksum = FlightsChecksum(rowCount: 0, distanceMiles: 0)
        let sample = try context.measure(
            subject, rowCount: context.facts.flightCount, repeats: true
        ) {
            checksum = try subject.findFlights(question)
        }
        return (sample, checksum)
    }

    /// Asks, then saves the objects, so that plain SQL can check the answer.
    private static func askUnsaved(
        _ question: PredicateQuestion, _ flights: [FlightRow], of subject: any FlightsSubject,
        _ context: WorkerContext
    ) throws -> (Sample, FlightsChecksum) {
        guard let subject = subject as? any UnsavedFlightsSubject else {
            throw UnsupportedPlace(subject: context.job.subject)
        }
        try subject.insertUnsavedFlights(flights)
        var checksum = FlightsChecksum(rowCount: 0, distanceMiles: 0)
        let sample = try context.measure(
            subject, rowCount: context.facts.flightCount, repeats: true
        ) {
            checksum = try subject.findUnsavedFlights(question)
        }
        try subject.saveUnsavedFlights()
        return (sample, checksum)
    }
}

/// A subject without unsaved objects was asked about them.
struct UnsupportedPlace: Error, CustomStringConvertible {
    var subject: String

    var description: String { "\(subject) cannot answer questions about unsaved objects" }
}

extension WorkloadKind {
    static let predicates = WorkloadKind(
        name: "predicates", summary: "count and sum the flights that match a predicate",
        subjects: [.stack, .peer], data: .storedFlights,
        parameters: [
            WorkloadParameter(
                name: "question", values: .choice(PredicateQuestion.all.map(\.id)),
                defaultValue: PredicateQuestion.all[0].id, summary: "which predicate"),
            .indexes,
            WorkloadParameter(
                name: "alphabet", values: .cases(of: Alphabet.self),
                defaultValue: "ascii",
                summary: "of the tail numbers; accented ones are beyond ASCII"),
            WorkloadParameter(
                name: "place", values: .choice(["sql", "memory"]), defaultValue: "sql",
                summary: "asked of the store, or of objects that are not saved yet",
                stackOnlyValues: ["memory"]),
        ],
        run: PredicatesWorkload.run)
}
