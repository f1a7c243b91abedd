#include "CMicroHTTPD.h"

#include <dlfcn.h>
#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// -- The library

// The functions of GnuTLS, by which the library encrypts, with the types of its header; the pointers are those to its structures.
struct tls_functions {
    int (*certificate_allocate_credentials)(void **credentials);
    void (*certificate_free_credentials)(void *credentials);
    int (*certificate_set_x509_key_mem)(void *credentials, const gnutls_datum_t *certificate, const gnutls_datum_t *key,
        gnutls_x509_crt_fmt_t format);
    int (*credentials_set)(void *session, gnutls_credentials_type_t type, void *credentials);
    const char *(*strerror)(int code);
    int (*x509_crt_init)(void **certificate);
    int (*x509_crt_import)(void *certificate, const gnutls_datum_t *data, gnutls_x509_crt_fmt_t format);
    time_t (*x509_crt_get_expiration_time)(void *certificate);
    void (*x509_crt_deinit)(void *certificate);
};

// Each function has the type that the library's header gives it.
struct cmicrohttpd {
    __typeof__(&MHD_add_response_header) add_response_header;
    __typeof__(&MHD_create_response_from_buffer) create_response_from_buffer;
    __typeof__(&MHD_create_response_from_callback) create_response_from_callback;
    __typeof__(&MHD_destroy_response) destroy_response;
    __typeof__(&MHD_get_connection_info) get_connection_info;
    __typeof__(&MHD_get_connection_values_n) get_connection_values_n;
    __typeof__(&MHD_get_reason_phrase_for) get_reason_phrase_for;
    __typeof__(&MHD_get_version) get_version;
    __typeof__(&MHD_is_feature_supported) is_feature_supported;
    __typeof__(&MHD_queue_response) queue_response;
    __typeof__(&MHD_resume_connection) resume_connection;
    __typeof__(&MHD_set_response_options) set_response_options;
    __typeof__(&MHD_start_daemon) start_daemon;
    __typeof__(&MHD_stop_daemon) stop_daemon;
    __typeof__(&MHD_suspend_connection) suspend_connection;
    struct tls_functions tls;
};

