/// Code of the program that runs during a migration.
public enum MigrationPlace: Sendable, Hashable {
    /// The block of a `Migration`.
    case migration(MigrationVersion)
    /// A handler of the custom stage that leads to this version of the model.
    case willMigrate(versionChecksum: String)
    case didMigrate(versionChecksum: String)
}

extension MigrationPlace: CustomStringConvertible {
    public var description: String {
        switch self {
        case .migration(let version): "migration \(version)"
        case .willMigrate(let checksum): "willMigrate of the stage to the version \(checksum)"
        case .didMigrate(let checksum): "didMigrate of the stage to the version \(checksum)"
        }
    }
}
