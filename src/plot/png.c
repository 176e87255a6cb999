#include "plot/png.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "plot/drawing.h"

/* ---- deflate (RFC 1951) with the fixed codes ------------------------------------------------ */

enum { MATCH_MIN = 3, MATCH_MAX = 258, WINDOW = 32768, HASH_SIZE = 1 << 15 };

typedef struct Packer {
    OozeText *out;
    uint32_t bits;
    int count;
} Packer;

static void put_bits(Packer *packer, uint32_t value, int count)
{
    packer->bits |= value << packer->count;
    packer->count += count;
    while (packer->count >= 8) {
        uint8_t byte = (uint8_t)packer->bits;
        ooze_text_append_bytes(packer->out, &byte, 1);
        packer->bits >>= 8;
        packer->count -= 8;
    }
}

/* Huffman codes go with their first bit first. */
static void put_code(Packer *packer, uint32_t code, int count)
{
    uint32_t turned = 0;
    for (int i = 0; i < count; i++) {
        turned |= (code >> i & 1) << (count - 1 - i);
    }
    put_bits(packer, turned, count);
}

static void put_symbol(Packer *packer, uint32_t symbol)
{
    if (symbol < 144) {
        put_code(packer, 0x30 + symbol, 8);
    } else if (symbol < 256) {
        put_code(packer, 0x190 + symbol - 144, 9);
    } else if (symbol < 280) {
        put_code(packer, symbol - 256, 7);
    } else {
        put_code(packer, 0xc0 + symbol - 280, 8);
    }
}

/* The value as the base of its class and extra bits: classes come in groups of `group` that double. */
static void put_match(Packer *packer, uint32_t length, uint32_t distance)
{
    uint32_t value = length - MATCH_MIN;
    if (length == MATCH_MAX) {
        put_symbol(packer, 285);
    } else {
        int extra = 0;
        while (value >> (extra + 3)) {
            extra++;
        }
        put_symbol(packer, 257 + 4 * (uint32_t)extra + (value >> extra));
        put_bits(packer, value & ((1u << extra) - 1), extra);
    }
    value = distance - 1;
    int extra = 0;
    while (value >> (extra + 2)) {
        extra++;
    }
    put_code(packer, 2 * (uint32_t)extra + (value >> extra), 5);
    put_bits(packer, value & ((1u << extra) - 1), extra);
}

static uint32_t match_length(const uint8_t *a, const uint8_t *b, size_t left)
{
    uint32_t most = left < MATCH_MAX ? (uint32_t)left : MATCH_MAX, length = 0;
    while (length < most && a[length] == b[length]) {
        length++;
    }
    return length;
}

/* Greedy: the latest place with the same three bytes, or one byte back. `heads` holds places plus 1. */
static void deflate(Packer *packer, const uint8_t *data, size_t size, size_t *heads)
{
    put_bits(packer, 3, 3); /* the last block, fixed codes */
    size_t at = 0;
    while (at < size) {
        uint32_t length = 0, distance = 0;
        if (at + MATCH_MIN <= size) {
            uint32_t hash =
                (data[at] | (uint32_t)data[at + 1] << 8 | (uint32_t)data[at + 2] << 16) *
                    0x9e3779b1u >>
                17;
            size_t place = heads[hash];
            heads[hash] = at + 1;
            if (place > 0 && at - (place - 1) <= WINDOW) {
                length = match_length(data + place - 1, data + at, size - at);
                distance = (uint32_t)(at - (place - 1));
            }
            uint32_t run = at > 0 ? match_length(data + at - 1, data + at, size - at) : 0;
            if (run >= length) {
                length = run;
                distance = 1;
            }
        }
        if (length >= MATCH_MIN) {
            put_match(packer, length, distance);
            at += length;
        } else {
            put_symbol(packer, data[at++]);
        }
    }
    put_symbol(packer, 256);
    put_bits(packer, 0, 7); /* to the end of the byte */
}

static uint32_t adler32(const uint8_t *data, size_t size)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* ---- PNG ------------------------------------------------------------------------------------ */

