import Foundation
import Measuring
import ObjectGraph
import RunRecords

/// The run's copy of the user's store, with what was found in it and what is to be measured.
struct SurveyedStore {
    let copy: OwnStore
    /// For the workers, which check their answers with them.
    let facts: [String: Int64]
    let workloads: [Workload]
    let dataset: DatasetDescription
    /// What is biggest, and what is not measured.
    let findings: [String]
    /// The names of each question that the budget does not allow.
    let questionsLeftOut: [[String]]

    /// Copies the store into a folder, surveys the copy and plans the run.
    ///
    /// - Parameter seconds: the time for measurements.
    /// - Parameter asked: what the command line asks for.
    /// - Throws: ``BenchFailure`` if there is nothing to measure or the copy cannot be opened.
    init(
        _ own: OwnStore, copiedInto folder: URL, seconds: Double, asked: StorePlan.Asked
    ) throws {
        copy = try own.copied(into: folder)
        let model = try copy.loadModel()
        let names = ShownNames(model, isRedacted: own.isRedacted)
        let survey = try StoreSurvey(
            StoreReader(copy.url), model, names, externalFiles: copy.url.externalFiles)
        guard survey.rowCount > 0 else {
            throw own.failure("the store has no rows of the model's entities; name one with data")
        }
        try Self.checkOpening(copy, model, of: own)
        let plan = StorePlan(survey, model, names, seconds: seconds, asked: asked)
        facts = survey.facts(model)
        workloads = plan.workloads
        findings = survey.findings(names) + plan.leftOut
        questionsLeftOut = plan.questionsLeftOut
        dataset = DatasetDescription(
            name: own.isRedacted ? "the store" : own.url.lastPathComponent, origin: .real,
            rowCounts: Dictionary(
                uniqueKeysWithValues: survey.entities.map { (names.entity($0.name), $0.rowCount) }),
            identity: MetricUnit.bytes.format(Double(survey.byteCount)))
    }

    /// Removes the copy.
    func remove() {
        try? FileManager.default.removeItem(at: copy.url.deletingLastPathComponent())
    }

    /// Opens the copy once, so that a model that does not fit is reported before the run.
    private static func checkOpening(
        _ copy: OwnStore, _ model: ManagedObjectModel, of own: OwnStore
    ) throws {
        let coordinator = PersistentStoreCoordinator(model: model)
        do {
            var description = PersistentStoreDescription.sqlite(at: copy.url)
            description.migration.isAutomatic = false
            let store = try coordinator.addPersistentStore(description)
            try coordinator.removePersistentStore(store)
        } catch var error as StoreError {
            switch error.reason {
            case .unknownModel:
                throw own.failure(
                    "the store does not carry its model, so nothing says whether the one of --model "
                        + "made it; open it once with the app on a current system, which adds it, and "
                        + "name that copy")
            case .incompatibleModel(let entities) where own.modelURL != nil:
                let ownModel = try? PersistentStoreCoordinator.model(ofStoreAt: copy.url)
                throw own.failure(
                    "the model of --model is not the one that wrote the store; these entities differ: "
                        + "\(entities.joined(separator: ", ")). "
                        + (ownModel == nil
                            ? "Name the version of the model that wrote it"
                            : "Leave out --model: the store holds its own"))
            default: error.url = own.url
            }
            throw BenchFailure(exitCode: .usage, message: "\(error)")
        }
    }
}
