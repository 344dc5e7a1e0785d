import Datasets

/// Inserts all tables with resolved relationships into an empty store.
enum ImportWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let dataset = try context.loadDataset()
        let saveSize = context.integer("saveSize")

        let subject = try context.openSubject(isWritten: true)
        let sample = try context.measure(subject, rowCount: dataset.facts.rowCount) {
            try subject.importDataset(dataset, saveSize: saveSize)
        }

        let store = try context.readBack(subject)
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        try verifier.checkImport(of: dataset, into: store)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension DatasetFacts {
    /// The number of rows in all tables.
    var rowCount: Int { airlineCount + airportCount + planeCount + weatherCount + flightCount }
}

extension Verifier {
    /// Checks the row count of each table, the sum of each column, and that each reference leads to
    /// the row with its code.
    mutating func checkImport(of dataset: FlightsDataset, into store: StoreReader) throws {
        let facts = dataset.facts
        for (table, count) in [
            ("ZAIRLINE", facts.airlineCount), ("ZAIRPORT", facts.airportCount),
            ("ZPLANE", facts.planeCount), ("ZWEATHER", facts.weatherCount),
            ("ZFLIGHT", facts.flightCount),
        ] {
            let found = try store.integer("SELECT COUNT(*) FROM \(table)")
            check("\(table) rows", found, equals: count)
        }
        check(
            "distance in miles", try store.integer("SELECT SUM(ZDISTANCE) FROM ZFLIGHT"),
            equals: facts.distanceMilesTotal)
        try check(dataset.airlines, in: "ZAIRLINE", of: store)
        try check(dataset.airports, in: "ZAIRPORT", of: store)
        try check(dataset.planes, in: "ZPLANE", of: store)
        try check(dataset.weather, in: "ZWEATHER", of: store)
        try check(dataset.flights, in: "ZFLIGHT", of: store)
        // A key that leads to no row or to a wrong one counts as missing.
        for (name, table, column, codes, count) in [
            ("flights without airline", "ZAIRLINE", "ZAIRLINE", ("ZCARRIER", "ZCARRIER"), 0),
            ("flights without origin", "ZAIRPORT", "ZORIGIN", ("ZORIGINCODE", "ZCODE"), 0),
            (
                "flights without plane", "ZPLANE", "ZPLANE", ("ZTAILNUMBER", "ZTAILNUMBER"),
                facts.flightsWithoutPlane
            ),
            (
                "flights without destination", "ZAIRPORT", "ZDESTINATION",
                ("ZDESTINATIONCODE", "ZCODE"), facts.flightsWithoutDestination
            ),
        ] {
            let found = try store.integer(
                """
                SELECT COUNT(*) FROM ZFLIGHT AS f \
                WHERE NOT EXISTS (SELECT 1 FROM \(table) AS t \
                WHERE t.Z_PK = f.\(column) AND t.\(codes.1) = f.\(codes.0))
                """)
            check(name, found, equals: count)
        }
    }
}

extension WorkloadKind {
    static let importing = WorkloadKind(
        name: "import", summary: "insert every table with all relationships resolved",
        subjects: [.stack, .peer], parameters: [.saveSize, .indexes, .store, .context],
        run: ImportWorkload.run)
}
