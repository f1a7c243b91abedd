// Uses the processor for a time, as a program does that computes: the time is that of the processor, so that whatever takes the
// processor meanwhile makes the program slower.
//
//   busy MILLISECONDS
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

int main(int count, char **arguments) {
    double time = count == 2 ? atof(arguments[1]) : 0;
    if (time <= 0) {
        fprintf(stderr, "usage: busy MILLISECONDS\n");
        return 64;
    }
    double start = milliseconds();
    while (milliseconds() - start < time) {}
    return 0;
}
