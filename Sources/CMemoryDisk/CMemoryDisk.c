#include "CMemoryDisk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { lock_slots = 8, sector = 512, longest_path = 512 };

// A change of a file since its last sync: what undoes it, and while the changes are undone, what does it again.
struct change {
    sqlite3_int64 offset, length;  // the written bytes; no length: the file was cut
    sqlite3_int64 old_size, new_size;
    sqlite3_int64 saved_length;
    unsigned char *saved;  // the replaced or cut bytes from `offset` on; NULL for none
};

// The memory that the connections to a database share, with the locks on its slots: negative for an exclusive lock, otherwise the
// number of shared ones.
struct shared_memory {
    int users;
    int slots[lock_slots];
    int count;
    void **regions;
};

struct file {
    struct file *next;
    char *name;  // NULL: without a name, from the beginning or since its removal
    int users;   // the handles
    unsigned char *bytes;
    sqlite3_int64 size, capacity;
    struct change *changes;
    int change_count, change_capacity;
    int readers;            // the handles with a lock
    struct handle *writer;  // the handle with a lock above SQLITE_LOCK_SHARED
    struct shared_memory *memory;
    int is_foreign;  // written by cmemorydisk_write()
};

// What SQLite has open.
struct handle {
    sqlite3_file base;
    struct cmemorydisk *disk;
    struct file *file;
    unsigned restarts;  // those of the disk when the file was opened
    int level;          // the lock
    struct shared_memory *memory;
    unsigned shared_slots, exclusive_slots;  // a bit each
};

struct cmemorydisk {
    sqlite3_vfs vfs;
    char name[40];
    pthread_mutex_t lock;
    int users;  // the owner, and the handles
    struct file *files;
    unsigned restarts;
    int is_full, is_for_good, has_failed;
    sqlite3_int64 steps;  // the writes and syncs before the failure; negative: none will fail
};

// MARK: Files

static struct file *find(struct cmemorydisk *disk, const char *name) {
    struct file *file = disk->files;
    while (file && (!file->name || strcmp(file->name, name))) file = file->next;
    return file;
}

static struct file *add(struct cmemorydisk *disk, const char *name) {
    struct file *file = calloc(1, sizeof *file);
    if (!file) return NULL;
    if (name && !(file->name = strdup(name))) {
        free(file);
        return NULL;
    }
    file->next = disk->files;
    disk->files = file;
    return file;
}

static void forget_changes(struct file *file) {
    for (int i = 0; i < file->change_count; i++) free(file->changes[i].saved);
    file->change_count = 0;
}

static void release_memory(struct shared_memory *memory) {
    if (!memory || --memory->users > 0) return;
    for (int i = 0; i < memory->count; i++) free(memory->regions[i]);
    free(memory->regions);
    free(memory);
}

// Frees a file without a name and users.
static void free_if_gone(struct cmemorydisk *disk, struct file *file) {
    if (file->name || file->users > 0) return;
    struct file **place = &disk->files;
    while (*place != file) place = &(*place)->next;
    *place = file->next;
    forget_changes(file);
    free(file->changes);
    free(file->bytes);
    free(file);
}

static void remove_name(struct cmemorydisk *disk, struct file *file) {
    free(file->name);
    file->name = NULL;
    free_if_gone(disk, file);
}

static int reserve(struct file *file, sqlite3_int64 size) {
    if (size <= file->capacity) return SQLITE_OK;
    sqlite3_int64 capacity = file->capacity ? file->capacity : 1 << 16;
    while (capacity < size) capacity *= 2;
    unsigned char *bytes = realloc(file->bytes, capacity);
    if (!bytes) return SQLITE_IOERR_NOMEM;
    file->bytes = bytes;
    file->capacity = capacity;
    return SQLITE_OK;
}

// Sets the size; new bytes are 0.
static int resize(struct file *file, sqlite3_int64 size) {
    int code = reserve(file, size);
    if (code == SQLITE_OK) {
        if (size > file->size) memset(file->bytes + file->size, 0, size - file->size);
        file->size = size;
    }
    return code;
}

