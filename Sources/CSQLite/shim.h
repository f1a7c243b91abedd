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

// Lets a connection run no trigger: a record has none, and a foreign one could take away what is written.
static inline int baton_sqlite_leave_out_triggers(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
}

// The file of a database as SQLite has it open, for as long as the connection lasts.
static inline sqlite3_file *baton_sqlite_file(sqlite3 *database) {
    sqlite3_file *file = (sqlite3_file *)0;
    return sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK ? file : (sqlite3_file *)0;
}

// The index of a file's write-ahead log; a null pointer if there is none. The connection must have used the log, so that the index is
// mapped. The beginning of the index has a fixed form (https://www.sqlite.org/walformat.html, 2.1).
static inline const volatile unsigned *baton_sqlite_log_index(sqlite3_file *file) {
    volatile void *index = (volatile void *)0;
    if (!file->pMethods || file->pMethods->iVersion < 2) return (const volatile unsigned *)0;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &index) != SQLITE_OK) return (const volatile unsigned *)0;
    return (const volatile unsigned *)index;
}

// Reads from the index of the write-ahead log how many commits there were since the index was made, how many frames belong to the log,
// how many of them are copied into the file, and how many pages the database has by the last one. SQLite tells that only after a copy
// of the log.
static inline int baton_sqlite_read_log_index(
    sqlite3_file *file, unsigned *commits, unsigned *frames, unsigned *copied, unsigned *pages
) {
    const volatile unsigned *words = baton_sqlite_log_index(file);
    if (!words) return 0;
    *commits = words[2];
    *frames = words[4];
    *pages = words[5];
    *copied = words[24];
    return ((const volatile unsigned char *)words)[12];
}

// Reads from the index the two random words of the present log, which are also in the log's header; 0 without an index.
static inline unsigned long long baton_sqlite_read_log_salt(sqlite3_file *file) {
    const volatile unsigned *words = baton_sqlite_log_index(file);
    union { unsigned words[2]; unsigned long long salt; } read = {{0, 0}};
    if (words) {
        read.words[0] = words[8];
        read.words[1] = words[9];
    }
    return read.salt;
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
