// What the build is told about itself.
#pragma once

// The commit of which the program was built, in hexadecimal digits; NULL unless the build names it in BATON_COMMIT.
const char *baton_build_commit(void);