// Notes a change before it happens.
static int note_change(struct file *file, sqlite3_int64 offset, sqlite3_int64 length, sqlite3_int64 new_size) {
    if (file->change_count == file->change_capacity) {
        int capacity = file->change_capacity ? 2 * file->change_capacity : 32;
        struct change *changes = realloc(file->changes, capacity * sizeof *changes);
        if (!changes) return SQLITE_IOERR_NOMEM;
        file->changes = changes;
        file->change_capacity = capacity;
    }
    sqlite3_int64 end = length > 0 && offset + length < file->size ? offset + length : file->size;
    struct change change = {offset, length, file->size, new_size, end > offset ? end - offset : 0, NULL};
    if (change.saved_length > 0) {
        change.saved = malloc(change.saved_length);
        if (!change.saved) return SQLITE_IOERR_NOMEM;
        memcpy(change.saved, file->bytes + offset, change.saved_length);
    }
    file->changes[file->change_count++] = change;
    return SQLITE_OK;
}

// MARK: Faults

// Whether a write or sync has to fail now.
static int fails(struct cmemorydisk *disk) {
    if (disk->has_failed) return 1;
    if (disk->steps < 0 || disk->steps-- > 0) return 0;
    disk->has_failed = disk->is_for_good;
    return 1;
}

static uint64_t next_random(uint64_t *state) {
    uint64_t value = *state += 0x9E3779B97F4A7C15;
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
    value = (value ^ value >> 27) * 0x94D049BB133111EB;
    return value ^ value >> 31;
}

// Undoes the changes since the last sync, and does a part of them again.
static void lose_changes(struct file *file, uint64_t *random) {
    // What does a change again takes the place of what undoes it. Memory that is missing loses more, which may happen anyway.
    for (int i = file->change_count - 1; i >= 0; i--) {
        struct change *change = &file->changes[i];
        unsigned char *done = change->length > 0 ? malloc(change->length) : NULL;
        if (done) memcpy(done, file->bytes + change->offset, change->length);
        if (reserve(file, change->old_size) == SQLITE_OK) file->size = change->old_size;
        if (change->saved) memcpy(file->bytes + change->offset, change->saved, change->saved_length);
        free(change->saved);
        change->saved = done;
    }
    // All of it in some losses of power, and little in others.
    uint64_t kept = next_random(random) % 5;
    for (int i = 0; i < file->change_count; i++) {
        struct change *change = &file->changes[i];
        if (change->length == 0) {
            if (next_random(random) % 4 < kept) resize(file, change->new_size);
            continue;
        }
        for (sqlite3_int64 from = 0; change->saved && from < change->length;) {
            sqlite3_int64 to = from + sector - (change->offset + from) % sector;
            if (to > change->length) to = change->length;
            sqlite3_int64 end = change->offset + to;
            if (next_random(random) % 4 < kept && (end <= file->size || resize(file, end) == SQLITE_OK)) {
                memcpy(file->bytes + change->offset + from, change->saved + from, to - from);
            }
            from = to;
        }
    }
    forget_changes(file);
}

// MARK: Functions of open files

// Locks the disk; returns whether the file is still that of a living process.
static int enter(struct handle *handle) {
    pthread_mutex_lock(&handle->disk->lock);
    return handle->restarts == handle->disk->restarts;
}

static int leave(struct handle *handle, int code) {
    pthread_mutex_unlock(&handle->disk->lock);
    return code;
}

static void unlock_slots(struct handle *handle, unsigned slots) {
    for (int i = 0; i < lock_slots; i++) {
        if (slots & handle->exclusive_slots & 1u << i) handle->memory->slots[i] = 0;
        if (slots & handle->shared_slots & 1u << i) handle->memory->slots[i]--;
    }
    handle->exclusive_slots &= ~slots;
    handle->shared_slots &= ~slots;
}

static int unmap(sqlite3_file *base, int is_removed) {
    (void)is_removed;
    struct handle *handle = (struct handle *)base;
    enter(handle);
    if (handle->memory) {
        unlock_slots(handle, ~0u);
        // The last user takes the memory along.
        if (handle->memory == handle->file->memory && handle->memory->users == 1) handle->file->memory = NULL;
        release_memory(handle->memory);
        handle->memory = NULL;
    }
    return leave(handle, SQLITE_OK);
}

