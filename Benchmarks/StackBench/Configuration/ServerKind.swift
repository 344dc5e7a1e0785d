/// A kind of work on a server. Every build of bench knows its name; only builds with the trait
/// PostgreSQL can do it.
enum ServerKind: String, CaseIterable {
    case engine = "server-engine"
    case save = "server-save"
    case page = "server-page"
    case walk = "server-walk"
    case writers = "server-writers"

    var summary: String {
        switch self {
        case .engine: "one operation on a server, beside libpq"
        case .save: "insert items in saves of one size, on a server"
        case .page: "read a list in batches, on a server"
        case .walk: "walk a to-many relationship of many owners, on a server"
        case .writers: "several processes update items of a store on a server"
        }
    }

    /// Whether this build can do it.
    var isAvailable: Bool { WorkloadKind.all.contains { $0.name == rawValue } }

    /// A bench that can.
    static let command =
        "scripts/postgresql --durable swift run -c release --traits PostgreSQL bench"
}

/// A workload file needs a bench that was built with a trait.
struct MissingTrait: Error, CustomStringConvertible {
    var file: String
    var kind: ServerKind

    var description: String {
        "\(file): the kind \(kind.rawValue) needs a server and the trait PostgreSQL:\n"
            + "\(ServerKind.command) \(file)"
    }
}
