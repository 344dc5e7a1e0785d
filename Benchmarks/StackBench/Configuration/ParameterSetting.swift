import ArgumentParser

/// Values that the command line gives a parameter instead of those in the file: "rows=1000" or
/// "saveSize=10,100".
struct ParameterSetting: ExpressibleByArgument, Hashable, Sendable {
    var name: String
    /// At least one.
    var values: [String]

    /// The number of flights, which is no parameter of a kind.
    static let flights = "flights"

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        name = String(parts[0])
        values = parts[1].split(separator: ",").map(String.init)
        guard !values.isEmpty else { return nil }
    }

    /// The values as a node, so that they are read like those of a file.
    var node: ConfigurationNode { ConfigurationNode(option: "--set \(name)", values) }
}

extension WorkloadKind {
    /// The names that settings of this kind can have.
    var settingNames: [String] {
        parameters.map(\.name) + (usesDataset ? [ParameterSetting.flights] : [])
    }
}