static void put_big_endian(OozeText *out, uint32_t value)
{
    uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
                        (uint8_t)value};
    ooze_text_append_bytes(out, bytes, 4);
}

static uint32_t crc32_of(const uint8_t *data, size_t size)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

/* A chunk that was opened at `start` (where its length stands) gets its length and checksum. */
static size_t open_chunk(OozeText *file, const char *type)
{
    size_t start = file->length;
    put_big_endian(file, 0);
    ooze_text_append_bytes(file, type, 4);
    return start;
}

static void close_chunk(OozeText *file, size_t start)
{
    if (file->failed) {
        return;
    }
    uint8_t *chunk = (uint8_t *)file->data + start;
    size_t length = file->length - start - 8;
    for (int i = 0; i < 4; i++) {
        chunk[i] = (uint8_t)(length >> (24 - 8 * i));
    }
    put_big_endian(file, crc32_of(chunk + 4, length + 4));
}

/* One row by the filter (none, left, above) with the smallest differences. */
static void filter_row(const uint8_t *row, const uint8_t *above, size_t bytes, uint8_t *out)
{
    unsigned long sums[3] = {0, 0, 0};
    for (size_t i = 0; i < bytes; i++) {
        uint8_t left = i >= 3 ? row[i - 3] : 0, up = above ? above[i] : 0;
        sums[0] += (unsigned long)abs((int8_t)row[i]);
        sums[1] += (unsigned long)abs((int8_t)(row[i] - left));
        sums[2] += (unsigned long)abs((int8_t)(row[i] - up));
    }
    uint8_t best = sums[2] <= sums[1] && sums[2] <= sums[0] ? 2 : sums[1] <= sums[0] ? 1 : 0;
    *out++ = best;
    for (size_t i = 0; i < bytes; i++) {
        uint8_t left = i >= 3 ? row[i - 3] : 0, up = above ? above[i] : 0;
        *out++ = (uint8_t)(row[i] - (best == 2 ? up : best == 1 ? left : 0));
    }
}

void ooze_png_pack(const uint8_t *pixels, int width, int height, OozeText *file)
{
    static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    size_t bytes = (size_t)width * 3, packed = (bytes + 1) * (size_t)height;
    uint8_t *rows = ooze_alloc(packed, 1);
    size_t *heads = ooze_alloc_zero(HASH_SIZE, sizeof *heads);
    if (rows && heads) {
        for (int y = 0; y < height; y++) {
            const uint8_t *row = pixels + bytes * (size_t)y;
            filter_row(row, y > 0 ? row - bytes : NULL, bytes, rows + (bytes + 1) * (size_t)y);
        }
        ooze_text_append_bytes(file, signature, sizeof signature);
        size_t header = open_chunk(file, "IHDR");
        put_big_endian(file, (uint32_t)width);
        put_big_endian(file, (uint32_t)height);
        ooze_text_append_bytes(file, "\x08\x02\0\0\0", 5); /* 8 bits, colour */
        close_chunk(file, header);
        size_t data = open_chunk(file, "IDAT");
        ooze_text_append_bytes(file, "\x78\x01", 2);
        Packer packer = {.out = file};
        deflate(&packer, rows, packed, heads);
        put_big_endian(file, adler32(rows, packed));
        close_chunk(file, data);
        close_chunk(file, open_chunk(file, "IEND"));
    } else {
        file->failed = true;
    }
    ooze_free(rows);
    ooze_free(heads);
}

OozeStatus ooze_drawing_write_png(const OozeDrawing *drawing, const char *path, OozeError *error)
{
    OozeText file = {0};
    uint8_t *pixels = ooze_drawing_rasterise(drawing);
    if (pixels) {
        ooze_png_pack(pixels, drawing->width, drawing->height, &file);
    }
    OozeStatus status =
        !pixels || file.failed
            ? ooze_fail_memory(error, "a picture",
                               (unsigned long long)drawing->width * (unsigned)drawing->height * 7)
            : ooze_file_write_atomic(path, file.data, file.length, error);
    ooze_free(pixels);
    ooze_text_clear(&file);
    return status;
}