#define FIND(name) \
    (library->name = (__typeof__(library->name))dlsym(handle, "MHD_" #name)) != NULL

static bool find_functions(struct cmicrohttpd *library, void *handle) {
    return FIND(add_response_header) && FIND(create_response_from_buffer) && FIND(create_response_from_callback)
        && FIND(destroy_response) && FIND(get_connection_info) && FIND(get_connection_values_n)
        && FIND(get_reason_phrase_for) && FIND(get_version) && FIND(is_feature_supported) && FIND(queue_response)
        && FIND(resume_connection) && FIND(set_response_options) && FIND(start_daemon) && FIND(stop_daemon)
        && FIND(suspend_connection);
}

#define FIND_TLS(name) \
    (functions->name = (__typeof__(functions->name))dlsym(handle, "gnutls_" #name)) != NULL

// A library that encrypts is linked to GnuTLS, whose functions are found through the library. Without them no certificate is
// replaced.
static void find_tls(struct tls_functions *functions, void *handle) {
    bool is_complete = FIND_TLS(certificate_allocate_credentials) && FIND_TLS(certificate_free_credentials)
        && FIND_TLS(certificate_set_x509_key_mem) && FIND_TLS(credentials_set) && FIND_TLS(strerror)
        && FIND_TLS(x509_crt_init) && FIND_TLS(x509_crt_import) && FIND_TLS(x509_crt_get_expiration_time)
        && FIND_TLS(x509_crt_deinit);
    if (!is_complete) *functions = (struct tls_functions){0};
}

static void tell(char *reason, size_t size, const char *text) {
    snprintf(reason, size, "%s", text != NULL ? text : "");
}

const struct cmicrohttpd *cmicrohttpd_load(const char *const *names, char *reason, size_t reason_size) {
    tell(reason, reason_size, "no library is named");
    for (; *names != NULL; names++) {
        void *handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        if (handle == NULL) {
            tell(reason, reason_size, dlerror());
            continue;
        }
        struct cmicrohttpd *library = calloc(1, sizeof *library);
        if (library != NULL && find_functions(library, handle)) {
            find_tls(&library->tls, handle);
            return library;
        }
        tell(reason, reason_size, library != NULL ? dlerror() : "no memory is left");
        free(library);
        dlclose(handle);
        return NULL;
    }
    return NULL;
}

bool cmicrohttpd_has_tls(const struct cmicrohttpd *library) {
    return library->is_feature_supported(MHD_FEATURE_TLS) == MHD_YES;
}

const char *cmicrohttpd_reason_phrase(const struct cmicrohttpd *library, unsigned int status) {
    return library->get_reason_phrase_for(status);
}

static gnutls_datum_t datum(const char *text) {
    return (gnutls_datum_t){.data = (unsigned char *)text, .size = (unsigned int)strlen(text)};
}

int64_t cmicrohttpd_expiration(const struct cmicrohttpd *library, const char *certificate) {
    const struct tls_functions *tls = &library->tls;
    void *parsed = NULL;
    if (tls->x509_crt_init == NULL || tls->x509_crt_init(&parsed) < 0) return -1;
    gnutls_datum_t text = datum(certificate);
    // Of a chain, the first one is the server's own.
    bool is_read = tls->x509_crt_import(parsed, &text, GNUTLS_X509_FMT_PEM) >= 0;
    int64_t end = is_read ? (int64_t)tls->x509_crt_get_expiration_time(parsed) : -1;
    tls->x509_crt_deinit(parsed);
    return end;
}

// -- The daemon

// A certificate in the place of that of the start, with its key.
struct credentials {
    void *handle;
    // The connections that began with it; only the daemon's thread counts them.
    size_t users;
    // What it has replaced, and connections may still use.
    struct credentials *earlier;
};

// What belongs to an open connection.
struct open_connection {
    void *opened;
    struct credentials *credentials;
    // Where the target of the present request began and ended, before anything was changed in the connection's memory.
    const char *target;
    const char *target_end;
};

struct cmicrohttpd_daemon {
    const struct cmicrohttpd *library;
    struct MHD_Daemon *daemon;
    struct cmicrohttpd_callbacks callbacks;
    void *context;
    pthread_t starter;
    // For `credentials`.
    pthread_mutex_t lock;
    // The newest; NULL for the certificate of the start.
    struct credentials *credentials;
    char message[256];
};

static void free_credentials(struct cmicrohttpd_daemon *daemon, struct credentials *credentials) {
    daemon->library->tls.certificate_free_credentials(credentials->handle);
    free(credentials);
}

// Frees the earlier credentials that no connection uses any more. On the daemon's thread, which has freed the sessions of closed
// connections before it opens another one.
static void free_unused_credentials(struct cmicrohttpd_daemon *daemon) {
    struct credentials **place = &daemon->credentials->earlier;
    while (*place != NULL) {
        struct credentials *credentials = *place;
        if (credentials->users > 0) {
            place = &credentials->earlier;
        } else {
            *place = credentials->earlier;
            free_credentials(daemon, credentials);
        }
    }
}

// Gives a new connection the newest certificate, before its handshake.
static struct credentials *set_credentials(struct cmicrohttpd_daemon *daemon, struct MHD_Connection *connection) {
    pthread_mutex_lock(&daemon->lock);
    struct credentials *credentials = daemon->credentials;
    if (credentials != NULL) free_unused_credentials(daemon);
    pthread_mutex_unlock(&daemon->lock);
    if (credentials == NULL) return NULL;
    const union MHD_ConnectionInfo *information =
        daemon->library->get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    if (information == NULL || information->tls_session == NULL) return NULL;
    int code = daemon->library->tls.credentials_set(information->tls_session, GNUTLS_CRD_CERTIFICATE, credentials->handle);
    if (code < 0) return NULL;
    credentials->users++;
    return credentials;
}

bool cmicrohttpd_replace_certificate(
    struct cmicrohttpd_daemon *daemon, const char *certificate, const char *key, char *reason, size_t reason_size) {
    const struct tls_functions *tls = &daemon->library->tls;
    if (tls->credentials_set == NULL) {
        tell(reason, reason_size, "this build of libmicrohttpd replaces no certificate");
        return false;
    }
    struct credentials *credentials = calloc(1, sizeof *credentials);
    if (credentials == NULL || tls->certificate_allocate_credentials(&credentials->handle) < 0) {
        free(credentials);
        tell(reason, reason_size, "no memory is left");
        return false;
    }
    gnutls_datum_t certificate_text = datum(certificate), key_text = datum(key);
    int code = tls->certificate_set_x509_key_mem(
        credentials->handle, &certificate_text, &key_text, GNUTLS_X509_FMT_PEM);
    if (code < 0) {
        tell(reason, reason_size, tls->strerror(code));
        free_credentials(daemon, credentials);
        return false;
    }
    pthread_mutex_lock(&daemon->lock);
    credentials->earlier = daemon->credentials;
    daemon->credentials = credentials;
    pthread_mutex_unlock(&daemon->lock);
    return true;
}

// Only the first message of a failing start is of use: those behind it are general. The daemon's own thread would write at the
// same time.
//
// While it serves, a message is the only sign of an answer that the library makes by itself. It sends the head of such an answer
// twice (0.9.75) if a request has a malformed length or no host, or more cookies than the connection has memory for.
static void log_message(void *context, const char *format, va_list arguments) {
    struct cmicrohttpd_daemon *daemon = context;
    if (!pthread_equal(pthread_self(), daemon->starter)) {
        char text[128];
        vsnprintf(text, sizeof text, format, arguments);
        if (strstr(text, "Content-Length") != NULL || strstr(text, "Host") != NULL
            || strstr(text, "Not enough memory in pool") != NULL)
            daemon->callbacks.refuses(daemon->context);
        return;
    }
    if (daemon->message[0] != 0) return;
    vsnprintf(daemon->message, sizeof daemon->message, format, arguments);
    daemon->message[strcspn(daemon->message, "\r\n")] = 0;
}

static enum MHD_Result accept_client(void *context, const struct sockaddr *address, socklen_t length) {
    struct cmicrohttpd_daemon *daemon = context;
    (void)length;  // that of the address's family
    return daemon->callbacks.accepts(daemon->context, address) ? MHD_YES : MHD_NO;
}

static void notify_connection(
    void *context, struct MHD_Connection *connection, void **slot, enum MHD_ConnectionNotificationCode code) {
    struct cmicrohttpd_daemon *daemon = context;
    struct open_connection *open = *slot;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (open == NULL) return;
        if (open->credentials != NULL) open->credentials->users--;
        daemon->callbacks.closed(daemon->context, open->opened);
        free(open);
        return;
    }
    open = calloc(1, sizeof *open);
    if (open == NULL) abort();
    open->credentials = set_credentials(daemon, connection);
    const struct sockaddr *address = NULL;
    int descriptor = -1;
    const union MHD_ConnectionInfo *information =
        daemon->library->get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (information != NULL) address = information->client_addr;
    information = daemon->library->get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (information != NULL) descriptor = information->connect_fd;
    open->opened = daemon->callbacks.opened(daemon->context, connection, address, descriptor);
    *slot = open;
}

// Keeps the library from taking apart the arguments behind the question mark, which nobody asks it for: without memory for the
// parts, it would answer on its own, and go on as if it had not.
static void drop_arguments(const char *target) {
    // The text lies in the connection's memory.
    char *query = target != NULL ? strchr((char *)target, '?') : NULL;
    if (query != NULL) query[1] = 0;
}

static void *begin_request(void *context, const char *target, struct MHD_Connection *connection) {
    struct cmicrohttpd_daemon *daemon = context;
    const union MHD_ConnectionInfo *information =
        daemon->library->get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct open_connection *open = information->socket_context;
    open->target = target;
    open->target_end = target != NULL ? target + strlen(target) : NULL;
    void *began = daemon->callbacks.began(daemon->context, connection, open->opened, target);
    drop_arguments(target);
    return began;
}

static enum MHD_Result handle_request(void *context, struct MHD_Connection *connection, const char *url,
    const char *method, const char *version, const char *bytes, size_t *count, void **slot) {
    struct cmicrohttpd_daemon *daemon = context;
    (void)url;  // decoded, where `began` has the client's own text
    size_t given = *count;
    *count = 0;
    bool goes_on = daemon->callbacks.came(daemon->context, connection, *slot, method, version, bytes, given);
    return goes_on ? MHD_YES : MHD_NO;
}

static void end_request(
    void *context, struct MHD_Connection *connection, void **slot, enum MHD_RequestTerminationCode code) {
    struct cmicrohttpd_daemon *daemon = context;
    (void)connection;
    if (*slot == NULL) return;
    daemon->callbacks.ended(daemon->context, *slot, code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
    *slot = NULL;
}

// The target is decoded elsewhere, and strictly.
static size_t leave_escaped(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

struct cmicrohttpd_daemon *cmicrohttpd_start(const struct cmicrohttpd *library,
    const struct cmicrohttpd_options *options, char *reason, size_t reason_size) {
    struct cmicrohttpd_daemon *daemon = calloc(1, sizeof *daemon);
    if (daemon == NULL) {
        tell(reason, reason_size, "no memory is left");
        return NULL;
    }
    daemon->library = library;
    daemon->callbacks = options->callbacks;
    daemon->context = options->context;
    daemon->starter = pthread_self();
    pthread_mutex_init(&daemon->lock, NULL);

    bool has_tls = options->certificate != NULL && options->key != NULL;
    struct MHD_OptionItem items[] = {
        // First, since the library prints what it says before.
        {MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)log_message, daemon},
        {MHD_OPTION_LISTEN_SOCKET, options->listener, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, options->most_connections, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, options->stall_seconds, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)options->connection_bytes, NULL},
        {MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)notify_connection, daemon},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)end_request, daemon},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)begin_request, daemon},
        {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)leave_escaped, NULL},
        {has_tls ? MHD_OPTION_HTTPS_MEM_CERT : MHD_OPTION_END, 0, (void *)options->certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)options->key},
        // RFC 8996 takes the earlier versions out of use.
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-TLS1.0:-VERS-TLS1.1"},
        {MHD_OPTION_END, 0, NULL},
    };
    unsigned int flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    flags |= library->is_feature_supported(MHD_FEATURE_EPOLL) == MHD_YES ? MHD_USE_EPOLL : MHD_USE_POLL;
    if (has_tls) flags |= MHD_USE_TLS;
    // The daemon's thread inherits the mask: signals are for the threads of the program that expect them.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    daemon->daemon = library->start_daemon(
        flags, 0, accept_client, daemon, handle_request, daemon, MHD_OPTION_ARRAY, items, MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (daemon->daemon != NULL) return daemon;
    tell(reason, reason_size, daemon->message);
    pthread_mutex_destroy(&daemon->lock);
    free(daemon);
    return NULL;
}

