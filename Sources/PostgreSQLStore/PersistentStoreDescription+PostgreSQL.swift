#if PostgreSQL
import Foundation
import ObjectGraph

extension PersistentStoreDescription.StoreType {
    public static let postgreSQL: Self = "PostgreSQL"
}

extension PersistentStoreDescription {
    /// A store in a schema of a PostgreSQL database.
    ///
    /// The URL is libpq's, such as `postgresql://user@host:5432/database?sslmode=verify-full`, or
    /// `postgresql:///database?host=/run/postgresql` for a socket. Its password is not in `url`, and
    /// no error shows it. A missing schema is created.
    ///
    /// - Parameters:
    ///   - url: The address of the database.
    ///   - schema: The schema of the store's tables; nil means `public`.
    public static func postgreSQL(_ url: URL, schema: String? = nil) -> Self {
        _ = registration
        var description = Self(type: .postgreSQL, url: url.withoutSecrets(schema: schema))
        description.address = SecretText(url.absoluteString)
        if let schema { description.options[schemaOption] = .string(schema) }
        return description
    }

    /// The option with the name of the schema.
    static let schemaOption = "schema"

    // Registers the type once.
    private static let registration: Void = StoreTypes.register(.postgreSQL) {
        try PostgreSQLStore($0, model: $1, debug: $2)
    }
}

extension URL {
    /// What names a store: user, host, port and database, and the schema as the fragment.
    fileprivate func withoutSecrets(schema: String?) -> URL? {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: false) else {
            return nil
        }
        parts.password = nil
        let names: Set = ["host", "hostaddr", "port", "user", "dbname"]
        let kept = parts.queryItems?.filter { names.contains($0.name) } ?? []
        parts.queryItems = kept.isEmpty ? nil : kept
        parts.fragment = schema ?? "public"
        return parts.url
    }
}
#endif
