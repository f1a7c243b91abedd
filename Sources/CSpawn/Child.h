// What a child does between its start and its program.
#pragma once

#include "CSpawn.h"

// Read by the child, also while its parent runs on: all that it points to has to stay until the child has executed or ended.
struct launch {
    struct cspawn_request request;
    pid_t parent;
    int is_searched;  // the program's name has no slash
    volatile struct cspawn_outcome *outcome;  // where the child tells of its failure
};

int cspawn_has_pipes(const struct cspawn_request *request);

// Writes the name of a process group into the file for it, if there is one.
void cspawn_note_group(const struct cspawn_request *request, pid_t group);

// The child, from its start on, for clone(2): executes its program, or tells of its failure and ends. `argument` is a `struct launch`.
int cspawn_child(void *argument);