void cmicrohttpd_stop(struct cmicrohttpd_daemon *daemon) {
    daemon->library->stop_daemon(daemon->daemon);
    while (daemon->credentials != NULL) {
        struct credentials *credentials = daemon->credentials;
        daemon->credentials = credentials->earlier;
        free_credentials(daemon, credentials);
    }
    pthread_mutex_destroy(&daemon->lock);
    free(daemon);
}

// -- Requests

void cmicrohttpd_suspend(const struct cmicrohttpd *library, struct MHD_Connection *connection) {
    library->suspend_connection(connection);
}

void cmicrohttpd_resume(const struct cmicrohttpd *library, struct MHD_Connection *connection) {
    library->resume_connection(connection);
}

size_t cmicrohttpd_header_size(const struct cmicrohttpd *library, struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *information =
        library->get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return information != NULL ? information->header_size : 0;
}

struct iteration {
    void *context;
    void (*body)(void *context, const char *name, size_t name_length, const char *value, size_t value_length);
};

static enum MHD_Result iterate(void *context, enum MHD_ValueKind kind, const char *name, size_t name_length,
    const char *value, size_t value_length) {
    struct iteration *iteration = context;
    (void)kind;
    iteration->body(iteration->context, name, name_length, value, value_length);
    return MHD_YES;
}

