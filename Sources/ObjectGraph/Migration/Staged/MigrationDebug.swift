import Foundation

// The lines of `MigrationDebug` (spec §12.8).

extension MigratedStore {
    /// Logs which of the models that the program gives has the store's version hashes.
    func noteSearch(_ metadata: MetadataList) {
        guard debug.migrationLevel > 0 else { return }
        let hashes = metadata.ownVersionHashes
        let models = description.migration.knownModels
        debug.noteMigration(
            "searching the model that the store was written with: among \(models.count) of the program's earlier ones, then in the store"
        )
        guard let hashes else {
            debug.noteMigration("the hashes are Core Data's, so only the store's own model counts")
            return
        }
        for (number, model) in models.enumerated() {
            let differing = [ModelDifference](from: hashes, to: model).filter { $0.kind != .added }
            let names = differing.map(\.entity).joined(separator: ", ")
            debug.noteMigration(
                "earlier model \(number + 1) \(differing.isEmpty ? "has the store's hashes" : "has other hashes for \(names)")"
            )
        }
    }

    func noteFound(_ source: ManagedObjectModel) {
        let isGiven = (description.migration.knownModels + [model]).contains { $0 === source }
        debug.noteMigration(
            "the store was written with \(isGiven ? "one of the program's models" : "the model that it carries"), of \(source.entities.count) entities"
        )
    }
}

extension DebugOptions {
    /// Logs what is done next.
    func note(_ task: MigrationTask) {
        guard migrationLevel > 0 else { return }
        switch task {
        case .code(let code): noteMigration("next: code of the program, \(code.place)")
        case .step(let step):
            if let mapping = step.mapping {
                noteMigration("next: a mapping model of the program, into a new file")
                note(mapping)
            } else if let mapping = try? MappingModel.inferred(
                from: step.source, to: step.destination)
            {
                noteMigration("next: an inferred mapping, in the store's own file")
                note(mapping)
            }
        }
    }

    /// Logs what becomes of each entity.
    private func note(_ mapping: MappingModel) {
        for entity in mapping.entityMappings {
            let names = [entity.source, entity.destination].compactMap(\.self)
            let title = Set(names).count == 1 ? names[0] : names.joined(separator: " → ")
            let properties = entity.propertyMappings.compactMap { property -> String? in
                guard let source = property.source else {
                    return entity.kind == .add ? nil : "\(property.name) is new"
                }
                return source == property.name ? nil : "\(property.name) was \(source)"
            }
            let removed = entity.removedProperties.map { "\($0) is removed" }
            noteMigration(
                (["\(entity.kind) \(title)"] + properties + removed).joined(separator: "; "))
        }
    }
}
