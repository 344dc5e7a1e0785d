import Foundation

/// The stages that lead old stores to the program's model, in their order (spec §9.5).
///
///     description.migration.stages = StagedMigrationManager([
///         LightweightMigrationStage([first.versionChecksum, second.versionChecksum]),
///         CustomMigrationStage(
///             from: try ModelReference(second, versionChecksum: "…"),
///             to: try ModelReference(third, versionChecksum: "…"),
///             didMigrate: { context in … }),
///     ])
///
/// A store enters at the stage that names its model. Each task of a stage commits by itself. After a
/// failure, or a crash, the next opening goes on with the task that failed.
public struct StagedMigrationManager: Sendable {
    public var stages: [any MigrationStage]

    public init(_ stages: [any MigrationStage]) { self.stages = stages }
}

/// A part of the way from old versions of a model to the program's.
public protocol MigrationStage: Sendable {
    /// The versions through which it leads, the oldest first, as `versionChecksum` of their models.
    var versionChecksums: [String] { get }
}

/// Versions between which nothing but inferred changes lie.
///
/// A store goes directly to the last version that it needs if that can be inferred, else over
/// versions in between. Their models are among `MigrationOptions.sourceModels` or in other stages.
public struct LightweightMigrationStage: MigrationStage {
    public let versionChecksums: [String]

    public init(_ versionChecksums: [String]) { self.versionChecksums = versionChecksums }
}

/// An inferred change of the model, with code of the program before and after it.
///
/// The usual pattern: an addition that is optional, values for it in `didMigrate`, and a next stage
/// that makes it mandatory.
public struct CustomMigrationStage: MigrationStage {
    /// Code on a context of its own, in whose queue it runs, on a store that nothing else has open.
    public typealias Handler = @Sendable (ManagedObjectContext) throws -> Void

    public let source: ModelReference
    public let destination: ModelReference
    let willMigrate: Handler?
    let didMigrate: Handler?

    /// - Parameters:
    ///   - source: The version before.
    ///   - destination: The version after.
    ///   - willMigrate: Runs before the change, with the objects of the old model.
    ///   - didMigrate: Runs after it, with the objects of the new one.
    ///
    /// What a handler leaves unsaved is saved when it returns, in one transaction with the note in the
    /// store that it has run, so that it counts once or not at all. A handler that saves by itself,
    /// to keep memory small, may run again from its beginning after a crash.
    public init(
        from source: ModelReference, to destination: ModelReference,
        willMigrate: Handler? = nil, didMigrate: Handler? = nil
    ) {
        self.source = source
        self.destination = destination
        self.willMigrate = willMigrate
        self.didMigrate = didMigrate
    }

    public var versionChecksums: [String] { [source.versionChecksum, destination.versionChecksum] }
}

/// A model that is meant to be a certain version.
public struct ModelReference: Sendable {
    public let model: ManagedObjectModel
    public var versionChecksum: String { model.versionChecksum }

    /// - Parameters:
    ///   - model: The model.
    ///   - checksum: The `versionChecksum` that it had when it was released.
    /// - Throws: `MigrationError` with `modelNotFound` if the model has another checksum.
    public init(
        _ model: ManagedObjectModel, versionChecksum checksum: String
    ) throws(MigrationError) {
        guard model.hasVersionChecksum(checksum) else {
            throw MigrationError(.modelNotFound(versionChecksum: checksum))
        }
        self.model = model
    }
}
