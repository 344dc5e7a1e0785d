import ArgumentParser
import Foundation
import RunRecords

/// The options that measure a store of the user's own.
struct OwnStoreOptions: ParsableArguments {
    @Option(
        name: .customLong("store"),
        help: ArgumentHelp(
            """
            Measure the data of your app: a SQLite store of Core Data's or the engine's. The run \
            works on copies; the file is only read.
            """, valueName: "file"),
        completion: .file(extensions: ["sqlite", "store", "db"]))
    var path: String?

    @Option(
        name: .customLong("model"),
        help: ArgumentHelp(
            "The model of --store: an .xcdatamodeld or .xcdatamodel.", valueName: "file"),
        completion: .file(extensions: ["xcdatamodeld", "xcdatamodel"]))
    var modelPath: String?

    @Flag(help: "Replace the names of entities and properties of --store in all reports.")
    var redact = false

    /// The store to measure; nil for workload files.
    var store: OwnStore? {
        path.map {
            OwnStore(
                url: URL(fileURLWithPath: $0),
                modelURL: modelPath.map { URL(fileURLWithPath: $0) }, isRedacted: redact)
        }
    }

    func validate() throws {
        guard path != nil || (modelPath == nil && !redact) else {
            throw ValidationError("--model and --redact need --store")
        }
    }

    /// - Throws: `ValidationError` for a store beside workload files or full sizes.
    func requireAlone(_ selected: SelectionOptions, _ lasting: LengthOptions) throws {
        guard path == nil || (selected.files.isEmpty && !lasting.full) else {
            throw ValidationError("--store takes no workload files and no --full; leave them out")
        }
    }

    /// Copies the store into the run's folder and plans the run; nil without a store.
    ///
    /// - Throws: ``BenchFailure`` if it cannot be measured. Nothing of the copy remains then.
    func survey(
        into directory: RunDirectory, _ length: RunLength, _ selected: SelectionOptions
    ) throws -> SurveyedStore? {
        guard let store else { return nil }
        let folder = directory.url.appendingPathComponent("store")
        try? FileManager.default.removeItem(at: folder)
        do {
            return try SurveyedStore(
                store, copiedInto: folder, seconds: length.seconds ?? .infinity,
                asked: StorePlan.Asked(
                    workloads: selected.workload, questions: selected.questions))
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    /// A command line without any path, if names are redacted.
    func redacted(_ arguments: [String]) -> [String] {
        guard redact else { return arguments }
        return arguments.map { argument in
            let equals = argument.hasPrefix("--") ? argument.firstIndex(of: "=") : nil
            let text = equals.map { String(argument[argument.index(after: $0)...]) } ?? argument
            let isPath = text.contains("/") || text == path || text == modelPath
            return isPath ? String(argument.dropLast(text.count)) + "…" : argument
        }
    }
}