void cmicrohttpd_headers(const struct cmicrohttpd *library, struct MHD_Connection *connection, void *context,
    void (*body)(void *context, const char *name, size_t name_length, const char *value, size_t value_length)) {
    struct iteration iteration = {context, body};
    library->get_connection_values_n(connection, MHD_HEADER_KIND, iterate, &iteration);
}

// The library has set the end of each line, CR and LF, to zero bytes.
enum { line_end_size = 2 };

// Goes from one header to the next, through the connection's memory.
struct head_reading {
    // Where the next line has to begin.
    const char *next;
    bool is_whole;
};

static enum MHD_Result follow_line(void *context, enum MHD_ValueKind kind, const char *name, size_t name_length,
    const char *value, size_t value_length) {
    struct head_reading *reading = context;
    (void)kind;
    const char *behind_colon = name + name_length + 1;
    reading->is_whole = name == reading->next && value != NULL && value == behind_colon + strspn(behind_colon, " \t");
    if (!reading->is_whole) return MHD_NO;
    reading->next = value + value_length + line_end_size;
    return MHD_YES;
}

// A line that continues the one before is added to that one's name elsewhere in memory; a zero byte ends a name, a value, a target or
// the headers early; a line may end with LF alone. Each leaves a gap between what the library tells of two lines, or behind the last.
//
// One case leaves none: a zero byte in front of an LF without a CR looks like the end of a line, and is taken for one.
bool cmicrohttpd_reads_whole_head(const struct cmicrohttpd *library, struct MHD_Connection *connection, const char *method,
    const char *version) {
    // From 1.0 on, the library refuses such requests by itself, and may keep a value without the space behind it.
    if (strncmp(library->get_version(), "0.", 2) != 0) return true;
    const union MHD_ConnectionInfo *information =
        library->get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    const struct open_connection *open = information->socket_context;
    const char *target = method + strlen(method) + 1;
    target += strspn(target, " ");
    if (open->target != target || open->target_end + 1 != version) return false;
    struct head_reading reading = {version + strlen(version) + line_end_size, true};
    library->get_connection_values_n(connection, MHD_HEADER_KIND, follow_line, &reading);
    const char *end = method + cmicrohttpd_header_size(library, connection);
    return reading.is_whole && reading.next + line_end_size == end;
}

