#pragma once
#include <sqlite3.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// Variadic functions cannot be imported. Each allocation would take a lock to be counted, and nobody asks for the counts.
// Has no effect once a database was opened.
static inline int baton_sqlite_leave_out_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// Sets whether the last connection to a database leaves its write-ahead log as it is.
static inline int baton_sqlite_keep_log_on_close(sqlite3 *database, int is_kept) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, is_kept, (int *)0);
}

// Gives the pages that can be read again back to the system: glibc keeps all that is freed below something in use.
static inline void baton_sqlite_give_back_memory(sqlite3 *database) {
    sqlite3_db_release_memory(database);
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift cannot import.
static inline sqlite3_destructor_type baton_sqlite_transient(void) {
    return SQLITE_TRANSIENT;
}
