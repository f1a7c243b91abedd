#define _GNU_SOURCE
#include "CLine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

extern char **environ;

#define HEADER 5
// What a pipe takes without blocking once it is writable.
#define PIECE 4096

// -- Signals

static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define WATCHED (sizeof watched / sizeof watched[0])

static volatile sig_atomic_t signals;      // how many have come
static volatile sig_atomic_t last_signal;  // the number of the last one

static void note_signal(int number) {
    signals++;
    last_signal = number;
}

// The signals' effects and mask before.
static struct sigaction earlier[WATCHED];
static sigset_t earlier_mask;
// The mask while the process waits; at other times the signals are blocked.
static sigset_t waiting_mask;

static void watch_signals(void) {
    sigset_t blocked;
    sigemptyset(&blocked);
    for (size_t i = 0; i < WATCHED; i++) sigaddset(&blocked, watched[i]);
    sigprocmask(SIG_BLOCK, &blocked, &earlier_mask);
    waiting_mask = earlier_mask;
    struct sigaction action = {.sa_handler = note_signal};
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < WATCHED; i++) {
        sigaction(watched[i], NULL, &earlier[i]);
        // As under nohup(1), and in the background of a script.
        if (earlier[i].sa_handler == SIG_IGN && watched[i] != SIGTERM) continue;
        sigaction(watched[i], &action, NULL);
        sigdelset(&waiting_mask, watched[i]);
    }
}

static void unwatch_signals(void) {
    for (size_t i = 0; i < WATCHED; i++) sigaction(watched[i], &earlier[i], NULL);
    sigprocmask(SIG_SETMASK, &earlier_mask, NULL);
}

static _Noreturn void die(int number) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(number, &action, NULL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    // The signal ends no process.
    _exit(128 + number);
}

// -- The talk

struct talk {
    int socket;
    char key[128];
    int signal;  // the first one that has come, or 0
    uint32_t attempt;
    // The bytes of this attempt's output.
    unsigned long long written[2];
    // What has arrived and is not taken.
    size_t length;
    unsigned char buffer[HEADER + CLINE_LONGEST_MESSAGE];
};

static void put_number(unsigned char *bytes, uint32_t number) {
    for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(number >> 8 * i);
}

