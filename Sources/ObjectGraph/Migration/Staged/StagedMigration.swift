import Foundation

/// Finds the next task of a store that is migrated in stages (spec §9.5).
///
/// The stages are read as a line of versions, which ends with the program's. A custom stage is the
/// only way between its two versions; between others the store takes inferred steps.
struct StagedMigration {
    private struct Version {
        let checksum: String
        let model: ManagedObjectModel
    }

    private let versions: [Version]

    /// The custom stages by the positions of their first versions.
    private let customStages: [Int: CustomMigrationStage]
    private let configuration: String?

    /// - Throws: `MigrationError` with `stagesGoBackward`; `modelNotFound` for a version without a
    ///   model.
    init(
        _ manager: StagedMigrationManager, to model: ManagedObjectModel,
        for description: PersistentStoreDescription
    ) throws(MigrationError) {
        configuration = description.configuration
        let known = description.migration.knownModels + [model]
        var versions: [Version] = []
        func add(_ checksum: String) throws(MigrationError) {
            let found = known.first { $0.hasVersionChecksum(checksum) }
            let checksum = found?.versionChecksum ?? checksum
            guard versions.last?.checksum != checksum else { return }
            guard !versions.contains(where: { $0.checksum == checksum }) else {
                throw MigrationError(.stagesGoBackward(versionChecksum: checksum))
            }
            guard let model = found else {
                throw MigrationError(.modelNotFound(versionChecksum: checksum))
            }
            versions.append(Version(checksum: checksum, model: model))
        }
        var customStages: [Int: CustomMigrationStage] = [:]
        for stage in manager.stages {
            guard let stage = stage as? CustomMigrationStage else {
                for checksum in stage.versionChecksums { try add(checksum) }
                continue
            }
            try add(stage.source.versionChecksum)
            customStages[versions.count - 1] = stage
            guard stage.source.versionChecksum != stage.destination.versionChecksum else {
                throw MigrationError(
                    .stagesGoBackward(versionChecksum: stage.source.versionChecksum))
            }
            try add(stage.destination.versionChecksum)
        }
        try add(model.versionChecksum)
        self.versions = versions
        self.customStages = customStages
    }

    /// - Parameters:
    ///   - source: The model of the store.
    ///   - record: The store's note of a custom stage that has begun.
    /// - Returns: The task and how many are left with it, about; nil if all stages are over.
    /// - Throws: `MigrationError` with `newerThanStages` if no stage names the store's model;
    ///   `notInferable` if a step cannot be inferred.
    func nextTask(
        from source: ManagedObjectModel, _ record: StageRecord?
    ) throws(MigrationError) -> (task: MigrationTask, remainingCount: Int)? {
        let checksum = source.versionChecksum
        guard let position = versions.firstIndex(where: { $0.checksum == checksum }) else {
            throw MigrationError(.newerThanStages(versionChecksum: checksum))
        }
        let remainingCount = versions.count - position
        if let stage = customStages[position - 1], record == StageRecord(stage, isMigrated: true),
            let code = stage.didMigrate
        {
            return (.code(after(stage, code)), remainingCount)
        }
        guard position < versions.count - 1 else { return nil }
        guard let stage = customStages[position] else {
            let end = customStages.keys.filter { $0 > position }.min() ?? versions.count - 1
            let route = try MigrationRoute(
                from: source, to: versions[end].model,
                over: versions[position..<end].map(\.model), mappings: [],
                configuration: configuration)
            return (.step(route.steps[0]), remainingCount)
        }
        _ = try ModelCorrespondence(from: source, to: stage.destination.model)
        if let code = stage.willMigrate, record != StageRecord(stage, isMigrated: false) {
            return (.code(before(stage, code)), remainingCount)
        }
        let step = MigrationStep(
            source: source, destination: stage.destination.model,
            stage: stage.didMigrate == nil ? nil : StageRecord(stage, isMigrated: true))
        return (.step(step), remainingCount)
    }

    private func before(
        _ stage: CustomMigrationStage, _ code: @escaping CustomMigrationStage.Handler
    ) -> MigrationCode {
        let record = StageRecord(stage, isMigrated: false)
        return MigrationCode(
            place: .willMigrate(versionChecksum: stage.destination.versionChecksum),
            model: stage.source.model, body: code, isDone: { $0.stage == record },
            note: { $0.stage = record })
    }

    private func after(
        _ stage: CustomMigrationStage, _ code: @escaping CustomMigrationStage.Handler
    ) -> MigrationCode {
        MigrationCode(
            place: .didMigrate(versionChecksum: stage.destination.versionChecksum),
            model: stage.destination.model, body: code, isDone: { $0.stage == nil },
            note: { $0.stage = nil })
    }
}

extension StageRecord {
    fileprivate init(_ stage: CustomMigrationStage, isMigrated: Bool) {
        self.init(
            source: stage.source.versionChecksum, destination: stage.destination.versionChecksum,
            isMigrated: isMigrated)
    }
}
