/// The version of a program that brings a migration (spec §9.8).
///
/// All `legacy` versions come before all versions of the app. Versions of the app are compared as
/// semantic versions: `1.9` comes before `1.10`, `1.2-beta` before `1.2`, and `1.2` equals `1.2.0`.
public enum MigrationVersion: Sendable {
    case legacy(Int)
    case appVersion(String)
}

extension MigrationVersion: Comparable, Hashable {
    public static func == (first: Self, second: Self) -> Bool {
        first.description == second.description
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }

    public static func < (first: Self, second: Self) -> Bool {
        switch (first, second) {
        case (.legacy(let first), .legacy(let second)): first < second
        case (.legacy, .appVersion): true
        case (.appVersion, .legacy): false
        case (.appVersion(let first), .appVersion(let second)):
            SemanticVersion(first) < SemanticVersion(second)
        }
    }
}

extension MigrationVersion: CustomStringConvertible {
    /// Equal for equal versions.
    public var description: String {
        switch self {
        case .legacy(let number): "legacy \(number)"
        case .appVersion(let text): isReadable ? SemanticVersion(text).description : text
        }
    }

    /// Whether it can be compared: a version of the app consists of numbers between dots, perhaps
    /// with a suffix.
    var isReadable: Bool {
        guard case .appVersion(let text) = self else { return true }
        return SemanticVersion(text).isReadable
    }
}

/// A version such as `1.10.2-beta.1+45` (https://semver.org). What follows the plus is ignored.
private struct SemanticVersion: Comparable, CustomStringConvertible {
    /// Without zeros at the end.
    private var numbers: [Int] = []
    private var suffix: [String] = []
    let isReadable: Bool

    init(_ text: String) {
        let parts = text.prefix { $0 != "+" }.split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let texts = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        numbers = texts.compactMap { text in
            text.allSatisfy { $0.isASCII && $0.isNumber } ? Int(text) : nil
        }
        isReadable = numbers.count == texts.count
        while numbers.last == 0 { numbers.removeLast() }
        if parts.count > 1 { suffix = parts[1].split(separator: ".").map(String.init) }
    }

    var description: String {
        let core = numbers.isEmpty ? "0" : numbers.map(String.init).joined(separator: ".")
        return suffix.isEmpty ? core : "\(core)-\(suffix.joined(separator: "."))"
    }

    static func < (first: Self, second: Self) -> Bool {
        if first.numbers != second.numbers {
            return first.numbers.lexicographicallyPrecedes(second.numbers)
        }
        // A version with a suffix leads to the one without.
        guard !first.suffix.isEmpty, !second.suffix.isEmpty else {
            return second.suffix.isEmpty && !first.suffix.isEmpty
        }
        return first.suffix.lexicographicallyPrecedes(second.suffix) { first, second in
            switch (Int(first), Int(second)) {
            case (let first?, let second?): first < second
            case (_?, nil): true
            case (nil, _?): false
            case (nil, nil): first < second
            }
        }
    }
}