static uint32_t number_of(const unsigned char *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static int send_all(int socket, const unsigned char *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = send(socket, bytes, length, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return -1;
        bytes += count;
        length -= (size_t)count;
    }
    return 0;
}

static int send_short(int socket, enum cline_kind kind, uint32_t number, int has_number) {
    unsigned char bytes[HEADER + 4];
    bytes[0] = (unsigned char)kind;
    put_number(bytes + 1, has_number ? 4 : 0);
    put_number(bytes + HEADER, number);
    return send_all(socket, bytes, has_number ? HEADER + 4 : HEADER);
}

// Waits until a descriptor is ready. Passes the first signal on, and ends the process at the second one.
static void wait_for(struct talk *talk, int descriptor, short events) {
    for (;;) {
        struct pollfd item = {.fd = descriptor, .events = events};
        int count = ppoll(&item, 1, NULL, &waiting_mask);
        if (signals > 1) die(last_signal);
        if (signals == 1 && talk->signal == 0) {
            talk->signal = last_signal;
            // Without the other end, the next read finds it gone.
            (void)send_short(talk->socket, CLINE_SIGNAL, (uint32_t)talk->signal, 1);
        }
        if (count > 0 || (count < 0 && errno != EINTR)) return;
    }
}

// Writes bytes; returns 0 or errno. Counts what is written.
static int write_all(struct talk *talk, int descriptor, const unsigned char *bytes, size_t length, unsigned long long *counter) {
    while (length > 0) {
        wait_for(talk, descriptor, POLLOUT);
        ssize_t count = write(descriptor, bytes, length < PIECE ? length : PIECE);
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (count < 0) return errno;
        bytes += count;
        length -= (size_t)count;
        if (counter != NULL) *counter += (unsigned long long)count;
    }
    return 0;
}

static int send_call(int socket, int count, char **arguments) {
    const char *given = getenv("PWD");
    struct stat named, present;
    if (given == NULL || given[0] != '/' || stat(given, &named) != 0 || stat(".", &present) != 0
        || named.st_dev != present.st_dev || named.st_ino != present.st_ino)
        given = "";
    // Without a directory, the command tells of it.
    char *directory = getcwd(NULL, 0);
    if (directory == NULL) return -1;
    size_t length = 16 + strlen(given) + 1 + strlen(directory) + 1;
    uint32_t variables = 0;
    for (int i = 0; i < count; i++) length += strlen(arguments[i]) + 1;
    for (char **next = environ; *next != NULL; next++, variables++) length += strlen(*next) + 1;
    unsigned char *bytes = length < UINT32_MAX ? malloc(HEADER + length) : NULL;
    if (bytes == NULL) {
        free(directory);
        return -1;
    }
    // No other thread creates a file meanwhile.
    mode_t mask = umask(0);
    umask(mask);
    bytes[0] = CLINE_CALL;
    put_number(bytes + 1, (uint32_t)length);
    put_number(bytes + HEADER, CLINE_PROTOCOL);
    put_number(bytes + HEADER + 4, (uint32_t)mask);
    put_number(bytes + HEADER + 8, (uint32_t)count);
    put_number(bytes + HEADER + 12, variables);
    char *end = (char *)bytes + HEADER + 16;
    end = stpcpy(end, given) + 1;
    end = stpcpy(end, directory) + 1;
    for (int i = 0; i < count; i++) end = stpcpy(end, arguments[i]) + 1;
    for (char **next = environ; *next != NULL; next++) end = stpcpy(end, *next) + 1;
    int result = send_all(socket, bytes, HEADER + length);
    free(bytes);
    free(directory);
    return result;
}

// Does what a message says. Returns 0 to go on, 1 if the line is refused, and -1 if the other end makes no sense.
static int take(struct talk *talk, enum cline_kind kind, const unsigned char *content, size_t length) {
    int stream;
    switch (kind) {
        case CLINE_KEY:
            if (length >= sizeof talk->key) return -1;
            memcpy(talk->key, content, length);
            talk->key[length] = 0;
            return 0;
        case CLINE_STANDARD_OUTPUT:
        case CLINE_STANDARD_ERROR:
            stream = kind == CLINE_STANDARD_ERROR;
            int code = write_all(talk, stream ? STDERR_FILENO : STDOUT_FILENO, content, length, &talk->written[stream]);
            return code == 0 ? send_short(talk->socket, CLINE_WRITTEN, 0, 0)
                             : send_short(talk->socket, CLINE_UNWRITABLE, (uint32_t)code, 1);
        case CLINE_NOTE: (void)write_all(talk, STDERR_FILENO, content, length, NULL); return 0;
        case CLINE_EXIT:
            if (length != 4) return -1;
            _exit((int)number_of(content));
        case CLINE_DEATH:
            if (length != 4) return -1;
            die((int)number_of(content));
        case CLINE_REFUSAL: return 1;
        case CLINE_ATTEMPT:
            if (length != 4) return -1;
            talk->attempt = number_of(content);
            talk->written[0] = talk->written[1] = 0;
            return 0;
        default: return -1;
    }
}

// Talks until the end of the line. Returns 1 if the line is refused, and -1 if the other end has gone.
static int go_on(struct talk *talk) {
    for (;;) {
        size_t taken = 0;
        while (talk->length - taken >= HEADER) {
            const unsigned char *message = talk->buffer + taken;
            size_t length = number_of(message + 1);
            if (length > CLINE_LONGEST_MESSAGE) return -1;
            if (talk->length - taken < HEADER + length) break;
            int result = take(talk, (enum cline_kind)message[0], message + HEADER, length);
            if (result != 0) return result;
            taken += HEADER + length;
        }
        talk->length -= taken;
        memmove(talk->buffer, talk->buffer + taken, talk->length);
        wait_for(talk, talk->socket, POLLIN);
        ssize_t count = recv(talk->socket, talk->buffer + talk->length, sizeof talk->buffer - talk->length, 0);
        if (count == 0 || (count < 0 && errno != EINTR)) return -1;
        if (count > 0) talk->length += (size_t)count;
    }
}

// -- The lines that run here

int cline_line_position(int count, char *const *words) {
    int position = 0, has_line = 0;
    while (position < count && (words[position][0] == '-' || words[position][0] == '+')) {
        const char *word = words[position++], *option = word + 1;
        // Both end the options.
        if (option[0] == 0 || strcmp(option, "-") == 0) break;
        // bash has long options, such as --norc.
        if (option[0] == '-') continue;
        if (word[0] == '-' && strchr(option, 'c') != NULL) has_line = 1;
        // -o and -O take the next words, also among others: -euo pipefail.
        for (; *option != 0; option++) {
            if (*option == 'o' || *option == 'O') position++;
        }
    }
    return has_line && position < count ? position : -1;
}

int cline_names_make(const char *line) {
    // White space, and what stands between the words of a shell and around them.
    static const char separators[] = " \t\n\v\f\r'\"`;&|(){}<>=$\\+@";
    // The names under which make is installed; a shell that is given $$MAKE finds the last one.
    static const char *const names[] = {"make", "gmake", "gnumake", "remake", "MAKE"};
    for (;;) {
        line += strspn(line, separators);
        if (*line == 0) return 0;
        const char *name = line, *end = line + strcspn(line, separators);
        for (; line < end; line++) {
            if (*line == '/') name = line + 1;
        }
        size_t length = (size_t)(end - name);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            if (strlen(names[i]) == length && strncmp(name, names[i], length) == 0) return 1;
        }
        // make-4.4
        if (length > 5 && strncmp(name, "make-", 5) == 0 && name[5] >= '0' && name[5] <= '9') return 1;
    }
}