// -- Answers

struct MHD_Response *cmicrohttpd_bytes(const struct cmicrohttpd *library, const void *bytes, size_t count) {
    return library->create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

struct MHD_Response *cmicrohttpd_stream(const struct cmicrohttpd *library, uint64_t length, size_t block_size, bool is_head,
    void *context, ssize_t (*read)(void *context, uint64_t position, char *buffer, size_t size),
    void (*release)(void *context)) {
    struct MHD_Response *response = library->create_response_from_callback(
        length == UINT64_MAX ? MHD_SIZE_UNKNOWN : length, block_size, read, context, release);
    if (response == NULL) {
        release(context);
    } else if (is_head && length == UINT64_MAX) {
        library->set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
    }
    return response;
}

bool cmicrohttpd_add_header(
    const struct cmicrohttpd *library, struct MHD_Response *response, const char *name, const char *value) {
    return library->add_response_header(response, name, value) == MHD_YES;
}

bool cmicrohttpd_queue(const struct cmicrohttpd *library, struct MHD_Connection *connection, unsigned int status,
    struct MHD_Response *response) {
    return library->queue_response(connection, status, response) == MHD_YES;
}

void cmicrohttpd_release(const struct cmicrohttpd *library, struct MHD_Response *response) {
    library->destroy_response(response);
}

// -- Sockets

int64_t cmicrohttpd_silence(int descriptor) {
#ifdef __linux__
    struct tcp_info information;
    socklen_t length = sizeof information;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &information, &length) == 0) return information.tcpi_last_data_recv;
#else
    (void)descriptor;
#endif
    return -1;
}
