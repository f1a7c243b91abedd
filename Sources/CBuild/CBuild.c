#include "CBuild.h"

#include <stddef.h>

const char *baton_build_commit(void) {
#ifdef BATON_COMMIT
    return BATON_COMMIT;
#else
    return NULL;
#endif
}
