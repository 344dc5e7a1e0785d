import CSQLite
import RunRecords

extension BuildConfiguration {
    /// The build configuration of this program.
    static let ofBench: BuildConfiguration = {
        #if DEBUG
        .debug
        #else
        // No compilation condition tells release and testing builds apart. But optimised code
        // has no metadata of an unused internal type unless -enable-testing exports it.
        _typeByName("10StackBench20KeptForTestableUsersV") == nil ? .release : .testing
        #endif
    }()
}

/// Must stay unused; see ``RunRecords/BuildConfiguration/ofBench``.
struct KeptForTestableUsers {}

extension EnvironmentFingerprint {
    /// This machine, with the versions of the libraries that bench is linked with.
    static func ofBench() -> EnvironmentFingerprint {
        var options: [String] = []
        while let option = sqlite3_compileoption_get(Int32(options.count)) {
            options.append(String(cString: option))
        }
        return current(
            swiftVersion: swiftVersion, sqliteVersion: String(cString: sqlite3_libversion()),
            sqliteCompileOptions: options, allocator: Allocator.name)
    }

    /// The version of the compiler. Conditions can only compare it with given versions.
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
