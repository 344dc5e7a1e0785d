import Benchmarking
import CSQLite

extension BuildConfiguration {
    /// How this program was compiled.
    static let ofBench: BuildConfiguration = {
        #if DEBUG
            .debug
        #else
            // No condition of the compiler tells, but optimised code has no metadata of an internal type that nobody uses,
            // unless -enable-testing exports it.
            _typeByName("5bench20KeptForTestableUsersV") == nil ? .release : .testing
        #endif
    }()
}

/// Nothing may use it; see ``Benchmarking/BuildConfiguration/ofBench``.
struct KeptForTestableUsers {}

extension EnvironmentFingerprint {
    /// This machine, with the versions of what bench is linked with.
    static func ofBench() -> EnvironmentFingerprint {
        var options: [String] = []
        while let option = sqlite3_compileoption_get(Int32(options.count)) {
            options.append(String(cString: option))
        }
        return current(
            swiftVersion: swiftVersion, sqliteVersion: String(cString: sqlite3_libversion()),
            sqliteCompileOptions: options, allocator: Allocator.name)
    }

    /// The compiler's; it can only be asked about steps.
    private static var swiftVersion: String {
        #if compiler(>=6.5)
            "6.5 or later"
        #elseif compiler(>=6.4)
            "6.4"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
