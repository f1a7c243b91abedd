// libmicrohttpd, loaded while the program runs: linked, it would cost every start of the program more than a millisecond.
// Functions whose types Swift cannot call, or would have to know by heart, are wrapped.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#ifdef __linux__
// For watching connections; Swift's Glibc module omits both.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

#pragma clang assume_nonnull begin

// The functions of the library that are used.
struct cmicrohttpd;

struct MHD_Connection;
struct MHD_Response;

// Loads the first library of `names`, which end with NULL, and keeps it for good. NULL, with a reason in `reason`, if none can
// be loaded, or if it lacks a function.
const struct cmicrohttpd *_Nullable cmicrohttpd_load(
    const char *_Nullable const *_Nonnull names, char *reason, size_t reason_size);

// Whether the library can serve TLS.
bool cmicrohttpd_has_tls(const struct cmicrohttpd *library);

// When a certificate expires, the first one of a PEM text, in seconds since the start of 1970 in UTC; -1 if it cannot be read.
int64_t cmicrohttpd_expiration(const struct cmicrohttpd *library, const char *certificate);

// The reason phrase of a status code.
const char *cmicrohttpd_reason_phrase(const struct cmicrohttpd *library, unsigned int status);

// What a daemon calls, always on its own thread, with `context` as the first argument.
struct cmicrohttpd_callbacks {
    // Whether a client may connect. An `address` is a struct sockaddr: named here, it would belong to this module for Swift.
    bool (*accepts)(void *context, const void *address);
    // A connection is open; the result belongs to the connection.
    void *_Nonnull (*_Nonnull opened)(
        void *context, struct MHD_Connection *connection, const void *_Nullable address, int descriptor);
    // A connection is about to be closed; its descriptor is still open.
    void (*closed)(void *context, void *opened);
    // The first line of a request has come; the result belongs to the request. `target` is NULL in a line without one.
    void *_Nonnull (*_Nonnull began)(
        void *context, struct MHD_Connection *connection, void *opened, const char *_Nullable target);
    // The headers, a part of the body (`count` is not 0), or the end of a request has come. Each part is taken in whole.
    // If the result is false, the connection is closed.
    bool (*came)(void *context, struct MHD_Connection *connection, void *began, const char *method, const char *version,
        const char *_Nullable bytes, size_t count);
    // The library says that it refuses a request by itself, whose headers it has read, for one of its headers.
    void (*refuses)(void *context);
    // A request is over; `is_answered` tells whether its answer was sent in whole.
    void (*ended)(void *context, void *began, bool is_answered);
};

struct cmicrohttpd_options {
    int listener;  // a socket that listens; the daemon closes it when it stops
    unsigned int most_connections;
    unsigned int stall_seconds;  // how long a connection may neither give nor take a byte
    size_t connection_bytes;     // the memory of a connection
    const char *_Nullable certificate;  // PEM, with `key`; NULL: no TLS
    const char *_Nullable key;
    void *context;
    struct cmicrohttpd_callbacks callbacks;
};

// A running daemon.
struct cmicrohttpd_daemon;

// Starts a daemon. NULL, with a reason in `reason`, which may be empty, if it does not start.
struct cmicrohttpd_daemon *_Nullable cmicrohttpd_start(const struct cmicrohttpd *library,
    const struct cmicrohttpd_options *options, char *reason, size_t reason_size);

// Gives connections from now on another certificate with its key, both as PEM; those that are open keep theirs. On any thread, but
// not during a stop. False, with a reason in `reason`, if the two cannot be used: nothing is changed then.
bool cmicrohttpd_replace_certificate(struct cmicrohttpd_daemon *daemon, const char *certificate, const char *key,
    char *reason, size_t reason_size);

// Closes the listener and all connections, none of which may be suspended, waits for the daemon's thread, and frees the daemon.
void cmicrohttpd_stop(struct cmicrohttpd_daemon *daemon);

// Takes a connection out of the daemon's loop, until it is resumed; only inside `came` and inside the reader of a stream.
void cmicrohttpd_suspend(const struct cmicrohttpd *library, struct MHD_Connection *connection);

// Gives a suspended connection back to the daemon; on any thread.
void cmicrohttpd_resume(const struct cmicrohttpd *library, struct MHD_Connection *connection);

// The bytes of the headers of a request, its first line included; inside `came`.
size_t cmicrohttpd_header_size(const struct cmicrohttpd *library, struct MHD_Connection *connection);

// Calls `body` for each header of a request, in order; inside `came`.
void cmicrohttpd_headers(const struct cmicrohttpd *library, struct MHD_Connection *connection, void *context,
    void (*body)(void *context, const char *name, size_t name_length, const char *_Nullable value, size_t value_length));

// Whether the library's view of a request's first line and headers leaves nothing out: otherwise another reader may see another
// request. Inside the first `came` of a request, whose `method` and `version` are given as they were there.
bool cmicrohttpd_reads_whole_head(const struct cmicrohttpd *library, struct MHD_Connection *connection, const char *method,
    const char *version);

// An answer with a copy of the bytes as its body; NULL without memory.
struct MHD_Response *_Nullable cmicrohttpd_bytes(
    const struct cmicrohttpd *library, const void *_Nullable bytes, size_t count);

// An answer whose body is asked for: `read` returns the count of the bytes that it copied; 0 if it has suspended the
// connection; CMICROHTTPD_END, or CMICROHTTPD_FAILURE, which closes the connection. `release` is called at last, and here if
// there is no memory, where the result is NULL. `length` is the count of all bytes, or UINT64_MAX if nobody knows it, which sends the
// body in chunks; an end before all bytes closes the connection. `is_head` tells that the request is one for the headers alone: the library
// would send the end of a chunked body all the same, and so the connection is closed instead.
struct MHD_Response *_Nullable cmicrohttpd_stream(const struct cmicrohttpd *library, uint64_t length, size_t block_size,
    bool is_head, void *context, ssize_t (*read)(void *_Nullable context, uint64_t position, char *buffer, size_t size),
    void (*release)(void *_Nullable context));

enum { CMICROHTTPD_END = -1, CMICROHTTPD_FAILURE = -2 };

// Adds a header to an answer; false if it is malformed.
bool cmicrohttpd_add_header(
    const struct cmicrohttpd *library, struct MHD_Response *response, const char *name, const char *value);

// Queues an answer, inside `came`; false if it cannot be.
bool cmicrohttpd_queue(const struct cmicrohttpd *library, struct MHD_Connection *connection, unsigned int status,
    struct MHD_Response *response);

// Gives up the caller's hold on an answer, queued or not.
void cmicrohttpd_release(const struct cmicrohttpd *library, struct MHD_Response *response);

// How many milliseconds ago the last bytes of a socket's peer came; -1 if the system does not tell.
int64_t cmicrohttpd_silence(int descriptor);

#pragma clang assume_nonnull end
