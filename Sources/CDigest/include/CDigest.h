#ifndef CDIGEST_H
#define CDIGEST_H

#include <stddef.h>
#include <stdint.h>

// SHA-256, in portable C and with the instructions that processors have for it.

/// The bytes of a block.
#define CDIGEST_BLOCK 64

/// Sets the eight words to those of a hash of nothing.
void cdigest_begin(uint32_t state[8]);

/// Adds whole blocks to a hash, with the processor's own instructions if it has them.
void cdigest_add(uint32_t state[8], const uint8_t *blocks, size_t count);

/// Adds whole blocks to a hash in portable C, for comparison in tests.
void cdigest_add_portably(uint32_t state[8], const uint8_t *blocks, size_t count);

/// Whether the processor has instructions for SHA-256 that this library uses.
int cdigest_is_accelerated(void);

#endif
