// A disk in memory for SQLite databases (a VFS), which can fill up, fail, and lose what was not forced to it.
#pragma once

#include <stdint.h>

// The files of a disk, with a lock: any thread may call any function. Lives until it is released and its last file is closed.
struct cmemorydisk;

// Makes an empty disk, or a copy of another one, with all that was written there; NULL without memory.
struct cmemorydisk *cmemorydisk_create(struct cmemorydisk *original);

// Takes the disk's name from SQLite; files that are open stay usable.
void cmemorydisk_release(struct cmemorydisk *disk);

// The name of the disk for sqlite3_open_v2().
const char *cmemorydisk_name(const struct cmemorydisk *disk);

// Whether the disk is full: no file gets longer.
void cmemorydisk_set_full(struct cmemorydisk *disk, int is_full);

// Lets `steps` more writes and syncs succeed, and the next one fail; with `is_for_good` all that follow, too, until the disk is
// restarted. Negative steps: nothing fails.
void cmemorydisk_fail_after(struct cmemorydisk *disk, int64_t steps, int is_for_good);

// Whether a failure for good has begun.
int cmemorydisk_has_failed(struct cmemorydisk *disk);

// Ends all use of the disk, as the kernel does when the processes with open files end: their files only answer errors from now on,
// locks and shared memory are gone.
//
// With `loses_unsynced`, the host itself has lost its power: of what was written to a file since its last sync, a part chosen by
// `seed` is lost, in sectors of 512 bytes. Ends a failure for good.
void cmemorydisk_restart(struct cmemorydisk *disk, int loses_unsynced, uint64_t seed);

// Writes the beginning of a file that SQLite does not know, and makes a missing file. Fails for nobody to see, once a failure for good
// has begun. A loss of power may take the last of such writes back, up to the last one that `is_forced` to the disk.
void cmemorydisk_write(struct cmemorydisk *disk, const char *name, const void *bytes, int64_t length, int is_forced);

// Reads the beginning of a file; returns the number of bytes, -1 for a missing file.
int64_t cmemorydisk_read(struct cmemorydisk *disk, const char *name, void *bytes, int64_t length);

// Damage to a file that nobody has open. All do nothing to a missing file, whose size is -1.
int64_t cmemorydisk_size(struct cmemorydisk *disk, const char *name);
void cmemorydisk_cut(struct cmemorydisk *disk, const char *name, int64_t size);
void cmemorydisk_flip(struct cmemorydisk *disk, const char *name, int64_t offset, int bits);
void cmemorydisk_remove(struct cmemorydisk *disk, const char *name);
