import Foundation
import ObjectGraph

/// Migrates snapshots of older versions to the newest model, and compares the rows with what should
/// have become of them.
///
///     let folder = SnapshotFolder(URL(filePath: "Tests/Snapshots"))
///     try folder.export("1.4", of: try Song.makeModel())
///     let check = try MigrationCheck(to: try Song.makeModel(), expecting: expectations)
///     #expect(try check.findings(in: folder) == [])
///
/// Rows are recognised by their values, since a migration may give them other identifiers. So the
/// rows of an entity should differ, as those of the sample data do.
public struct MigrationCheck: Sendable {
    private let model: ManagedObjectModel
    private let store: PersistentStoreDescription
    private let expectations: [MigrationExpectation]

    /// - Parameters:
    ///   - model: The newest model.
    ///   - store: How the program opens its store: its `migration` has the mappings, stages and
    ///     earlier models, if there are any. The URL is not used.
    ///   - expectations: What does not follow from the models.
    /// - Throws: `MigrationKitError` with `unknownEntity` or `unknownProperty` if an expectation
    ///   names what the newest model does not have, with `computedComposite` if one computes a
    ///   composite attribute as a whole.
    public init(
        to model: ManagedObjectModel,
        opening store: PersistentStoreDescription = PersistentStoreDescription(type: .sqlite),
        expecting expectations: [MigrationExpectation] = []
    ) throws(MigrationKitError) {
        for expectation in expectations where expectation.subject != .removed {
            guard let entity = model.entitiesByName[expectation.entity] else {
                throw .unknownEntity(expectation.entity)
            }
            guard let property = expectation.property else { continue }
            guard entity.hasProperty(property) else {
                throw .unknownProperty(entity: entity.name, property: property)
            }
            if case .value(.computed) = expectation.subject,
                !entity.propertyPaths.contains(property)
            {
                throw .computedComposite(entity: entity.name, property: property)
            }
        }
        self.model = model
        self.store = store
        self.expectations = expectations.sorted { first, second in
            guard let version = first.version else { return false }
            return second.version.map { version.isVersion(before: $0) } ?? true
        }
    }

    /// The findings after the migration of each snapshot; empty if all is as expected.
    ///
    /// Works on copies. Loads all rows of a snapshot.
    /// - Throws: `MigrationKitError` with `unknownInSnapshots` if an expectation names what no
    ///   snapshot has for which it holds;
    ///   `StoreError`, `ModelFileError` if a snapshot cannot be read with its own model;
    ///   `PredicateFormatError`, `FetchError` if the format of an expectation is wrong; the error of
    ///   Foundation if the folder cannot be read.
    public func findings(in folder: SnapshotFolder) throws -> [MigrationFinding] {
        try folder.versions().flatMap { try findings(of: $0, in: folder) }
    }

    /// The findings after the migration of one snapshot; see `findings(in:)`.
    ///
    /// - Throws: as `findings(in:)`.
    public func findings(
        of version: String, in folder: SnapshotFolder
    ) throws -> [MigrationFinding] {
        let workplace = try Workplace()
        let copy = workplace.url.appending(path: "\(version).sqlite", directoryHint: .notDirectory)
        try PersistentStoreCoordinator.replacePersistentStore(
            at: copy, with: folder.snapshot(of: version))
        let versions = try folder.versions()
        let known = try versions.map { ($0, try carriedModel(of: folder.snapshot(of: $0))) }
        try checkFormerNames(known)
        let models = known.filter { !$0.0.isVersion(before: version) }.map(\.1)
        let planning = Planning(
            model: model, snapshotModel: models[0],
            lineage: VersionLineage(models: [model] + models.reversed()),
            expectations: expectations.filter { $0.holds(for: version) })
        let plans = planning.plans()
        let snapshot = try snapshot(at: copy, models[0], for: plans)
        let lost = planning.lost(plans).map {
            MigrationFinding(
                version: version, entity: $0.entity, property: $0.property, problem: .lost)
        }
        return lost + (try compare(snapshot, version, copy, plans))
    }

    /// Checks the names of entities and properties in snapshots. A snapshot may lack some of them,
    /// which came later.
    private func checkFormerNames(
        _ snapshots: [(version: String, model: ManagedObjectModel)]
    ) throws(MigrationKitError) {
        for expectation in expectations {
            let models = snapshots.filter { expectation.holds(for: $0.version) }.map(\.model)
            guard !models.isEmpty else { continue }
            for (entity, property) in expectation.formerNames {
                let isKnown = models.contains { model in
                    model.entitiesByName.values.contains {
                        (entity == nil || $0.name == entity)
                            && (property.map($0.hasProperty) ?? true)
                    }
                }
                guard isKnown else {
                    throw .unknownInSnapshots(
                        [entity, property].compactMap(\.self).joined(separator: "."))
                }
            }
        }
    }

    private func carriedModel(of file: URL) throws -> ManagedObjectModel {
        let attributes = model.entitiesByName.values.flatMap(\.attributes)
        return try PersistentStoreCoordinator.model(
            ofStoreAt: file, transformers: attributes.compactMap(\.transformer))
    }

    private func snapshot(
        at file: URL, _ model: ManagedObjectModel, for plans: [EntityPlan]
    ) throws -> Snapshot {
        let coordinator = PersistentStoreCoordinator(model: model)
        var description = PersistentStoreDescription.sqlite(at: file)
        description.isReadOnly = true
        let store = try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let snapshot = try context.performAndWait { try Snapshot(context, model, for: plans) }
        try coordinator.removePersistentStore(store)
        return snapshot
    }

    /// Migrates the copy and compares its rows.
    private func compare(
        _ snapshot: Snapshot, _ version: String, _ copy: URL, _ plans: [EntityPlan]
    ) throws -> [MigrationFinding] {
        func finding(_ problem: MigrationFinding.Problem) -> MigrationFinding {
            MigrationFinding(version: version, entity: nil, property: nil, problem: problem)
        }
        let coordinator = PersistentStoreCoordinator(model: model)
        var description = store
        description.url = copy
        let handle: PersistentStoreHandle
        do {
            handle = try coordinator.addPersistentStore(description)
        } catch {
            return [finding(.refused("\(error)"))]
        }
        var findings: [MigrationFinding] = []
        let integrity = try coordinator.pragma("integrity_check", of: handle)
        if integrity != "ok" { findings.append(finding(.damaged(integrity))) }
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        findings += try context.performAndWait {
            let migrated = try MigratedRows(
                contents: StoreContents(context, model), snapshot: snapshot, plans: plans,
                model: model)
            return try migrated.findings(version) + migrated.unsatisfied(version, context)
        }
        try coordinator.removePersistentStore(handle)
        return findings
    }
}
