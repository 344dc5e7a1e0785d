import Foundation
import ObjectGraph

#if PostgreSQL
import PostgreSQLStore
#endif

/// A schema of its own on the server that `scripts/postgresql` starts. It is dropped with the last
/// reference.
public final class ServerSchema: Sendable {
    /// The server; nil without one, and in a build without the trait `PostgreSQL`.
    public static let server: URL? = {
        #if PostgreSQL
        ProcessInfo.processInfo.environment["STACKBENCH_POSTGRESQL"].flatMap { URL(string: $0) }
        #else
        nil
        #endif
    }()

    /// The type of stores on it.
    public let type: PersistentStoreDescription.StoreType

    /// The address of the schema.
    public let url: URL

    /// Nil without a server.
    public init?() {
        #if PostgreSQL
        guard let server = Self.server else { return nil }
        let name = "test_" + UUID().uuidString.lowercased().replacing("-", with: "_")
        type = .postgreSQL
        url = server.appending(fragment: name)
        #else
        return nil
        #endif
    }

    public var description: PersistentStoreDescription {
        PersistentStoreDescription(type: type, url: url)
    }

    #if PostgreSQL
    deinit {
        try? StoreRemoval.dropSchema(of: description)
    }
    #endif
}

extension URL {
    fileprivate func appending(fragment: String) -> URL {
        URL(string: "\(absoluteString)#\(fragment)")!
    }
}