static void unlock(struct handle *handle, int level) {
    struct file *file = handle->file;
    if (level < SQLITE_LOCK_RESERVED && file->writer == handle) file->writer = NULL;
    if (level == SQLITE_LOCK_NONE && handle->level > SQLITE_LOCK_NONE) file->readers--;
    if (level < handle->level) handle->level = level;
}

static void destroy_if_unused(struct cmemorydisk *disk) {
    int users = --disk->users;
    pthread_mutex_unlock(&disk->lock);
    if (users > 0) return;
    for (struct file *file = disk->files, *next; file; file = next) {
        next = file->next;
        remove_name(disk, file);
    }
    pthread_mutex_destroy(&disk->lock);
    free(disk);
}

static int close_file(sqlite3_file *base) {
    struct handle *handle = (struct handle *)base;
    unmap(base, 0);
    if (enter(handle)) unlock(handle, SQLITE_LOCK_NONE);
    handle->file->users--;
    free_if_gone(handle->disk, handle->file);
    destroy_if_unused(handle->disk);
    return SQLITE_OK;
}

static int read_file(sqlite3_file *base, void *bytes, int length, sqlite3_int64 offset) {
    struct handle *handle = (struct handle *)base;
    if (!enter(handle) || handle->disk->has_failed) return leave(handle, SQLITE_IOERR_READ);
    sqlite3_int64 present = handle->file->size - offset;
    if (present >= length) {
        memcpy(bytes, handle->file->bytes + offset, length);
        return leave(handle, SQLITE_OK);
    }
    if (present < 0) present = 0;
    if (present > 0) memcpy(bytes, handle->file->bytes + offset, present);
    memset((char *)bytes + present, 0, length - present);
    return leave(handle, SQLITE_IOERR_SHORT_READ);
}

static int write_file(sqlite3_file *base, const void *bytes, int length, sqlite3_int64 offset) {
    struct handle *handle = (struct handle *)base;
    if (!enter(handle) || fails(handle->disk)) return leave(handle, SQLITE_IOERR_WRITE);
    struct file *file = handle->file;
    sqlite3_int64 end = offset + length;
    if (end > file->size && handle->disk->is_full) return leave(handle, SQLITE_FULL);
    int code = reserve(file, end);
    if (code == SQLITE_OK) code = note_change(file, offset, length, end > file->size ? end : file->size);
    if (code != SQLITE_OK) return leave(handle, code);
    if (offset > file->size) memset(file->bytes + file->size, 0, offset - file->size);
    memcpy(file->bytes + offset, bytes, length);
    if (end > file->size) file->size = end;
    return leave(handle, SQLITE_OK);
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size) {
    struct handle *handle = (struct handle *)base;
    if (!enter(handle) || fails(handle->disk)) return leave(handle, SQLITE_IOERR_TRUNCATE);
    struct file *file = handle->file;
    if (size >= file->size) return leave(handle, SQLITE_OK);
    int code = note_change(file, size, 0, size);
    if (code == SQLITE_OK) file->size = size;
    return leave(handle, code);
}

static int sync_file(sqlite3_file *base, int flags) {
    (void)flags;
    struct handle *handle = (struct handle *)base;
    if (!enter(handle) || fails(handle->disk)) return leave(handle, SQLITE_IOERR_FSYNC);
    forget_changes(handle->file);
    return leave(handle, SQLITE_OK);
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    struct handle *handle = (struct handle *)base;
    if (!enter(handle)) return leave(handle, SQLITE_IOERR_FSTAT);
    *size = handle->file->size;
    return leave(handle, SQLITE_OK);
}

static int lock_file(sqlite3_file *base, int level) {
    struct handle *handle = (struct handle *)base;
    if (!enter(handle)) return leave(handle, SQLITE_IOERR_LOCK);
    if (level <= handle->level) return leave(handle, SQLITE_OK);
    struct file *file = handle->file;
    int is_others = file->writer && file->writer != handle;
    if (level == SQLITE_LOCK_SHARED) {
        if (is_others && file->writer->level >= SQLITE_LOCK_PENDING) return leave(handle, SQLITE_BUSY);
        file->readers++;
    } else {
        if (is_others) return leave(handle, SQLITE_BUSY);
        file->writer = handle;
        if (level == SQLITE_LOCK_EXCLUSIVE && file->readers > 1) {
            handle->level = SQLITE_LOCK_PENDING;
            return leave(handle, SQLITE_BUSY);
        }
    }
    handle->level = level;
    return leave(handle, SQLITE_OK);
}

