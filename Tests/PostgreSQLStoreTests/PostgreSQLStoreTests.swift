#if PostgreSQL
import PostgreSQLStore
import Testing
#endif
