#include "CMicroHTTPD.h"

#include <dlfcn.h>
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

// Each function has the type that the library's header gives it.
struct cmicrohttpd {
    __typeof__(&MHD_add_response_header) add_response_header;
    __typeof__(&MHD_create_response_from_buffer) create_response_from_buffer;
    __typeof__(&MHD_create_response_from_callback) create_response_from_callback;
    __typeof__(&MHD_destroy_response) destroy_response;
    __typeof__(&MHD_get_connection_info) get_connection_info;
    __typeof__(&MHD_get_connection_values_n) get_connection_values_n;
    __typeof__(&MHD_get_reason_phrase_for) get_reason_phrase_for;
    __typeof__(&MHD_is_feature_supported) is_feature_supported;
    __typeof__(&MHD_queue_response) queue_response;
    __typeof__(&MHD_quiesce_daemon) quiesce_daemon;
    __typeof__(&MHD_resume_connection) resume_connection;
    __typeof__(&MHD_set_response_options) set_response_options;
    __typeof__(&MHD_start_daemon) start_daemon;
    __typeof__(&MHD_stop_daemon) stop_daemon;
    __typeof__(&MHD_suspend_connection) suspend_connection;
};

#define FIND(name) \
    (library->name = (__typeof__(library->name))dlsym(handle, "MHD_" #name)) != NULL

static bool find_functions(struct cmicrohttpd *library, void *handle) {
    return FIND(add_response_header) && FIND(create_response_from_buffer) && FIND(create_response_from_callback)
        && FIND(destroy_response) && FIND(get_connection_info) && FIND(get_connection_values_n)
        && FIND(get_reason_phrase_for) && FIND(is_feature_supported) && FIND(queue_response) && FIND(quiesce_daemon)
        && FIND(resume_connection) && FIND(set_response_options) && FIND(start_daemon) && FIND(stop_daemon)
        && FIND(suspend_connection);
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
        if (library != NULL && find_functions(library, handle)) return library;
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

// -- The daemon

struct cmicrohttpd_daemon {
    const struct cmicrohttpd *library;
    struct MHD_Daemon *daemon;
    struct cmicrohttpd_callbacks callbacks;
    void *context;
    pthread_t starter;
    char message[256];
};

// Only the first message of a failing start is of use: those behind it are general. The daemon's own thread would write at the
// same time.
//
// While it serves, a message is the only sign of an answer that the library makes by itself. It sends the head of such an answer
// twice (0.9.75) if a request has a malformed length or no host.
static void log_message(void *context, const char *format, va_list arguments) {
    struct cmicrohttpd_daemon *daemon = context;
    if (!pthread_equal(pthread_self(), daemon->starter)) {
        char text[128];
        vsnprintf(text, sizeof text, format, arguments);
        if (strstr(text, "Content-Length") != NULL || strstr(text, "Host") != NULL)
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
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (*slot != NULL) daemon->callbacks.closed(daemon->context, *slot);
        return;
    }
    const struct sockaddr *address = NULL;
    int descriptor = -1;
    const union MHD_ConnectionInfo *information =
        daemon->library->get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (information != NULL) address = information->client_addr;
    information = daemon->library->get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (information != NULL) descriptor = information->connect_fd;
    *slot = daemon->callbacks.opened(daemon->context, connection, address, descriptor);
}

static void *begin_request(void *context, const char *target, struct MHD_Connection *connection) {
    struct cmicrohttpd_daemon *daemon = context;
    const union MHD_ConnectionInfo *information =
        daemon->library->get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return daemon->callbacks.began(daemon->context, connection, information->socket_context, target);
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
    free(daemon);
    return NULL;
}

int cmicrohttpd_quiesce(struct cmicrohttpd_daemon *daemon) { return daemon->library->quiesce_daemon(daemon->daemon); }

void cmicrohttpd_stop(struct cmicrohttpd_daemon *daemon) {
    daemon->library->stop_daemon(daemon->daemon);
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

// -- Answers

struct MHD_Response *cmicrohttpd_bytes(const struct cmicrohttpd *library, const void *bytes, size_t count) {
    return library->create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

struct MHD_Response *cmicrohttpd_stream(const struct cmicrohttpd *library, size_t block_size, bool is_head, void *context,
    ssize_t (*read)(void *context, uint64_t position, char *buffer, size_t size), void (*release)(void *context)) {
    struct MHD_Response *response =
        library->create_response_from_callback(MHD_SIZE_UNKNOWN, block_size, read, context, release);
    if (response == NULL) {
        release(context);
    } else if (is_head) {
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
