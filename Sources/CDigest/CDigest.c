#include "CDigest.h"

#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

void cdigest_begin(uint32_t state[8]) {
    static const uint32_t start[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };
    memcpy(state, start, sizeof start);
}

static inline uint32_t rotated(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

static inline uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

void cdigest_add_portably(uint32_t state[8], const uint8_t *blocks, size_t count) {
    for (; count > 0; count--, blocks += CDIGEST_BLOCK) {
        uint32_t words[64];
        for (int i = 0; i < 16; i++) words[i] = big_endian(blocks + 4 * i);
        for (int i = 16; i < 64; i++) {
            uint32_t early = words[i - 15], late = words[i - 2];
            words[i] = words[i - 16] + words[i - 7] + (rotated(early, 7) ^ rotated(early, 18) ^ early >> 3)
                + (rotated(late, 17) ^ rotated(late, 19) ^ late >> 10);
        }
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
        for (int i = 0; i < 64; i++) {
            uint32_t first = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + words[i];
            uint32_t second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g;
            g = f;
            f = e;
            e = d + first;
            d = c;
            c = b;
            b = a;
            a = first + second;
        }
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
        state[4] += e;
        state[5] += f;
        state[6] += g;
        state[7] += h;
    }
}

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

/// Whether the processor has the SHA instructions, and those of SSSE3 and SSE4.1 beside them.
static int has_instructions(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
    if (!(c & 1u << 9) || !(c & 1u << 19)) return 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
    return (b & 1u << 29) != 0;
}

/// Adds blocks with the SHA instructions, which take four rounds in two steps.
__attribute__((target("sha,ssse3,sse4.1")))
static void add_quickly(uint32_t state[8], const uint8_t *blocks, size_t count) {
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
    // The instructions want the words as ABEF and CDGH.
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)&state[0]), 0xB1);
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)&state[4]), 0x1B);
    __m128i abef = _mm_alignr_epi8(low, high, 8);
    __m128i cdgh = _mm_blend_epi16(high, low, 0xF0);
    for (; count > 0; count--, blocks += CDIGEST_BLOCK) {
        __m128i old_abef = abef, old_cdgh = cdgh;
        __m128i words[4];
        for (int i = 0; i < 4; i++) {
            words[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(blocks + 16 * i)), order);
        }
#pragma clang loop unroll(full)
        for (int i = 0; i < 16; i++) {
            if (i >= 4) {
                // Words 4i to 4i+3, from those 16, 15, 7 and 2 places before them.
                __m128i earlier = _mm_sha256msg1_epu32(words[i & 3], words[(i + 1) & 3]);
                earlier = _mm_add_epi32(earlier, _mm_alignr_epi8(words[(i + 3) & 3], words[(i + 2) & 3], 4));
                words[i & 3] = _mm_sha256msg2_epu32(earlier, words[(i + 3) & 3]);
            }
            __m128i sum = _mm_add_epi32(words[i & 3], _mm_loadu_si128((const __m128i *)&constants[4 * i]));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
        }
        abef = _mm_add_epi32(abef, old_abef);
        cdgh = _mm_add_epi32(cdgh, old_cdgh);
    }
    low = _mm_shuffle_epi32(abef, 0x1B);
    high = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)&state[0], _mm_blend_epi16(low, high, 0xF0));
    _mm_storeu_si128((__m128i *)&state[4], _mm_alignr_epi8(high, low, 8));
}

int cdigest_is_accelerated(void) {
    // Asked once: the question leaves a virtual machine each time. Two threads that ask at once find the same answer.
    static _Atomic int answer = -1;
    int known = answer;
    if (known < 0) answer = known = has_instructions();
    return known;
}

void cdigest_add(uint32_t state[8], const uint8_t *blocks, size_t count) {
    if (cdigest_is_accelerated()) {
        add_quickly(state, blocks, count);
    } else {
        cdigest_add_portably(state, blocks, count);
    }
}

#else

int cdigest_is_accelerated(void) { return 0; }

void cdigest_add(uint32_t state[8], const uint8_t *blocks, size_t count) { cdigest_add_portably(state, blocks, count); }

#endif
