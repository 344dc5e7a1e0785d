import Measuring
import ObjectGraph
import Stacks

/// Computes for each airline the number of flights and their least, greatest and total distance:
/// with objects, with values or in SQL.
enum AggregatesWorkload {
    /// What computes the figures.
    enum Way: String, CaseIterable {
        case objects, dictionaries, sql
    }

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let way: Way = context.choice("way")
        let subject = try context.openStack(isWritten: false)
        var totals: [String: DistanceTotals] = [:]
        var sample = try context.measure(
            subject, rowCount: context.facts.flightCount, repeats: true
        ) {
            totals = try way.totals(of: subject.stack)
        }
        sample.counters["airlines"] = Int64(totals.count)
        try subject.close()

        let store = try StoreReader(context.storeURL)
        let expected = try store.integers(
            """
            SELECT COUNT(*), SUM(n), SUM(least), SUM(greatest), SUM(total) FROM (
                SELECT COUNT(*) AS n, MIN(ZDISTANCE) AS least, MAX(ZDISTANCE) AS greatest,
                    SUM(ZDISTANCE) AS total FROM ZFLIGHT GROUP BY ZCARRIER)
            """)
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("airlines", totals.count, equals: expected[0])
        verifier.check("flights", totals.values.sum(\.count), equals: expected[1])
        verifier.check("least distances", totals.values.sum(\.least), equals: expected[2])
        verifier.check("greatest distances", totals.values.sum(\.greatest), equals: expected[3])
        verifier.check("distances", totals.values.sum(\.sum), equals: expected[4])
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

/// The distances of one airline's flights, in miles.
private struct DistanceTotals: Sendable {
    var count = 0
    var least = Int.max
    var greatest = 0
    var sum = 0

    mutating func add(_ distance: Int) {
        count += 1
        least = min(least, distance)
        greatest = max(greatest, distance)
        sum += distance
    }
}

extension AggregatesWorkload.Way {
    /// The totals by airline code.
    fileprivate func totals(of stack: any PersistenceStack) throws -> [String: DistanceTotals] {
        let view = try stack.viewContext
        return try view.performAndWait {
            var totals: [String: DistanceTotals] = [:]
            var request = FetchRequest(entityName: "Flight")
            switch self {
            case .objects:
                request.returnsObjectsAsFaults = false
                for flight in try view.fetch(request, as: Flight.self) {
                    totals[flight[Flight.carrier], default: DistanceTotals()].add(flight.distance)
                }
            case .dictionaries:
                request.propertiesToFetch = ["carrier", "distance"]
                for row in try view.fetchDictionaries(request) {
                    totals[row["carrier"]?.string ?? "", default: DistanceTotals()]
                        .add(Int(row["distance"]?.integer ?? 0))
                }
            case .sql:
                request.propertiesToFetch = ["carrier"] + Self.aggregates
                request.propertiesToGroupBy = ["carrier"]
                for row in try view.fetchDictionaries(request) {
                    func integer(_ key: String) -> Int { Int(row[key]?.integer ?? 0) }
                    totals[row["carrier"]?.string ?? ""] = DistanceTotals(
                        count: integer("count"), least: integer("least"),
                        greatest: integer("greatest"), sum: integer("sum"))
                }
            }
            return totals
        }
    }

    private static let aggregates = [
        ("count", "count:"), ("least", "min:"), ("greatest", "max:"), ("sum", "sum:"),
    ].map { name, function in
        FetchedProperty(name: name, expression: .function(function, [.keyPath("distance")]))
    }
}

extension Collection {
    fileprivate func sum(_ value: (Element) -> Int) -> Int { reduce(0) { $0 + value($1) } }
}

extension WorkloadKind {
    static let aggregates = WorkloadKind(
        name: "aggregates", summary: "aggregate the distances of each airline's flights",
        subjects: [.stack], data: .storedFlights,
        parameters: [
            WorkloadParameter(
                name: "way", values: .cases(of: AggregatesWorkload.Way.self),
                defaultValue: "sql", summary: "what adds up: a loop over objects or values, or SQL")
        ],
        run: AggregatesWorkload.run)
}
