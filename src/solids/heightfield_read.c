/* Height maps from files: PGM (P2 and P5, 8 and 16 bits) and ESRI ASCII grids. */
#include <math.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "mesh/scan.h"
#include "solids/heightfield.h"

typedef struct MapReader {
    OozeScan scan;
    const char *begin, *name;
    OozeHeightMap *map;
    OozeError *error;
} MapReader;

static OozeStatus fail_at(MapReader *reader, const OozeToken *token, const char *what)
{
    return ooze_fail(reader->error, OOZE_ERROR_FORMAT, "repair or re-export the file",
                     "%s line %llu: %s, found '%s'", reader->name, (unsigned long long)token->line,
                     what, token->length ? ooze_token_text(token).text : "the end of the file");
}

/* Allocates the samples after checking that the file is long enough for them. */
static OozeStatus reserve(MapReader *reader, int64_t columns, int64_t rows, uint64_t sample_bytes)
{
    uint64_t left = (uint64_t)(reader->scan.end - reader->scan.at), count, bytes;
    if (columns < 1 || rows < 1 || columns > UINT32_MAX || rows > UINT32_MAX ||
        __builtin_mul_overflow((uint64_t)columns, (uint64_t)rows, &count) ||
        __builtin_mul_overflow(count, sample_bytes, &bytes) || bytes > left + 1) {
        return ooze_fail(reader->error, OOZE_ERROR_FORMAT,
                         "the file may be cut short; copy or export it again",
                         "%s byte %llu: %lld by %lld samples do not fit into the %llu bytes left",
                         reader->name, (unsigned long long)(reader->scan.at - reader->begin),
                         (long long)columns, (long long)rows, (unsigned long long)left);
    }
    reader->map->columns = (uint32_t)columns;
    reader->map->rows = (uint32_t)rows;
    reader->map->heights = ooze_alloc(count, sizeof *reader->map->heights);
    if (!reader->map->heights) {
        return ooze_fail_memory(reader->error, "a height map",
                                count * sizeof *reader->map->heights);
    }
    return OOZE_OK;
}

/* ---- PGM ------------------------------------------------------------------------------------ */

static OozeStatus read_grey_text(MapReader *reader, int64_t full)
{
    uint64_t count = (uint64_t)reader->map->columns * reader->map->rows;
    for (uint64_t i = 0; i < count; i++) {
        OozeToken token;
        int64_t grey;
        if (!ooze_scan_token(&reader->scan, &token) || !ooze_token_integer(&token, &grey) ||
            grey < 0 || grey > full) {
            return fail_at(reader, &token, "expected a grey value up to the one announced");
        }
        reader->map->heights[i] = (float)((double)grey / (double)full);
    }
    return OOZE_OK;
}

static OozeStatus read_grey_binary(MapReader *reader, int64_t full)
{
    uint64_t count = (uint64_t)reader->map->columns * reader->map->rows;
    uint64_t bytes = full > 255 ? 2 : 1;
    const unsigned char *at = (const unsigned char *)reader->scan.at;
    if ((uint64_t)(reader->scan.end - reader->scan.at) < count * bytes) {
        return ooze_fail(reader->error, OOZE_ERROR_FORMAT,
                         "the file may be cut short; copy or export it again",
                         "%s byte %llu: the picture ends early", reader->name,
                         (unsigned long long)(reader->scan.end - reader->begin));
    }
    for (uint64_t i = 0; i < count; i++) {
        int64_t grey = bytes == 2 ? at[2 * i] << 8 | at[2 * i + 1] : at[i];
        if (grey > full) {
            return ooze_fail(reader->error, OOZE_ERROR_FORMAT, "repair or re-export the file",
                             "%s byte %llu: a grey value of %lld, more than the %lld announced",
                             reader->name,
                             (unsigned long long)(reader->scan.at - reader->begin) + bytes * i,
                             (long long)grey, (long long)full);
        }
        reader->map->heights[i] = (float)((double)grey / (double)full);
    }
    return OOZE_OK;
}

static OozeStatus read_pgm(MapReader *reader, bool binary)
{
    int64_t header[3];
    reader->scan.comment = '#';
    reader->scan.at += 2;
    for (int k = 0; k < 3; k++) {
        OozeToken token;
        if (!ooze_scan_token(&reader->scan, &token) || !ooze_token_integer(&token, &header[k]) ||
            header[k] < 1 || (k == 2 && header[k] > 65535)) {
            return fail_at(reader, &token,
                           k == 2 ? "the largest grey value is between 1 and 65535"
                                  : "expected the width and height of the picture");
        }
    }
    if (binary && reader->scan.at < reader->scan.end) {
        reader->scan.at++; /* exactly one separator */
    }
    reader->map->in_grey = true;
    uint64_t sample = binary && header[2] <= 255 ? 1 : 2;
    OozeStatus status = reserve(reader, header[0], header[1], sample);
    if (status) {
        return status;
    }
    return binary ? read_grey_binary(reader, header[2]) : read_grey_text(reader, header[2]);
}

/* ---- ESRI ASCII grid ------------------------------------------------------------------------ */

