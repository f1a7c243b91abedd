#define _GNU_SOURCE
#include "Calls.h"
#include "Child.h"

#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { STACK_SIZE = 64 * 1024, ARENA_SIZE = 64 * 1024 };

// What a child uses while its parent runs on. Its stack begins at the end of the arena and grows down.
struct cspawn_arena {
    // Not 0 while the child uses the arena: the kernel sets it to 0, and wakes who waits for that, when the child executes a program
    // or ends: clone(2), CLONE_CHILD_CLEARTID.
    _Atomic(uint32_t) is_used;
    int is_taken;  // from the start of a launch until it is settled
    struct launch launch;
    volatile struct cspawn_outcome outcome;
    // Copies of all texts of the request, behind the pointers to them.
    char *texts;
    size_t room;
};

struct cspawn_arenas {
    struct cspawn_arena *arenas[CSPAWN_ARENAS];  // NULL until it is needed
    int are_refused;  // the kernel, or what stands in its place, knows no child with its parent's memory beside which the parent runs
};

struct cspawn_arenas *cspawn_make_arenas(void) {
    return CALLS_ARE_DIRECT ? calloc(1, sizeof(struct cspawn_arenas)) : NULL;
}

static void await(struct cspawn_arena *arena) {
    uint32_t word;
    // The kernel wakes as for a word that several processes share.
    while ((word = atomic_load_explicit(&arena->is_used, memory_order_acquire)) != 0)
        syscall(SYS_futex, &arena->is_used, FUTEX_WAIT, word, NULL, NULL, 0);
}

void cspawn_drop_arenas(struct cspawn_arenas *arenas) {
    if (arenas == NULL) return;
    for (int place = 0; place < CSPAWN_ARENAS; place++) {
        struct cspawn_arena *arena = arenas->arenas[place];
        if (arena == NULL) continue;
        await(arena);
        free(arena->texts);
        munmap(arena, ARENA_SIZE);
    }
    free(arenas);
}

// A free arena; NULL if there is none.
static struct cspawn_arena *take_arena(struct cspawn_arenas *arenas) {
    for (int place = 0; place < CSPAWN_ARENAS; place++) {
        struct cspawn_arena *arena = arenas->arenas[place];
        if (arena == NULL) {
            arena = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
            if (arena == MAP_FAILED) return NULL;
            arenas->arenas[place] = arena;
        }
        if (!arena->is_taken) return arena;
    }
    return NULL;
}

// The pointers of a list, with its end.
static size_t count(const char *const *list) {
    size_t count = 1;
    while (*list++ != NULL) count++;
    return count;
}

// A place for copies, as far as there is room.
struct copies {
    const char **pointers;
    char *texts, *end;
};

// NULL where there is no room.
static const char *copy_text(struct copies *copies, const char *text) {
    size_t length = strlen(text) + 1;
    if ((size_t)(copies->end - copies->texts) < length) return NULL;
    char *copy = memcpy(copies->texts, text, length);
    copies->texts += length;
    return copy;
}

// NULL where there is no room.
static const char **copy_list(struct copies *copies, const char *const *list) {
    const char **first = copies->pointers;
    for (; *list != NULL; list++) {
        if ((*copies->pointers++ = copy_text(copies, *list)) == NULL) return NULL;
    }
    *copies->pointers++ = NULL;
    return first;
}

enum { FIRST_ROOM = 16 * 1024, LARGEST_KEPT_ROOM = 256 * 1024 };

static int make_room(struct cspawn_arena *arena, size_t room) {
    free(arena->texts);
    arena->texts = malloc(room);
    arena->room = arena->texts == NULL ? 0 : room;
    return arena->texts != NULL;
}

// Copies what a request points to, as its owner may change that while the child reads.
static int copy_request(struct cspawn_arena *arena, const struct cspawn_request *request) {
    const char *const *arguments = (const char *const *)request->arguments;
    const char *const *environment = (const char *const *)request->environment;
    struct cspawn_request *copy = &arena->launch.request;
    size_t size = (count(request->candidates) + count(arguments) + count(environment)) * sizeof(char *);
    if (arena->room < size && !make_room(arena, size + FIRST_ROOM)) return 0;
    while (1) {
        struct copies copies = {(const char **)(void *)arena->texts, arena->texts + size, arena->texts + arena->room};
        *copy = *request;
        copy->candidates = copy_list(&copies, request->candidates);
        if (copy->candidates != NULL) copy->arguments = (char *const *)copy_list(&copies, arguments);
        if (copy->candidates != NULL && copy->arguments != NULL)
            copy->environment = (char *const *)copy_list(&copies, environment);
        if (request->directory != NULL) copy->directory = copy_text(&copies, request->directory);
        int is_whole = copy->candidates != NULL && copy->arguments != NULL && copy->environment != NULL
            && (request->directory == NULL || copy->directory != NULL);
        if (is_whole) return 1;
        if (!make_room(arena, 2 * arena->room)) return 0;
    }
}

static void prepare(struct launch *launch) {
    launch->parent = getpid();
    launch->is_searched = strchr(launch->request.arguments[0], '/') == NULL;
    launch->outcome->step = CSPAWN_STARTED;
    launch->outcome->error = 0;
}

