#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#ifdef __APPLE__
static const char *const names[] = {
    "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib", NULL};
#else
static const char *const names[] = {"libpq.so.5", NULL};
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct cpostgresql functions;
static bool is_loaded;
static char reason[256];

static void tell(const char *text) {
    snprintf(reason, sizeof reason, "%s", text != NULL ? text : "the system does not say why");
}

#define FIND(name) \
    (functions.name = (__typeof__(functions.name))dlsym(handle, "PQ" #name)) != NULL

static bool find_functions(void *handle) {
    return FIND(connectdbParams) && FIND(status) && FIND(socket) && FIND(errorMessage) && FIND(finish)
        && FIND(setnonblocking) && FIND(enterPipelineMode) && FIND(pipelineSync) && FIND(sendPrepare)
        && FIND(sendQueryPrepared) && FIND(sendQueryParams) && FIND(flush) && FIND(consumeInput) && FIND(isBusy)
        && FIND(getResult) && FIND(resultStatus) && FIND(resultErrorField) && FIND(ntuples) && FIND(nfields) && FIND(fname)
        && FIND(ftype) && FIND(getvalue) && FIND(getlength) && FIND(getisnull) && FIND(cmdStatus) && FIND(cmdTuples)
        && FIND(clear) && FIND(serverVersion) && FIND(backendPID) && FIND(parameterStatus) && FIND(transactionStatus)
        && FIND(setNoticeReceiver) && FIND(libVersion);
}

static void load(void) {
    void *handle = NULL;
    tell("no library is named");
    for (const char *const *name = names; *name != NULL && handle == NULL; name++) {
        handle = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
        if (handle == NULL) tell(dlerror());
    }
    if (handle == NULL) return;
    if (!find_functions(handle)) {
        tell(dlerror());
    } else if (functions.libVersion() < CPOSTGRESQL_OLDEST_LIBRARY) {
        snprintf(reason, sizeof reason, "its version %d.%d is older than 14", functions.libVersion() / 10000,
            functions.libVersion() % 10000);
    } else {
        is_loaded = true;
        return;
    }
    dlclose(handle);
}

const struct cpostgresql *cpostgresql_load(const char **failure) {
    pthread_once(&once, load);
    *failure = is_loaded ? NULL : reason;
    return is_loaded ? &functions : NULL;
}
