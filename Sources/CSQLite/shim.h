#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H
#include <sqlite3.h>

// `sqlite3_db_config` takes variable arguments, which Swift cannot call. With 1 the next VACUUM empties the database.
static inline int stackbench_reset_database(sqlite3 *database, int isOn) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_RESET_DATABASE, isOn, (int *)0);
}

// With 1 a connection that closes as the last one leaves the WAL as it is.
static inline int stackbench_keep_wal(sqlite3 *database, int isOn) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isOn, (int *)0);
}
#endif
