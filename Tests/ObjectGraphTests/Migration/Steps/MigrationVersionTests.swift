import Testing

@testable import ObjectGraph

@Suite struct `Versions of migrations (§9.8)` {
    /// In ascending order.
    private static let versions: [MigrationVersion] = [
        .legacy(-1), .legacy(3), .legacy(20), .appVersion("0"), .appVersion("0.9"),
        .appVersion("1.0-alpha"), .appVersion("1.0-alpha.1"), .appVersion("1.0-alpha.beta"),
        .appVersion("1.0-beta.2"), .appVersion("1.0-beta.11"), .appVersion("1"),
        .appVersion("1.0.1"), .appVersion("1.2"), .appVersion("1.10"), .appVersion("1.10.1-rc"),
        .appVersion("1.10.1"), .appVersion("2024.1"),
    ]

    @Test func `versions are compared by their numbers (§9.8.2)`() {
        #expect(Self.versions.reversed().sorted() == Self.versions)
        for (first, second) in zip(Self.versions, Self.versions.dropFirst()) {
            #expect(first < second && !(second < first) && first != second)
        }
    }

    @Test func `zeros at the end and builds do not count (§9.8.2)`() {
        let one = MigrationVersion.appVersion("1")
        for text in ["1.0", "1.0.0", "1.0+45", "01"] {
            let other = MigrationVersion.appVersion(text)
            #expect(one == other && one.hashValue == other.hashValue && !(one < other))
            #expect(other.description == "1")
        }
        #expect(MigrationVersion.appVersion("0.0").description == "0")
    }

    @Test(arguments: ["", "a", "1.", "1..2", "v1", "1.x", "-1", "١", "99999999999999999999"])
    func `anything else is unreadable (§9.8.8)`(_ text: String) {
        #expect(!MigrationVersion.appVersion(text).isReadable)
        #expect(MigrationVersion.appVersion(text).description == text)
    }
}