int cline_jobserver(const char *flags, int *reading, int *writing) {
    // The second is that of make before 4.2.
    static const char *const names[] = {"--jobserver-auth=", "--jobserver-fds="};
    while (*flags != 0) {
        size_t length = 0;
        for (int escaped = 0; flags[length] != 0 && (flags[length] != ' ' || escaped); length++) {
            escaped = flags[length] == '\\' && !escaped;
        }
        // The variables come behind it.
        if (length == 2 && strncmp(flags, "--", 2) == 0) return 0;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            size_t start = strlen(names[i]);
            if (length <= start || strncmp(flags, names[i], start) != 0) continue;
            char *end;
            long first = strtol(flags + start, &end, 10);
            if (end == flags + start || *end != ',') continue;
            const char *rest = end + 1;
            long second = strtol(rest, &end, 10);
            if (end == rest || end != flags + length) continue;
            *reading = (int)first;
            *writing = (int)second;
            return 1;
        }
        flags += length;
        if (*flags == ' ') flags++;
    }
    return 0;
}

static int is_pipe(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode);
}

int cline_runs_here(const char *line, const char *flags) {
    int reading, writing;
    if (cline_names_make(line)) return 1;
    return flags != NULL && cline_jobserver(flags, &reading, &writing) && is_pipe(reading) && is_pipe(writing);
}

// Becomes the shell of a line that runs here. Returns 0 for another line, and 1 if there is no such shell.
static int run_here(int count, char **words) {
    const char *shell = CLINE_USUAL_SHELL;
    if (count > 2 && strcmp(words[0], "--shell") == 0) {
        shell = words[1];
        words += 2;
        count -= 2;
    }
    // What may be an option of make-shell is left to it.
    if (count == 0 || shell[0] == 0 || shell[0] == '-' || strncmp(words[0], "--", 2) == 0 || strcmp(words[0], "-h") == 0) return 0;
    int position = cline_line_position(count, words);
    if (position < 0 || !cline_runs_here(words[position], getenv("MAKEFLAGS"))) return 0;
    char **call = malloc(((size_t)count + 2) * sizeof *call);
    if (call == NULL) return 1;
    call[0] = (char *)shell;
    memcpy(call + 1, words, (size_t)count * sizeof *call);
    call[count + 1] = NULL;
    execvp(shell, call);
    free(call);
    return 1;
}

// -- The call

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int directory = -1;
    if (strlen(path) < sizeof address.sun_path) {
        strcpy(address.sun_path, path);
    } else {
        // The open directory names a path that is too long for an address.
        const char *slash = strrchr(path, '/');
        char *parent = slash != NULL ? strndup(path, (size_t)(slash - path)) : NULL;
        if (parent != NULL) directory = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
        free(parent);
        if (directory < 0) return -1;
        int length = snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d%s", directory, slash);
        if (length < 0 || (size_t)length >= sizeof address.sun_path) {
            close(directory);
            return -1;
        }
    }
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor >= 0 && connect(descriptor, (const struct sockaddr *)&address, sizeof address) != 0) {
        close(descriptor);
        descriptor = -1;
    }
    if (directory >= 0) close(directory);
    return descriptor;
}

void cline_run(int count, char **arguments) {
    if (count < 3 || strcmp(arguments[1], "make-shell") != 0) return;
    // with-job has the submission of a lost line, and would submit it once more.
    if (getenv(CLINE_REST_VARIABLE) != NULL) return;
    if (run_here(count - 2, arguments + 2)) return;
    const char *path = getenv(CLINE_SOCKET_VARIABLE);
    if (path == NULL || path[0] == 0) return;
    // The descriptors of the standard streams are open, so that the socket is none of them.
    for (int descriptor = 0; descriptor < 3; descriptor++) {
        if (fcntl(descriptor, F_GETFD) < 0) return;
    }
    int socket = connect_to(path);
    if (socket < 0) return;
    static struct talk talk;
    talk.socket = socket;
    talk.attempt = 1;
    // A write to a pipe without a reader fails, and so does one beyond a limit of the file size.
    struct sigaction ignored = {.sa_handler = SIG_IGN}, pipe_before, size_before;
    sigaction(SIGPIPE, &ignored, &pipe_before);
    sigaction(SIGXFSZ, &ignored, &size_before);
    watch_signals();
    int result = send_call(socket, count - 2, arguments + 2);
    if (result == 0) result = go_on(&talk);
    close(socket);
    // Without its key nothing was submitted.
    if (result < 0 && talk.key[0] != 0) {
        char rest[sizeof talk.key + 80];
        snprintf(rest, sizeof rest, "%s %u %llu %llu %d", talk.key, (unsigned)talk.attempt, talk.written[0], talk.written[1], talk.signal);
        setenv(CLINE_REST_VARIABLE, rest, 1);
    }
    unwatch_signals();
    sigaction(SIGPIPE, &pipe_before, NULL);
    sigaction(SIGXFSZ, &size_before, NULL);
}