static int unlock_file(sqlite3_file *base, int level) {
    struct handle *handle = (struct handle *)base;
    if (!enter(handle)) return leave(handle, SQLITE_IOERR_UNLOCK);
    unlock(handle, level);
    return leave(handle, SQLITE_OK);
}

static int check_reserved_lock(sqlite3_file *base, int *is_reserved) {
    struct handle *handle = (struct handle *)base;
    if (!enter(handle)) return leave(handle, SQLITE_IOERR_CHECKRESERVEDLOCK);
    *is_reserved = handle->file->writer != NULL;
    return leave(handle, SQLITE_OK);
}

static int control_file(sqlite3_file *base, int operation, void *argument) {
    (void)base, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *base) {
    (void)base;
    return 4096;
}

// As SQLite says of files on Linux: a write harms no other bytes when power fails.
static int device_characteristics(sqlite3_file *base) {
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int map_memory(sqlite3_file *base, int region, int size, int is_extending, void volatile **mapped) {
    struct handle *handle = (struct handle *)base;
    *mapped = NULL;
    if (!enter(handle)) return leave(handle, SQLITE_IOERR_SHMMAP);
    struct shared_memory *memory = handle->file->memory;
    if (!memory) {
        memory = handle->file->memory = calloc(1, sizeof *memory);
        if (!memory) return leave(handle, SQLITE_IOERR_NOMEM);
    }
    if (!handle->memory) {
        handle->memory = memory;
        memory->users++;
    }
    if (region >= memory->count && is_extending) {
        void **regions = realloc(memory->regions, (region + 1) * sizeof *regions);
        if (!regions) return leave(handle, SQLITE_IOERR_NOMEM);
        memory->regions = regions;
        for (; memory->count <= region; memory->count++) {
            if (!(regions[memory->count] = calloc(1, size))) return leave(handle, SQLITE_IOERR_NOMEM);
        }
    }
    if (region < memory->count) *mapped = memory->regions[region];
    return leave(handle, SQLITE_OK);
}

static int lock_memory(sqlite3_file *base, int first, int count, int flags) {
    struct handle *handle = (struct handle *)base;
    if (!enter(handle) || !handle->memory) return leave(handle, SQLITE_IOERR_SHMLOCK);
    unsigned slots = ((1u << count) - 1) << first;
    if (flags & SQLITE_SHM_UNLOCK) {
        unlock_slots(handle, slots);
        return leave(handle, SQLITE_OK);
    }
    int is_exclusive = flags & SQLITE_SHM_EXCLUSIVE;
    int *held = handle->memory->slots;
    if (!is_exclusive && handle->shared_slots & slots) return leave(handle, SQLITE_OK);
    for (int i = first; i < first + count; i++) {
        if (is_exclusive ? held[i] != 0 : held[i] < 0) return leave(handle, SQLITE_BUSY);
    }
    for (int i = first; i < first + count; i++) held[i] = is_exclusive ? -1 : held[i] + 1;
    if (is_exclusive) handle->exclusive_slots |= slots; else handle->shared_slots |= slots;
    return leave(handle, SQLITE_OK);
}

static void order_memory(sqlite3_file *base) {
    struct handle *handle = (struct handle *)base;
    enter(handle);
    leave(handle, SQLITE_OK);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_reserved_lock,
    .xFileControl = control_file,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = device_characteristics,
    .xShmMap = map_memory,
    .xShmLock = lock_memory,
    .xShmBarrier = order_memory,
    .xShmUnmap = unmap,
};

// MARK: Functions of the disk

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *used_flags) {
    struct cmemorydisk *disk = vfs->pAppData;
    struct handle *handle = (struct handle *)base;
    memset(handle, 0, sizeof *handle);
    pthread_mutex_lock(&disk->lock);
    struct file *file = name ? find(disk, name) : NULL;
    if (!file && (!name || flags & SQLITE_OPEN_CREATE)) file = add(disk, name);
    if (file) {
        file->users++;
        disk->users++;
        handle->base.pMethods = &methods;
        handle->disk = disk;
        handle->file = file;
        handle->restarts = disk->restarts;
    }
    pthread_mutex_unlock(&disk->lock);
    if (used_flags) *used_flags = flags;
    return file ? SQLITE_OK : SQLITE_CANTOPEN;
}

