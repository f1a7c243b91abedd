// The program baton below with-job, for the lines of make: with-job has put it in front of the PATH under that name. What is no line for
// with-job is done by the program baton beside this one.

#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "CLine.h"

int main(int count, char **arguments) {
    cline_run(count, arguments);
    static const char name[] = "baton";
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof name);
    char *slash = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;
    if (slash == NULL) {
        fprintf(stderr, "Error: The program of this process is unknown: %s. Call baton by its path.\n", strerror(errno));
        return 127;
    }
    memcpy(slash + 1, name, sizeof name);
    execv(path, arguments);
    fprintf(stderr, "Error: %s cannot be run: %s. Install it beside baton-line.\n", path, strerror(errno));
    return errno == ENOENT ? 127 : 126;
}