static const struct cspawn_result NO_PROCESS = {.process = -1, .descriptor = -1, .step = CSPAWN_STARTED};

// clone(2) returns once, into a function with a stack of its own, and hands out the pidfd with the process: there is no moment in
// which the child runs and cannot be watched.
static struct cspawn_result start(struct launch *launch, char *stack_end, int flags, _Atomic(uint32_t) *is_used) {
    struct cspawn_result result = NO_PROCESS;
    // SIGCHLD stays unblocked. Its default action is to be ignored, but a thread that blocks it, even during a launch, leaves it
    // pending for other threads, which wake for nothing. The child has no children whose end could send SIGCHLD here.
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGCHLD);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    result.process = clone(cspawn_child, stack_end, flags | CLONE_PIDFD | SIGCHLD, launch, &result.descriptor, NULL, is_used);
    result.error = result.process < 0 ? errno : 0;
    sigdelset(&before, SIGCHLD);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (result.process < 0) {
        result.descriptor = -1;
        result.step = CSPAWN_CLONE;
    }
    return result;
}

// Takes note of a child that has executed its program or failed to.
static void conclude(struct cspawn_result *result, const volatile struct cspawn_outcome *outcome) {
    if (outcome->step == CSPAWN_STARTED) return;
    close(result->descriptor);
    while (waitpid(result->process, NULL, 0) < 0 && errno == EINTR) continue;
    *result = NO_PROCESS;
    result->step = outcome->step;
    result->error = outcome->error;
}

// fork(2) by its flags: a child that waits for the other end of a pipe would let its parent wait too.
static struct cspawn_result start_waiting(const struct cspawn_request *request) {
    _Alignas(16) char stack[STACK_SIZE];
    // Memory instead of a pipe: nothing has to stay open in a child that closes all descriptors, and execve(2) takes it away.
    struct cspawn_outcome *later = mmap(NULL, sizeof *later, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct cspawn_result result = NO_PROCESS;
    if (later == MAP_FAILED) {
        result.step = CSPAWN_CLONE;
        result.error = errno;
        return result;
    }
    struct launch launch = {.request = *request, .outcome = later};
    prepare(&launch);
    result = start(&launch, stack + STACK_SIZE, 0, NULL);
    if (result.process < 0) {
        munmap(later, sizeof *later);
        return result;
    }
    // The child may not have come so far yet. Signals to its group would be lost, and so would be the note, if the caller moves
    // the file with the notes before.
    setpgid(result.process, result.process);
    cspawn_note_group(request, result.process);
    result.later = later;
    return result;
}

// vfork(2) by its flags: the child has this process's memory until it executes, while the calling thread stands still.
static struct cspawn_result start_alone(const struct cspawn_request *request) {
    _Alignas(16) char stack[STACK_SIZE];
    volatile struct cspawn_outcome outcome;
    struct launch launch = {.request = *request, .outcome = &outcome};
    prepare(&launch);
    struct cspawn_result result = start(&launch, stack + STACK_SIZE, CLONE_VM | CLONE_VFORK, NULL);
    if (result.process >= 0) conclude(&result, &outcome);
    return result;
}

struct cspawn_result cspawn(const struct cspawn_request *request) {
    return cspawn_has_pipes(request) ? start_waiting(request) : start_alone(request);
}

struct cspawn_result cspawn_begin(struct cspawn_arenas *arenas, const struct cspawn_request *request) {
    if (arenas == NULL || arenas->are_refused || cspawn_has_pipes(request)) return cspawn(request);
    // Where a group's memory is used up, the kernel ends a process in it and all others that have the same memory. It spares the
    // child of a vfork(2), but any other child would take this process along.
    if (request->control_group >= 0) return cspawn(request);
    struct cspawn_arena *arena = take_arena(arenas);
    if (arena == NULL || !copy_request(arena, request)) return cspawn(request);
    arena->launch.outcome = &arena->outcome;
    prepare(&arena->launch);
    atomic_store_explicit(&arena->is_used, 1, memory_order_relaxed);
    int flags = CLONE_VM | CLONE_CHILD_CLEARTID;
    struct cspawn_result result = start(&arena->launch, (char *)arena + ARENA_SIZE, flags, &arena->is_used);
    if (result.process >= 0) {
        arena->is_taken = 1;
        result.arena = arena;
        return result;
    }
    atomic_store_explicit(&arena->is_used, 0, memory_order_relaxed);
    if (result.error != EINVAL) return result;
    // An emulator of another processor, such as qemu's, does not.
    arenas->are_refused = 1;
    return cspawn(request);
}

int cspawn_has_settled(const struct cspawn_result *result) {
    return result->arena == NULL || atomic_load_explicit(&result->arena->is_used, memory_order_acquire) == 0;
}

void cspawn_settle(struct cspawn_result *result) {
    struct cspawn_arena *arena = result->arena;
    if (arena == NULL) return;
    await(arena);
    result->arena = NULL;
    conclude(result, &arena->outcome);
    if (arena->room > LARGEST_KEPT_ROOM) {
        free(arena->texts);
        arena->texts = NULL;
        arena->room = 0;
    }
    arena->is_taken = 0;
}
