import Foundation
import ObjectGraph

/// A store with objects of every entity of a model, all related to each other.
struct SampleStore: Sendable {
    let model: ManagedObjectModel
    let store: PersistentStoreDescription
    let objectCount: Int
    let seed: UInt64

    /// Makes the store at a place where there is no file.
    func make(
        at file: URL, _ adjust: @Sendable (ManagedObject, Int) throws -> Void
    ) throws {
        let coordinator = PersistentStoreCoordinator(model: model)
        var description = store
        description.url = file
        description.externalStorageThresholdBytes = SampleValue.largeByteCount - 1
        let store = try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            var samples: [SampleObject] = []
            for entity in model.entitiesByName.values.sorted(by: { $0.name < $1.name })
            where !entity.isAbstract {
                for number in 0..<objectCount {
                    samples.append(
                        SampleObject(
                            try context.insertObject(entityName: entity.name), number: number,
                            isBare: number == objectCount - 1 && objectCount > 1))
                }
            }
            for sample in samples { try sample.fill(seed) }
            try SampleRelations(model: model, samples: samples).make()
            for sample in samples { try adjust(sample.object, sample.number) }
            try save(context, samples)
        }
        try coordinator.removePersistentStore(store)
    }

    /// Saves. Values that break rules are replaced, as long as there are other candidates.
    private func save(_ context: ManagedObjectContext, _ samples: [SampleObject]) throws {
        var attempts: [SampleAttempt: Int] = [:]
        while true {
            do {
                return try context.save()
            } catch let error as SaveError {
                guard case .validation(let errors) = error else { throw error }
                try replace(errors, samples, &attempts, orThrow: error)
            }
        }
    }

    private func replace(
        _ errors: [ValidationError], _ samples: [SampleObject],
        _ attempts: inout [SampleAttempt: Int], orThrow failure: any Error
    ) throws {
        for error in errors {
            guard error.predicateFormat != nil, let key = error.key,
                let sample = samples.first(where: { $0.object.objectID == error.objectID })
            else { throw failure }
            let attempt = SampleAttempt(object: error.objectID, attribute: key)
            attempts[attempt, default: 0] += 1
            guard try sample.replaceValue(of: key, attempts[attempt]!, seed) else { throw failure }
        }
    }
}

/// A value that broke a rule.
private struct SampleAttempt: Hashable {
    let object: ManagedObjectID
    let attribute: String
}

/// An object of the sample data.
struct SampleObject {
    let object: ManagedObject

    /// Among the objects of the entity, from 0.
    let number: Int

    /// Whether it lacks all optional values.
    let isBare: Bool

    init(_ object: ManagedObject, number: Int, isBare: Bool) {
        self.object = object
        self.number = number
        self.isBare = isBare
    }

    private func value(
        _ attribute: AttributeDescription, _ seed: UInt64
    ) -> SampleValue {
        SampleValue(of: attribute, in: object.entity.name, number: number, seed: seed)
    }

    /// Sets all attributes that are stored and not computed.
    func fill(_ seed: UInt64) throws {
        for (name, attribute) in object.entity.attributesByName.sorted(by: { $0.key < $1.key })
        where attribute.isSet {
            if isBare, attribute.isOptional {
                try object.setValue(nil, forKey: name)
            } else if let value = value(attribute, seed).candidate(0) {
                try object.setValue(value, forKey: name)
            } else if !attribute.isOptional, attribute.defaultValue?.isNull ?? true {
                throw MigrationKitError.noSampleValue(entity: object.entity.name, attribute: name)
            }
        }
    }

    /// Sets the next candidate for an attribute.
    ///
    /// - Returns: False if there is none.
    func replaceValue(of key: String, _ attempt: Int, _ seed: UInt64) throws -> Bool {
        guard let attribute = object.entity.attributesByName[key],
            let next = value(attribute, seed).candidate(attempt)
        else { return false }
        try object.setValue(next, forKey: key)
        return true
    }
}

extension AttributeDescription {
    /// Whether programs set it and stores keep it.
    var isSet: Bool { !isTransient && derivation == nil }
}