// A removal is on the disk at once: what SQLite removes holds nothing any more that is needed.
static int delete_file(sqlite3_vfs *vfs, const char *name, int is_synced) {
    (void)is_synced;
    struct cmemorydisk *disk = vfs->pAppData;
    pthread_mutex_lock(&disk->lock);
    struct file *file = find(disk, name);
    int code = !file ? SQLITE_IOERR_DELETE_NOENT : fails(disk) ? SQLITE_IOERR_DELETE : SQLITE_OK;
    if (code == SQLITE_OK) remove_name(disk, file);
    pthread_mutex_unlock(&disk->lock);
    return code;
}

static int check_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    (void)flags;
    struct cmemorydisk *disk = vfs->pAppData;
    pthread_mutex_lock(&disk->lock);
    struct file *file = find(disk, name);
    // SQLite takes an empty log for a missing one.
    *result = file && file->size > 0;
    pthread_mutex_unlock(&disk->lock);
    return SQLITE_OK;
}

static int full_path(sqlite3_vfs *vfs, const char *name, int length, char *path) {
    (void)vfs;
    return snprintf(path, length, "%s", name) < length ? SQLITE_OK : SQLITE_CANTOPEN;
}

static int make_random(sqlite3_vfs *vfs, int length, char *bytes) {
    (void)vfs;
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    return system->xRandomness(system, length, bytes);
}

static int wait_for(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    return system->xSleep(system, microseconds);
}

static int current_time(sqlite3_vfs *vfs, double *time) {
    (void)vfs;
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    return system->xCurrentTime(system, time);
}

static int last_error(sqlite3_vfs *vfs, int length, char *text) {
    (void)vfs, (void)length, (void)text;
    return 0;
}

static void configure(void) {
    // Has to come before the first use of SQLite, which the registration of a disk is. See baton_sqlite_leave_out_statistics.
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// Copies all files into an empty disk; returns whether there was memory for them.
static int copy_files(struct cmemorydisk *original, struct cmemorydisk *disk) {
    for (struct file *file = original->files; file; file = file->next) {
        if (!file->name) continue;
        struct file *copy = add(disk, file->name);
        if (!copy || reserve(copy, file->size) != SQLITE_OK) return 0;
        if (file->size > 0) memcpy(copy->bytes, file->bytes, file->size);
        copy->size = file->size;
        copy->is_foreign = file->is_foreign;
    }
    return 1;
}

struct cmemorydisk *cmemorydisk_create(struct cmemorydisk *original) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, configure);
    struct cmemorydisk *disk = calloc(1, sizeof *disk);
    if (!disk) return NULL;
    pthread_mutex_init(&disk->lock, NULL);
    disk->users = 1;
    disk->steps = -1;
    snprintf(disk->name, sizeof disk->name, "memory-%p", (void *)disk);
    disk->vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = sizeof(struct handle),
        .mxPathname = longest_path,
        .zName = disk->name,
        .pAppData = disk,
        .xOpen = open_file,
        .xDelete = delete_file,
        .xAccess = check_access,
        .xFullPathname = full_path,
        .xRandomness = make_random,
        .xSleep = wait_for,
        .xCurrentTime = current_time,
        .xGetLastError = last_error,
    };
    int is_copied = 1;
    if (original) {
        pthread_mutex_lock(&original->lock);
        is_copied = copy_files(original, disk);
        pthread_mutex_unlock(&original->lock);
    }
    if (is_copied && sqlite3_vfs_register(&disk->vfs, 0) == SQLITE_OK) return disk;
    pthread_mutex_lock(&disk->lock);
    destroy_if_unused(disk);
    return NULL;
}

