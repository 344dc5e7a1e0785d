import Foundation
import Measuring

/// The machine and the software of a run.
///
/// Compare numbers of two runs only if their identities are equal. The volatile part explains noise
/// and is never compared.
public struct EnvironmentFingerprint: Codable, Hashable, Sendable {
    public var identity: Identity
    public var volatile: Volatile
    /// Whether `bench` was built before the commit of its checkout was made; `nil` if not, or if
    /// unknown.
    public var isBuiltBeforeCommit: Bool?
    /// When the commit of the checkout was made; `nil` if unknown.
    public var committedAt: Date?

    /// The part that is equal for runs on the same kind of machine.
    public struct Identity: Codable, Hashable, Sendable {
        public var cpuModel: String
        public var coreCount: Int
        public var memoryBytes: UInt64
        public var kernel: String
        public var operatingSystem: String
        public var swiftVersion: String
        public var sqliteVersion: String
        /// As reported by SQLite, sorted.
        public var sqliteCompileOptions: [String]
        public var allocator: String

        public init(
            cpuModel: String, coreCount: Int, memoryBytes: UInt64, kernel: String,
            operatingSystem: String, swiftVersion: String, sqliteVersion: String,
            sqliteCompileOptions: [String], allocator: String
        ) {
            self.cpuModel = cpuModel
            self.coreCount = coreCount
            self.memoryBytes = memoryBytes
            self.kernel = kernel
            self.operatingSystem = operatingSystem
            self.swiftVersion = swiftVersion
            self.sqliteVersion = sqliteVersion
            self.sqliteCompileOptions = sqliteCompileOptions.sorted()
            self.allocator = allocator
        }
    }

    /// The part that changes from minute to minute.
    public struct Volatile: Codable, Hashable, Sendable {
        /// The load average of the last minute; `nil` if the system does not report it.
        public var loadAverage: Double?
        /// The share (0…1) of processor time since boot that the host gave to others; `nil` if the
        /// system does not report it.
        public var stealShare: Double?
        public var takenAt: Date

        public init(loadAverage: Double?, stealShare: Double?, takenAt: Date) {
            self.loadAverage = loadAverage
            self.stealShare = stealShare
            self.takenAt = takenAt
        }
    }

    public init(identity: Identity, volatile: Volatile) {
        self.identity = identity
        self.volatile = volatile
    }
}

extension EnvironmentFingerprint {
    /// Describes this machine now. The caller passes what only the caller knows.
    public static func current(
        swiftVersion: String, sqliteVersion: String, sqliteCompileOptions: [String],
        allocator: String
    ) -> EnvironmentFingerprint {
        let identity = Identity(
            cpuModel: MachineFacts.cpuModel ?? "unknown",
            coreCount: ProcessInfo.processInfo.processorCount,
            memoryBytes: ProcessInfo.processInfo.physicalMemory,
            kernel: MachineFacts.kernel ?? "unknown",
            operatingSystem: MachineFacts.operatingSystem
                ?? ProcessInfo.processInfo.operatingSystemVersionString,
            swiftVersion: swiftVersion, sqliteVersion: sqliteVersion,
            sqliteCompileOptions: sqliteCompileOptions, allocator: allocator)
        return EnvironmentFingerprint(identity: identity, volatile: .current())
    }
}

extension EnvironmentFingerprint.Volatile {
    public static func current() -> Self {
        Self(
            loadAverage: MachineFacts.loadAverage, stealShare: ProcessorTicks().stolenShare,
            takenAt: Date())
    }
}
