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

// Reads from the index of the write-ahead log how many frames belong to the log, how many of them are copied into the file, and how
// many pages the database has by the last one. SQLite tells that only after a copy of the log. The beginning of the index has a fixed
// form (https://www.sqlite.org/walformat.html, 2.1). The connection must have used the log, so that the index is mapped.
static inline int baton_sqlite_read_log_index(sqlite3 *database, unsigned *frames, unsigned *copied, unsigned *pages) {
    sqlite3_file *file = (sqlite3_file *)0;
    volatile void *index = (volatile void *)0;
    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
    if (!file || !file->pMethods || file->pMethods->iVersion < 2) return 0;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &index) != SQLITE_OK || !index) return 0;
    const volatile unsigned *words = (const volatile unsigned *)index;
    *frames = words[4];
    *pages = words[5];
    *copied = words[24];
    return ((const volatile unsigned char *)index)[12];
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
