#if PostgreSQL
import ObjectGraph

/// A store in a PostgreSQL database.
public final class PostgreSQLStore: Sendable {}
#endif
