// The files of the page, in the program itself.
#pragma once

#include <stddef.h>

// A file.
struct baton_asset {
    // The name in Sources/Web/Assets.
    const char *name;
    // The content, without a zero at its end.
    const unsigned char *bytes;
    size_t count;
};

// How many files there are.
extern const size_t baton_asset_count;

// A file by its place, below the count.
const struct baton_asset *baton_asset_at(size_t place);
