import Foundation

/// A store cannot be brought to the program's model. Its file is as it was.
public struct MigrationError: Error, Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        /// Neither the store nor the program has the model that the store was written with (Core
        /// Data's 134130). The value lists the entities that differ from the program's.
        case unknownSourceModel(entities: [String])
        /// There is no mapping model between the models, and `infersMappings` is off (134140).
        case noMapping
        /// The changes leave open what becomes of the rows (134190).
        case notInferable([MigrationObstacle])
        /// Rows of the entity share the values of a uniqueness constraint that is new (134111).
        case constraintViolated(entity: String, constraint: [String])
        /// Another connection has the store open (134080).
        case storeInUse
        /// An index, a trigger or a view, which is not the model's, would be lost or no longer work
        /// (134110).
        case foreignObject(kind: String, name: String, problem: String)
        /// The disk has too little space for the rows that the migration has to copy (13).
        case insufficientSpace(neededBytes: Int64, availableBytes: Int64)
        /// `backup` could not be made, so that nothing was migrated (134110; 13 if the disk is full).
        case backupFailed(StoreError.Reason, at: URL)
        /// An entity mapping, by its name, does not fit its models (134110).
        case invalidMapping(String, MappingProblem)
        /// There is no entity mapping with this name (134110).
        case unknownMapping(String)
        /// The mapping is for another model than that of the store (134130). The value lists the
        /// entities that differ.
        case unfittingMapping(entities: [String])
        /// The file that a migration shall make exists (134160).
        case destinationExists
        /// Code of an entity mapping, or the validation of the objects that it made, has failed
        /// (134170). The object is the one of the source, or the one that is invalid.
        case mappingFailed(mapping: String, object: ManagedObjectID?, UnderlyingError)
        /// The program has cancelled the migration (134120).
        case cancelled(UnderlyingError?)
        /// The store could come to the program's model only past a declared mapping, which would
        /// lose the values that the mapping keeps (134140).
        case noRoute
        /// No known model has the checksum that a stage or a reference names (134504).
        case modelNotFound(versionChecksum: String)
        /// No stage names the store's model, which is newer than the last one, or forgotten
        /// (134506).
        case newerThanStages(versionChecksum: String)
        /// A stage leads to a version that an earlier stage, or the same one, has left (134506).
        case stagesGoBackward(versionChecksum: String)
        /// Two migrations have the same version (134110).
        case duplicateMigration(MigrationVersion)
        /// The version of a migration consists of more than numbers and a suffix (134110).
        case unreadableVersion(MigrationVersion)
        /// Code of the program has failed, or its changes could not be saved (134110). The store is
        /// as it was before the code ran, unless it has saved by itself.
        case codeFailed(MigrationPlace, UnderlyingError)
    }

    public var reason: Reason

    /// The file; nil if only models were compared.
    public var url: URL?

    /// What differs between the store's model and the program's. Filled for errors of the decision:
    /// `unknownSourceModel`, which knows entities only, `noMapping` and `notInferable`.
    public internal(set) var differences: [ModelDifference] = []

    init(_ reason: Reason, url: URL? = nil) {
        self.reason = reason
        self.url = url
    }
}

/// Why an entity mapping cannot be used.
public enum MappingProblem: Sendable, Hashable {
    /// Another one has the same name.
    case duplicateName
    /// A model has no such entity.
    case unknownEntity(String)
    /// The destination has no such property.
    case unknownProperty(String)
    /// The property's values are computed, or are not stored.
    case unmappableProperty(String)
    /// An expression or the predicate cannot be evaluated for objects of the source; the text says
    /// why.
    case unusableExpression(property: String?, String)
}

/// The error that was the reason of another one. Two are equal if they read the same.
public struct UnderlyingError: Sendable, Hashable {
    public let error: any Error

    init(_ error: any Error) { self.error = error }

    public static func == (first: Self, second: Self) -> Bool {
        "\(first.error)" == "\(second.error)"
    }

    public func hash(into hasher: inout Hasher) { hasher.combine("\(error)") }
}

/// A change from one model to another that does not say what becomes of the rows.
public struct MigrationObstacle: Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        /// No entity of one model is in the other.
        case unrelatedModels
        /// An attribute has another type.
        case attributeType(from: AttributeType, to: AttributeType)
        /// An attribute is now a relationship, or the reverse.
        case otherKind
        /// A mandatory attribute is new, or was optional, and has no default value.
        case noDefault
        /// A mandatory relationship is new, and there are no objects for it.
        case mandatoryRelationship
        /// A relationship now leads to an entity that does not hold all its former destinations;
        /// the value names one that is missing.
        case destination(missing: String)
        /// A relationship has another inverse, which held other objects.
        case inverse
        /// Entities without a common ancestor now have one, so that their rows would share keys;
        /// the value names two of them.
        case mergedHierarchies(String, String)
    }

    /// The entity in the new model; empty if the models as a whole are meant.
    public let entity: String

    /// The property in the new model; nil if the entity is meant.
    public let property: String?
    public let reason: Reason

    /// For a new property: the only one of its type that the entity has lost. It may have been
    /// renamed, without a renaming identifier that says so.
    public internal(set) var possibleFormerName: String?
}

