/// A subject that reports the settings of its connections.
protocol InspectableSubject: AnyObject {
    /// The values of pragmas on each writing connection, in the order of `pragmas`.
    func settings(_ pragmas: [String]) throws -> [[String]]
}

extension SubjectConfiguration {
    /// The settings that all subjects need to do equal work: those that decide a commit's
    /// durability, how much of the file is cached and what is written besides.
    private var requiredSettings: [(pragma: String, value: String)] {
        let levels = ["off", "normal", "full", "extra"]
        return [
            ("journal_mode", isInMemory ? "memory" : "wal"),
            ("synchronous", levels.firstIndex(of: synchronous).map(String.init) ?? synchronous),
            ("cache_size", String(Self.cacheSize)),
            ("page_size", String(pageSize)),
            ("wal_autocheckpoint", "1000"),
            ("locking_mode", "normal"),
            ("temp_store", String(Self.temporaryStore)),
        ]
    }

    /// Reads the settings and checks them.
    ///
    /// - Throws: ``UnequalSetting`` for the first wrong one.
    func check(_ subject: some InspectableSubject) throws {
        try check { try subject.settings($0) }
    }

    /// - Parameter settings: reads the values, like ``InspectableSubject/settings(_:)``.
    func check(_ settings: ([String]) throws -> [[String]]) throws {
        let required = requiredSettings
        for values in try settings(required.map(\.pragma)) {
            for (setting, value) in zip(required, values) where setting.value != value {
                throw UnequalSetting(
                    pragma: setting.pragma, value: value, required: setting.value)
            }
        }
    }
}

/// A subject has another setting than the others, so its answer counts as wrong.
struct UnequalSetting: Error, CustomStringConvertible {
    var pragma: String
    var value: String
    var required: String

    var description: String {
        "the setting \(pragma) is \(value), must be \(required) as for all subjects"
    }
}