typedef struct GridHeader {
    double columns, rows, cell, no_data;
} GridHeader;

/* Reads "key value" lines up to the first word that is a number: the first sample. */
static OozeStatus read_grid_header(MapReader *reader, GridHeader *header)
{
    static const char *const ignored[] = {"xllcorner", "yllcorner", "xllcenter", "yllcenter"};
    for (;;) {
        OozeScan before = reader->scan;
        OozeToken key, token;
        double value, *target = NULL;
        if (!ooze_scan_token(&reader->scan, &key)) {
            return fail_at(reader, &key, "expected samples");
        }
        if (ooze_token_number(&key, &value)) {
            reader->scan = before;
            return OOZE_OK;
        }
        target = ooze_token_is(&key, "ncols")          ? &header->columns
                 : ooze_token_is(&key, "nrows")        ? &header->rows
                 : ooze_token_is(&key, "cellsize")     ? &header->cell
                 : ooze_token_is(&key, "nodata_value") ? &header->no_data
                                                       : NULL;
        bool known = target != NULL;
        for (int k = 0; k < 4; k++) {
            known = known || ooze_token_is(&key, ignored[k]);
        }
        if (!known) {
            return fail_at(reader, &key, "unknown key of an ESRI grid");
        }
        if (!ooze_scan_token(&reader->scan, &token) || !ooze_token_number(&token, &value)) {
            return fail_at(reader, &token, "expected a number");
        }
        if (target) {
            *target = value;
        }
    }
}

static OozeStatus read_samples(MapReader *reader, double no_data)
{
    OozeHeightMap *map = reader->map;
    uint64_t count = (uint64_t)map->columns * map->rows;
    float low = INFINITY;
    for (uint64_t i = 0; i < count; i++) {
        OozeToken token;
        double value;
        if (!ooze_scan_token(&reader->scan, &token) || !ooze_token_number(&token, &value) ||
            fabs(value) > 1e30) {
            return fail_at(reader, &token, "expected a height in metres");
        }
        map->heights[i] = value == no_data ? NAN : (float)value;
        low = value == no_data ? low : fminf(low, (float)value);
    }
    if (isinf(low)) {
        return ooze_fail(reader->error, OOZE_ERROR_FORMAT, "choose a part of the map with heights",
                         "%s has no samples but NODATA", reader->name);
    }
    for (uint64_t i = 0; i < count; i++) {
        map->heights[i] = isnan(map->heights[i]) ? low : map->heights[i];
    }
    return OOZE_OK;
}

static OozeStatus read_grid(MapReader *reader)
{
    GridHeader header = {.no_data = -9999.0};
    OozeStatus status = read_grid_header(reader, &header);
    if (status) {
        return status;
    }
    if (!(header.columns >= 1 && header.columns <= UINT32_MAX && header.rows >= 1 &&
          header.rows <= UINT32_MAX && header.cell > 0.0) ||
        header.columns != floor(header.columns) || header.rows != floor(header.rows)) {
        return ooze_fail(reader->error, OOZE_ERROR_FORMAT, "repair or re-export the file",
                         "%s line %llu: ncols %g, nrows %g and cellsize %g describe no grid",
                         reader->name, (unsigned long long)reader->scan.line, header.columns,
                         header.rows, header.cell);
    }
    reader->map->cell = header.cell;
    status = reserve(reader, (int64_t)header.columns, (int64_t)header.rows, 2);
    return status ? status : read_samples(reader, header.no_data);
}

OozeStatus ooze_height_map_read_memory(const char *data, size_t size, const char *name,
                                       OozeHeightMap *map, OozeError *error)
{
    *map = (OozeHeightMap){0};
    MapReader reader = {.scan = {.at = data, .end = data + size, .line = 1},
                        .begin = data,
                        .name = name,
                        .map = map,
                        .error = error};
    OozeStatus status;
    OozeScan peek = reader.scan;
    OozeToken token;
    if (size >= 2 && data[0] == 'P' && (data[1] == '2' || data[1] == '5')) {
        status = read_pgm(&reader, data[1] == '5');
    } else if (ooze_scan_token(&peek, &token) &&
               (ooze_token_is(&token, "ncols") || ooze_token_is(&token, "nrows"))) {
        status = read_grid(&reader);
    } else {
        status = ooze_fail(error, OOZE_ERROR_FORMAT, "use PGM (P2 or P5) or an ESRI ASCII grid",
                           "%s is not a height map that can be read", name);
    }
    if (status) {
        ooze_free(map->heights);
        *map = (OozeHeightMap){0};
    }
    return status;
}

/* Largest file, as for meshes. */
#define FILE_LIMIT (1ull << 30)

OozeStatus ooze_height_map_read(const char *path, OozeHeightMap *map, OozeError *error)
{
    char *data = NULL;
    size_t size = 0;
    OozeStatus status = ooze_file_read(path, FILE_LIMIT, &data, &size, error);
    if (!status) {
        status = ooze_height_map_read_memory(data, size, path, map, error);
    }
    ooze_free(data);
    return status;
}
