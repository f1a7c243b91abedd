// libpq, loaded on first use: linked, it and the 23 libraries behind it would be loaded by every start of every command.
// The declarations are those of its ABI 5, which is stable since 2006, so that a build needs no header of PostgreSQL.
#pragma once

#include <stddef.h>

#pragma clang assume_nonnull begin

struct pg_conn;
struct pg_result;

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

// PQstatus
enum { CPOSTGRESQL_CONNECTION_OK = 0, CPOSTGRESQL_CONNECTION_BAD = 1 };

// PQresultStatus
enum {
    CPOSTGRESQL_EMPTY_QUERY = 0,
    CPOSTGRESQL_COMMAND_OK = 1,
    CPOSTGRESQL_TUPLES_OK = 2,
    CPOSTGRESQL_FATAL_ERROR = 7,
    CPOSTGRESQL_PIPELINE_SYNC = 10,
    CPOSTGRESQL_PIPELINE_ABORTED = 11,
};

// PQtransactionStatus
enum {
    CPOSTGRESQL_TRANSACTION_IDLE = 0,
    CPOSTGRESQL_TRANSACTION_ACTIVE = 1,
    CPOSTGRESQL_TRANSACTION_OPEN = 2,
    CPOSTGRESQL_TRANSACTION_FAILED = 3,
    CPOSTGRESQL_TRANSACTION_UNKNOWN = 4,
};

// PQresultErrorField
enum { CPOSTGRESQL_SEVERITY = 'V', CPOSTGRESQL_SQLSTATE = 'C', CPOSTGRESQL_MESSAGE = 'M' };

// The version of libpq that has pipelines.
enum { CPOSTGRESQL_OLDEST_LIBRARY = 140000 };

typedef void (*cpostgresql_notice_receiver)(void *_Nullable context, const PGresult *_Nullable result);

// The functions of the library, without their prefix PQ.
struct cpostgresql {
    PGconn *_Nullable (*_Nonnull connectdbParams)(
        const char *_Nullable const *_Nonnull keywords, const char *_Nullable const *_Nonnull values, int expand_dbname);
    int (*_Nonnull status)(const PGconn *connection);
    int (*_Nonnull socket)(const PGconn *connection);
    char *_Nullable (*_Nonnull errorMessage)(const PGconn *connection);
    void (*_Nonnull finish)(PGconn *connection);
    int (*_Nonnull setnonblocking)(PGconn *connection, int is_nonblocking);
    int (*_Nonnull enterPipelineMode)(PGconn *connection);
    int (*_Nonnull pipelineSync)(PGconn *connection);
    int (*_Nonnull sendPrepare)(
        PGconn *connection, const char *name, const char *query, int count, const unsigned int *_Nullable types);
    int (*_Nonnull sendQueryPrepared)(PGconn *connection, const char *name, int count,
        const char *_Nullable const *_Nullable values, const int *_Nullable lengths, const int *_Nullable formats,
        int result_format);
    int (*_Nonnull sendQueryParams)(PGconn *connection, const char *query, int count, const unsigned int *_Nullable types,
        const char *_Nullable const *_Nullable values, const int *_Nullable lengths, const int *_Nullable formats,
        int result_format);
    int (*_Nonnull flush)(PGconn *connection);
    int (*_Nonnull consumeInput)(PGconn *connection);
    int (*_Nonnull isBusy)(PGconn *connection);
    PGresult *_Nullable (*_Nonnull getResult)(PGconn *connection);
    int (*_Nonnull resultStatus)(const PGresult *_Nullable result);
    char *_Nullable (*_Nonnull resultErrorField)(const PGresult *_Nullable result, int field);
    int (*_Nonnull ntuples)(const PGresult *result);
    int (*_Nonnull nfields)(const PGresult *result);
    char *_Nullable (*_Nonnull fname)(const PGresult *result, int field);
    unsigned int (*_Nonnull ftype)(const PGresult *result, int field);
    char *_Nullable (*_Nonnull getvalue)(const PGresult *result, int row, int field);
    int (*_Nonnull getlength)(const PGresult *result, int row, int field);
    int (*_Nonnull getisnull)(const PGresult *result, int row, int field);
    char *_Nullable (*_Nonnull cmdStatus)(PGresult *result);
    char *_Nullable (*_Nonnull cmdTuples)(PGresult *result);
    void (*_Nonnull clear)(PGresult *_Nullable result);
    int (*_Nonnull serverVersion)(const PGconn *connection);
    int (*_Nonnull backendPID)(const PGconn *connection);
    const char *_Nullable (*_Nonnull parameterStatus)(const PGconn *connection, const char *name);
    int (*_Nonnull transactionStatus)(const PGconn *connection);
    cpostgresql_notice_receiver _Nullable (*_Nonnull setNoticeReceiver)(
        PGconn *connection, cpostgresql_notice_receiver _Nullable receiver, void *_Nullable context);
    int (*_Nonnull libVersion)(void);
};

// Loads the library on the first call, and keeps it for good; on any thread. NULL, with the reason in `failure`, if it cannot be
// loaded, lacks a function, or is older than CPOSTGRESQL_OLDEST_LIBRARY.
const struct cpostgresql *_Nullable cpostgresql_load(const char *_Nullable *_Nonnull failure);

#pragma clang assume_nonnull end