extension MigrationError: CustomStringConvertible {
    public var description: String {
        var text: String
        switch reason {
        case .unknownSourceModel(let entities):
            text =
                "The store was written with another model, which it does not carry; these entities differ: \(entities.joined(separator: ", ")). Add that model to migration.sourceModels of the description. If another program has written the version hashes, no model can be compared with them; ignoresModelVersions opens the store if its tables fit."
        case .noMapping:
            text =
                "The store is of another model, and there is no mapping model to the program's. Add one, or set migration.infersMappings."
        case .notInferable(let obstacles):
            text =
                "The store cannot be migrated without a mapping: \(obstacles.map(\.description).joined(separator: "; "))."
        case .constraintViolated(let entity, let constraint):
            text =
                "Rows of '\(entity)' share values of the new uniqueness constraint (\(constraint.joined(separator: ", "))). Open the store with its own model and remove the duplicates first."
        case .storeInUse:
            text =
                "Another connection has the store open, and migration needs it alone. Remove the store from its coordinators, or end the other program, and open it again."
        case .foreignObject(let kind, let name, let problem):
            text =
                "The \(kind) '\(name)', which is not of the model, would not work after the migration: \(problem). Drop it with the sqlite3 tool, migrate, and make it again for the new tables."
        case .insufficientSpace(let needed, let available):
            text =
                "The migration copies at least \(needed) bytes, and the disk has \(available) bytes left. Free some space and open the store again; it is as it was."
        case .backupFailed(let reason, let backup):
            text = "The backup failed, so nothing was migrated. \(StoreError(reason, url: backup))"
        case .invalidMapping(let name, let problem):
            text = "The entity mapping '\(name)' cannot be used: \(problem)."
        case .unknownMapping(let name):
            text = "The mapping has no entity mapping '\(name)'; correct the name."
        case .unfittingMapping(let entities):
            text =
                "The store has another model than the source of the mapping; these entities differ: \(entities.joined(separator: ", ")). Give the model that the store was written with."
        case .destinationExists:
            text = "There is a file already; give the migrated store another URL."
        case .mappingFailed(let mapping, let object, let error):
            text =
                "The entity mapping '\(mapping)' has failed\(object.map { " for \($0)" } ?? ""): \(error.error)"
        case .cancelled(let error):
            text = "The migration was cancelled\(error.map { ": \($0.error)" } ?? ".")"
        case .noRoute:
            text =
                "The store cannot be migrated without passing a declared mapping. Add the versions between the store's model and the mapping's to migration.sourceModels, or declare a mapping between them."
        case .modelNotFound(let checksum):
            text =
                "No model has the version checksum '\(checksum)'. Add the model to migration.sourceModels, or correct the checksum."
        case .newerThanStages(let checksum):
            text =
                "The store's model has the version checksum '\(checksum)', which no stage names. If it is newer than the program, open it with a newer program; else add it to the stages."
        case .stagesGoBackward(let checksum):
            text =
                "The stages lead back to the version '\(checksum)'. Order them so that each version is left once."
        case .duplicateMigration(let version):
            text = "Two migrations have the version \(version). Give one of them another version."
        case .unreadableVersion(let version):
            text =
                "'\(version)' is no version of a migration. Use numbers between dots, such as 1.10.2."
        case .codeFailed(let place, let error):
            text = "The program's \(place) has failed: \(error.error)"
        }
        text += differences.sentence
        if let url { text += " Store: \(url.path)." }
        return text
    }
}

extension MappingProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .duplicateName: "another one has its name"
        case .unknownEntity(let name): "its model has no entity '\(name)'"
        case .unknownProperty(let name): "its destination has no property '\(name)'"
        case .unmappableProperty(let name): "the values of '\(name)' are computed or not stored"
        case .unusableExpression(let property, let reason):
            "\(property.map { "the value of '\($0)'" } ?? "its predicate") cannot be evaluated for an object of its source (\(reason))"
        }
    }
}

extension MigrationObstacle: CustomStringConvertible {
    public var description: String {
        let place = property.map { "'\(entity).\($0)'" } ?? "'\(entity)'"
        return sentence(place) + (possibleFormerName.map(hint) ?? "")
    }

    private func hint(_ former: String) -> String {
        " (if '\(entity).\(former)' was renamed, set renamingIdentifier of '\(property ?? "")' to '\(former)')"
    }

    private func sentence(_ place: String) -> String {
        switch reason {
        case .unrelatedModels:
            "the two models have no entity in common; name another file, or set renaming identifiers"
        case .attributeType(let from, let to):
            "\(place) was of type \(from) and is of type \(to) (add an attribute with another name, or a mapping model whose property mapping computes the value, such as PropertyMapping(\"\(property ?? "")\", …) with an expression of $source)"
        case .otherKind: "\(place) is no longer an attribute, or no longer a relationship"
        case .noDefault: "\(place) is mandatory and has no default value"
        case .mandatoryRelationship: "\(place) is a new relationship and mandatory"
        case .destination(let missing): "\(place) no longer leads to '\(missing)'"
        case .inverse: "\(place) has another inverse, which held other objects"
        case .mergedHierarchies(let first, let second):
            "\(place) would be an ancestor of both '\(first)' and '\(second)', which had none in common"
        }
    }
}
