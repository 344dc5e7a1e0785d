import Measuring
import ObjectGraph
import Reports

/// Fetches all flights in one form, in the order of their distance, then reads a share of them.
enum FaultingWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let touch: FlightsFetch.Touch = context.choice("touch")
        let fetch = FlightsFetch(context.choice("mode"), touch, depth: context.integer("depth"))
        let subject = try context.openStack(isWritten: false)
        var result = FlightsFetch.Result()
        var sample = try context.measure(subject, rowCount: context.facts.flightCount) {
            result = try fetch.run(on: subject.stack)
        }
        sample[.liveMemory] = Double(try fetch.liveBytes(afterRunOn: subject.stack))
        try subject.close()
        sample.metrics["fetchTime"] = result.fetchSeconds
        sample.metrics["touchTime"] = result.touchSeconds
        sample.counters["touchStatements"] = result.touchStatements

        let store = try StoreReader(context.storeURL)
        let expected = try store.integers(
            """
            SELECT COUNT(*), SUM(distance) FROM (
                SELECT ZDISTANCE AS distance, row_number() OVER (ORDER BY ZDISTANCE) - 1 AS position
                FROM ZFLIGHT)
            WHERE \(touch.sqlCondition)
            """)
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("flights", result.rowCount, equals: context.facts.flightCount)
        verifier.check("flights touched", result.touched.rowCount, equals: expected[0])
        verifier.check("distance in miles", result.touched.distanceMiles, equals: expected[1])
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension WorkloadKind {
    static let faulting = WorkloadKind(
        name: "faulting", summary: "fetch flights in one form, then touch a share of them",
        subjects: [.stack], data: .storedFlights,
        parameters: [
            WorkloadParameter(
                name: "mode", values: .cases(of: FlightsFetch.Form.self),
                defaultValue: "default", summary: "the form in which the flights are fetched"),
            WorkloadParameter(
                name: "touch", values: .cases(of: FlightsFetch.Touch.self),
                defaultValue: "0",
                summary: "percent of the objects whose properties are then read, or the first"
                    + " \(FlightsFetch.pageRowCount)"),
            WorkloadParameter(
                name: "depth", values: .integer(0...10), defaultValue: "0",
                summary: "contexts below the view, of which the lowest fetches; 0 for the view"),
        ],
        extraMetrics: [
            Metric("fetchTime", title: "fetch time", unit: .seconds),
            Metric("touchTime", title: "touch time", unit: .seconds),
            Metric(
                "touchStatements", title: "touch statements", unit: .count, polarity: .neither),
        ],
        run: FaultingWorkload.run)
}
