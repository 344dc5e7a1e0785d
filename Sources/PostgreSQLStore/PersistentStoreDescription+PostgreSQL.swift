#if PostgreSQL
import Foundation
import ObjectGraph

extension PersistentStoreDescription.StoreType {
    /// A store in a schema of a PostgreSQL database. Using this type, or a description of it, makes
    /// the engine know it.
    public static let postgreSQL: Self = {
        let type: Self = "PostgreSQL"
        StoreTypes.register(type) {
            try PostgreSQLStore($0, model: $1, debug: $2)
        } destroy: {
            try StoreRemoval($0).run()
        }
        return type
    }()
}

extension PersistentStoreDescription {
    /// A store in a schema of a PostgreSQL database.
    ///
    /// The URL is libpq's, such as `postgresql://user@host:5432/database?sslmode=verify-full`, or
    /// `postgresql:///database?host=/run/postgresql` for a socket. A missing schema is created.
    /// Neither the description's `url` nor an error has the password. Several hosts are parameters:
    /// `postgresql:///database?host=a,b&port=5432,5433`.
    ///
    /// With `pooling=transaction` the store can be behind a pooler that shares sessions between
    /// transactions, such as PgBouncer; `direct=` is then the URL of the server itself, percent-encoded,
    /// for `postsRemoteChanges`. Time-outs for statements, locks and idle transactions in the URL's
    /// `options`, or of the role, hold.
    ///
    /// - Parameters:
    ///   - url: The address of the database. Its fragment may name the schema.
    ///   - schema: The schema of the store's tables; nil means `public`, unless the URL names one.
    public static func postgreSQL(_ url: URL, schema: String? = nil) -> Self {
        var description = Self(type: .postgreSQL, url: url)
        if let schema, var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) {
            parts.fragment = schema
            description.url = parts.url
        }
        return description.withHiddenAddress()
    }

    /// The same description, whose `url` has nothing that must not be shown.
    func withHiddenAddress() -> Self {
        guard address == nil, let url,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        else { return self }
        var hidden = self
        hidden.address = SecretText(url.absoluteString)
        parts.password = nil
        let names: Set = ["host", "hostaddr", "port", "user", "dbname"]
        let shown = parts.queryItems?.filter { names.contains($0.name) } ?? []
        parts.queryItems = shown.isEmpty ? nil : shown
        parts.fragment = parts.fragment ?? Self.defaultSchema
        hidden.url = parts.url
        return hidden
    }

    /// The schema of the store's tables.
    var schema: String { url?.fragment(percentEncoded: false) ?? Self.defaultSchema }

    private static let defaultSchema = "public"

    /// The address of the database, without the name of the schema.
    ///
    /// - Throws: `PostgreSQLError` if there is none.
    func addressOfDatabase() throws(PostgreSQLError) -> URL {
        guard let address, var parts = URLComponents(string: address.value) else {
            throw PostgreSQLError(.invalidURL, "the description has no URL")
        }
        parts.fragment = nil
        guard let url = parts.url else {
            throw PostgreSQLError(.invalidURL, "the URL of the description is not one")
        }
        return url
    }

}

extension String {
    /// The name with quotation marks, which keep all its characters.
    var quotedName: String { "\"\(replacing("\"", with: "\"\""))\"" }
}
#endif
