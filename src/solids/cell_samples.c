#include "solids/cell_samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "solids/local_sampling.h"

void ooze_cell_samples_free(OozeCellSamples *samples)
{
    ooze_cell_set_free(&samples->cells);
    ooze_free(samples->first);
    ooze_free(samples->points);
    memset(samples, 0, sizeof *samples);
}

uint64_t ooze_cell_samples_count(const OozeCellSamples *samples)
{
    return samples->first ? samples->first[samples->cells.count] : 0;
}

uint64_t ooze_cell_samples_bytes(const OozeCellSamples *samples)
{
    return ooze_cell_samples_count(samples) * sizeof *samples->points +
           samples->cells.count * (sizeof *samples->first + sizeof *samples->cells.keys);
}

/* ---- tiles ---------------------------------------------------------------------------------- */

/* Largest number of cells of a tile along each axis. */
enum { TILE_CELLS = 12 };

/* Cells that are sampled together. */
typedef struct Tile {
    OozeCellSet cells; /* a part of Sampling.cells */
    OozeTileSamples samples;
    OozeError error;
    OozeStatus status;
} Tile;

/* Samples of one cell. */
typedef struct Located {
    uint64_t cell; /* key */
    const OozeVec3 *points;
    uint64_t count;
} Located;

typedef struct Sampling {
    const OozeShape *shape;
    double spacing;
    OozeCellSet cells; /* to be sampled, by tile */
    Tile *tiles;
    uint64_t tile_count;
    Located *located; /* sorted by key */
} Sampling;

/* Of keys, and of structs that begin with one. */
static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The longest axis of the bounds of some cells, its number of cells, and the middle. */
static int longest_axis(const uint64_t *cells, uint64_t count, int64_t *extent, int64_t *middle)
{
    int longest = 0;
    *extent = *middle = 0;
    for (int k = 0; k < 3; k++) {
        int64_t low = INT64_MAX, high = INT64_MIN;
        for (uint64_t i = 0; i < count; i++) {
            int64_t at = ooze_cell_coordinate(cells[i], k);
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        if (high - low + 1 > *extent) {
            longest = k;
            *extent = high - low + 1;
            *middle = low + *extent / 2;
        }
    }
    return longest;
}

/* Divides cells into tiles, by bisection. */
static void divide(Sampling *s, uint64_t begin, uint64_t end)
{
    uint64_t *cells = s->cells.keys;
    int64_t extent, middle;
    int axis = longest_axis(cells + begin, end - begin, &extent, &middle);
    if (extent <= TILE_CELLS) {
        qsort(cells + begin, end - begin, sizeof *cells, by_key);
        s->tiles[s->tile_count++].cells =
            (OozeCellSet){.keys = cells + begin, .count = end - begin};
        return;
    }
    uint64_t low = begin;
    for (uint64_t i = begin; i < end; i++) {
        if (ooze_cell_coordinate(cells[i], axis) < middle) {
            uint64_t swap = cells[low];
            cells[low++] = cells[i];
            cells[i] = swap;
        }
    }
    divide(s, begin, low);
    divide(s, low, end);
}

static void sample_tiles(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Sampling *s = context;
    for (uint64_t i = begin; i < end; i++) {
        Tile *tile = &s->tiles[i];
        tile->status =
            ooze_sample_tile(s->shape, s->spacing, &tile->cells, &tile->samples, &tile->error);
    }
}

static OozeStatus sample_missing(Sampling *s, OozeThreads *threads, OozeError *error)
{
    s->tiles = ooze_alloc_zero(s->cells.count + 1, sizeof *s->tiles);
    s->located = ooze_alloc(s->cells.count + 1, sizeof *s->located);
    if (!s->tiles || !s->located) {
        return ooze_fail_memory(error, "surface samples", s->cells.count * sizeof *s->tiles);
    }
    if (s->cells.count > 0) {
        divide(s, 0, s->cells.count);
        ooze_parallel_for(threads, s->tile_count, 1, sample_tiles, s);
    }
    uint64_t n = 0;
    for (uint64_t i = 0; i < s->tile_count; i++) {
        const Tile *tile = &s->tiles[i];
        if (tile->status) {
            if (error) {
                *error = tile->error;
            }
            return tile->status;
        }
        for (uint64_t c = 0; c < tile->cells.count; c++) {
            const uint64_t *first = tile->samples.first + c;
            s->located[n++] = (Located){tile->cells.keys[c], tile->samples.points + first[0],
                                        first[1] - first[0]};
        }
    }
    qsort(s->located, n, sizeof *s->located, by_key);
    return OOZE_OK;
}

/* ---- all cells ------------------------------------------------------------------------------ */

/* The cells that `samples` lacks. */
static OozeStatus find_missing(const OozeCellSamples *samples, const OozeCellSet *cells,
                               OozeCellSet *missing, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (uint64_t i = 0; i < cells->count && !status; i++) {
        if (!ooze_cell_set_has(&samples->cells, cells->keys[i])) {
            status = ooze_cell_set_add(missing, cells->keys[i], error);
        }
    }
    return status;
}

/* Samples of a cell, old or new. */
static Located locate(const OozeCellSamples *samples, const Sampling *s, uint64_t cell)
{
    int64_t at = ooze_cell_set_find(&samples->cells, cell);
    if (at >= 0) {
        return (Located){cell, samples->points + samples->first[at],
                         samples->first[at + 1] - samples->first[at]};
    }
    return *(const Located *)bsearch(&cell, s->located, s->cells.count, sizeof *s->located, by_key);
}

/* Joins the samples that were there with new ones. */
static OozeStatus join(OozeCellSamples *samples, const Sampling *s, const OozeCellSet *cells,
                       OozeError *error)
{
    OozeCellSamples joined = {0};
    OozeStatus status = ooze_cell_set_reserve(&joined.cells, cells->count, error);
    joined.first = ooze_alloc_zero(cells->count + 1, sizeof *joined.first);
    for (uint64_t i = 0; i < cells->count && joined.first; i++) {
        joined.first[i + 1] = joined.first[i] + locate(samples, s, cells->keys[i]).count;
    }
    uint64_t total = joined.first ? joined.first[cells->count] : 0;
    joined.points = ooze_alloc(total + 1, sizeof *joined.points);
    if (status || !joined.first || !joined.points) {
        ooze_cell_samples_free(&joined);
        return status ? status
                      : ooze_fail_memory(error, "surface samples", total * sizeof *joined.points);
    }
    for (uint64_t i = 0; i < cells->count; i++) {
        Located from = locate(samples, s, cells->keys[i]);
        joined.cells.keys[joined.cells.count++] = cells->keys[i];
        if (from.count > 0) {
            memcpy(joined.points + joined.first[i], from.points, from.count * sizeof *from.points);
        }
    }
    ooze_cell_samples_free(samples);
    *samples = joined;
    return OOZE_OK;
}

OozeStatus ooze_cell_samples_update(OozeCellSamples *samples, const OozeShape *shape,
                                    double spacing, const OozeCellSet *cells, OozeThreads *threads,
                                    OozeError *error)
{
    Sampling s = {.shape = shape, .spacing = spacing};
    OozeStatus status = find_missing(samples, cells, &s.cells, error);
    status = status ? status : sample_missing(&s, threads, error);
    status = status ? status : join(samples, &s, cells, error);
    for (uint64_t i = 0; i < s.tile_count; i++) {
        ooze_free(s.tiles[i].samples.points);
        ooze_free(s.tiles[i].samples.first);
    }
    ooze_free(s.tiles);
    ooze_free(s.located);
    ooze_cell_set_free(&s.cells);
    return status;
}
