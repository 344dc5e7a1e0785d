/// A subject that tells what its connections are set to.
protocol InspectableSubject: AnyObject {
    /// The values of pragmas on each of its writing connections, in their order.
    func settings(_ pragmas: [String]) throws -> [[String]]
}

extension SubjectConfiguration {
    /// What every subject's connections must be found set to, or their work is not equal: all that
    /// decides how durable a commit is and how much of the file is kept in memory.
    private var requiredSettings: [(pragma: String, value: String)] {
        let levels = ["off", "normal", "full", "extra"]
        return [
            ("journal_mode", isInMemory ? "memory" : "wal"),
            ("synchronous", levels.firstIndex(of: synchronous).map(String.init) ?? synchronous),
            ("cache_size", String(Self.cacheSize)),
            ("page_size", "4096"),
            ("wal_autocheckpoint", "1000"),
            ("locking_mode", "normal"),
            ("temp_store", "0"),
        ]
    }

    /// Reads the settings back.
    ///
    /// - Throws: ``UnequalSetting`` for the first that is not as it must be.
    func check(_ subject: some InspectableSubject) throws {
        try check { try subject.settings($0) }
    }

    /// - Parameter settings: as ``InspectableSubject/settings(_:)``.
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

/// A subject works under other conditions than the others: its answer counts as wrong.
struct UnequalSetting: Error, CustomStringConvertible {
    var pragma: String
    var value: String
    var required: String

    var description: String {
        "the setting \(pragma) is \(value), must be \(required) as for all subjects"
    }
}