void cmemorydisk_release(struct cmemorydisk *disk) {
    sqlite3_vfs_unregister(&disk->vfs);
    pthread_mutex_lock(&disk->lock);
    destroy_if_unused(disk);
}

const char *cmemorydisk_name(const struct cmemorydisk *disk) { return disk->name; }

void cmemorydisk_set_full(struct cmemorydisk *disk, int is_full) {
    pthread_mutex_lock(&disk->lock);
    disk->is_full = is_full;
    pthread_mutex_unlock(&disk->lock);
}

void cmemorydisk_fail_after(struct cmemorydisk *disk, int64_t steps, int is_for_good) {
    pthread_mutex_lock(&disk->lock);
    disk->steps = steps;
    disk->is_for_good = is_for_good;
    pthread_mutex_unlock(&disk->lock);
}

int cmemorydisk_has_failed(struct cmemorydisk *disk) {
    pthread_mutex_lock(&disk->lock);
    int has_failed = disk->has_failed;
    pthread_mutex_unlock(&disk->lock);
    return has_failed;
}

void cmemorydisk_restart(struct cmemorydisk *disk, int loses_unsynced, uint64_t seed) {
    pthread_mutex_lock(&disk->lock);
    disk->restarts++;
    disk->has_failed = 0;
    disk->steps = -1;
    uint64_t foreign_seed = ~seed;
    for (struct file *file = disk->files; file; file = file->next) {
        file->readers = 0;
        file->writer = NULL;
        // Its users have it until they close their files.
        file->memory = NULL;
        if (loses_unsynced) lose_changes(file, file->is_foreign ? &foreign_seed : &seed);
    }
    pthread_mutex_unlock(&disk->lock);
}

// MARK: Files that SQLite does not know

void cmemorydisk_write(struct cmemorydisk *disk, const char *name, const void *bytes, int64_t length, int is_forced) {
    pthread_mutex_lock(&disk->lock);
    struct file *file = find(disk, name);
    if (!file) file = add(disk, name);
    if (file && !disk->has_failed && reserve(file, length) == SQLITE_OK) {
        file->is_foreign = 1;
        // The system forces old changes to the disk by and by.
        if (file->change_count >= 16) forget_changes(file);
        sqlite3_int64 size = length > file->size ? length : file->size;
        if (note_change(file, 0, length, size) == SQLITE_OK) {
            memcpy(file->bytes, bytes, length);
            file->size = size;
        }
        if (is_forced) forget_changes(file);
    }
    pthread_mutex_unlock(&disk->lock);
}

int64_t cmemorydisk_read(struct cmemorydisk *disk, const char *name, void *bytes, int64_t length) {
    pthread_mutex_lock(&disk->lock);
    struct file *file = find(disk, name);
    int64_t count = !file ? -1 : file->size < length ? file->size : length;
    if (count > 0) memcpy(bytes, file->bytes, count);
    pthread_mutex_unlock(&disk->lock);
    return count;
}

// MARK: Damage

int64_t cmemorydisk_size(struct cmemorydisk *disk, const char *name) {
    pthread_mutex_lock(&disk->lock);
    struct file *file = find(disk, name);
    int64_t size = file ? file->size : -1;
    pthread_mutex_unlock(&disk->lock);
    return size;
}

void cmemorydisk_cut(struct cmemorydisk *disk, const char *name, int64_t size) {
    pthread_mutex_lock(&disk->lock);
    struct file *file = find(disk, name);
    if (file && size < file->size) {
        forget_changes(file);
        file->size = size;
    }
    pthread_mutex_unlock(&disk->lock);
}

void cmemorydisk_flip(struct cmemorydisk *disk, const char *name, int64_t offset, int bits) {
    pthread_mutex_lock(&disk->lock);
    struct file *file = find(disk, name);
    if (file && offset < file->size) file->bytes[offset] ^= bits;
    pthread_mutex_unlock(&disk->lock);
}

void cmemorydisk_remove(struct cmemorydisk *disk, const char *name) {
    pthread_mutex_lock(&disk->lock);
    struct file *file = find(disk, name);
    if (file) remove_name(disk, file);
    pthread_mutex_unlock(&disk->lock);
}
