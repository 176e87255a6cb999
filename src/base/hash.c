#include "base/hash.h"

#include <string.h>

/* Four independent lanes hide the latency of multiplication. */
uint64_t ooze_hash_bytes(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    uint64_t lane[4] = {hash, hash ^ 0x243f6a8885a308d3ull, hash ^ 0x13198a2e03707344ull,
                        hash ^ 0xa4093822299f31d0ull};
    size_t left = bytes;
    for (; left >= 32; left -= 32, p += 32) {
        for (int k = 0; k < 4; k++) {
            uint64_t word;
            memcpy(&word, p + 8 * k, 8);
            uint64_t x = (lane[k] ^ word) * 0x9fb21c651e98df25ull;
            lane[k] = x ^ (x >> 29);
        }
    }
    unsigned char tail[32] = {0};
    memcpy(tail, p, left);
    for (int k = 0; k < 4; k++) {
        uint64_t word;
        memcpy(&word, tail + 8 * k, 8);
        lane[k] = ooze_mix(lane[k] ^ word);
    }
    uint64_t mixed = (uint64_t)bytes;
    for (int k = 0; k < 4; k++) {
        mixed = ooze_mix(mixed ^ lane[k]);
    }
    return mixed;
}

uint64_t ooze_hash_text(uint64_t hash, const char *text)
{
    return ooze_hash_bytes(hash, text, strlen(text));
}
