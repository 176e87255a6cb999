/* STL, text and binary. Many binary files begin with "solid" too, so that the byte count decides.
   */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "mesh/read.h"
#include "mesh/scan.h"

enum { HEADER_BYTES = 84, FACET_BYTES = 50, TEXT_PEEK = 2048 };

static uint32_t read_u32(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_f32(const char *at)
{
    uint32_t bits = read_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* Size of a binary file with the facet count of its header. */
static uint64_t binary_bytes(const char *data)
{
    return HEADER_BYTES + (uint64_t)FACET_BYTES * read_u32(data + 80);
}

static bool is_text(const char *data, size_t size)
{
    OozeScan scan = {
        .at = data, .end = data + (size < TEXT_PEEK ? size : TEXT_PEEK), .line = 1, .comment = 0};
    OozeToken token;
    if (!ooze_scan_token(&scan, &token) || !ooze_token_is(&token, "solid") ||
        memchr(data, '\0', (size_t)(scan.end - data))) {
        return false;
    }
    ooze_scan_next_line(&scan);
    return !ooze_scan_token(&scan, &token) || ooze_token_is(&token, "facet") ||
           ooze_token_is(&token, "endsolid") || scan.at == scan.end;
}

bool ooze_mesh_is_stl(const char *data, size_t size)
{
    return (size >= HEADER_BYTES && binary_bytes(data) == size) || is_text(data, size);
}

static OozeStatus add_triangle(OozeMeshBuild *build, const OozeVec3 corner[3], OozeError *error)
{
    uint32_t first = (uint32_t)build->vertex_count;
    for (int k = 0; k < 3; k++) {
        OozeStatus status = ooze_mesh_build_vertex(build, corner[k], error);
        if (status) {
            return status;
        }
    }
    return ooze_mesh_build_triangle(build, first, first + 1, first + 2, error);
}

static OozeStatus read_binary(const char *data, size_t size, OozeMeshBuild *build, OozeError *error)
{
    const char *hint = "the file may be cut short; copy or export it again";
    if (size < HEADER_BYTES || binary_bytes(data) > size) {
        return ooze_fail(
            error, OOZE_ERROR_FORMAT, hint,
            "%s byte %llu: binary STL ends early; %llu bytes are needed", build->name,
            (unsigned long long)size,
            (unsigned long long)(size < HEADER_BYTES ? HEADER_BYTES : binary_bytes(data)));
    }
    uint64_t count = read_u32(data + 80);
    OozeStatus status = ooze_mesh_build_reserve(build, 3 * count, count, error);
    for (uint64_t t = 0; !status && t < count; t++) {
        const char *facet = data + HEADER_BYTES + t * FACET_BYTES;
        OozeVec3 corner[3];
        for (int k = 0; k < 3; k++) {
            const char *at = facet + 12 + 12 * k;
            corner[k] = vec3(read_f32(at), read_f32(at + 4), read_f32(at + 8));
            double largest = fmax(fabs(corner[k].x), fmax(fabs(corner[k].y), fabs(corner[k].z)));
            if (!vec3_is_finite(corner[k]) || largest > OOZE_MESH_COORDINATE_MAX) {
                return ooze_fail(error, OOZE_ERROR_FORMAT, "repair or re-export the file",
                                 "%s byte %llu: a vertex at (%g, %g, %g)", build->name,
                                 (unsigned long long)(at - data), corner[k].x, corner[k].y,
                                 corner[k].z);
            }
        }
        status = add_triangle(build, corner, error);
    }
    return status;
}

typedef struct StlReader {
    OozeScan scan;
    OozeMeshBuild *build;
    OozeError *error;
} StlReader;

static OozeStatus fail_at(StlReader *reader, const OozeToken *token, const char *expected)
{
    return ooze_fail(reader->error, OOZE_ERROR_FORMAT, "repair or re-export the file",
                     "%s line %llu: %s, found '%s'", reader->build->name,
                     (unsigned long long)token->line, expected,
                     token->length ? ooze_token_text(token).text : "the end of the file");
}

static OozeStatus expect(StlReader *reader, const char *word)
{
    OozeToken token;
    if (!ooze_scan_token(&reader->scan, &token) || !ooze_token_is(&token, word)) {
        char expected[32] = "expected ";
        strncat(expected, word, 16);
        return fail_at(reader, &token, expected);
    }
    return OOZE_OK;
}

static OozeStatus read_facet(StlReader *reader)
{
    ooze_scan_next_line(&reader->scan); /* the normal, often wrong or NaN: not used */
    OozeStatus status = expect(reader, "outer");
    status = status ? status : expect(reader, "loop");
    OozeVec3 corner[3];
    for (int k = 0; !status && k < 3; k++) {
        status = expect(reader, "vertex");
        double value[3] = {0};
        for (int c = 0; !status && c < 3; c++) {
            OozeToken token;
            if (!ooze_scan_token(&reader->scan, &token) || !ooze_token_number(&token, &value[c]) ||
                fabs(value[c]) > OOZE_MESH_COORDINATE_MAX) {
                status = fail_at(reader, &token, "a vertex needs three finite coordinates");
            }
        }
        corner[k] = vec3(value[0], value[1], value[2]);
    }
    status = status ? status : expect(reader, "endloop");
    status = status ? status : expect(reader, "endfacet");
    return status ? status : add_triangle(reader->build, corner, reader->error);
}

static OozeStatus read_text(const char *data, size_t size, OozeMeshBuild *build, OozeError *error)
{
    StlReader reader = {.scan = {.at = data, .end = data + size, .line = 1, .comment = 0},
                        .build = build,
                        .error = error};
    OozeToken token;
    while (ooze_scan_token(&reader.scan, &token)) {
        OozeStatus status = OOZE_OK;
        if (ooze_token_is(&token, "facet")) {
            status = read_facet(&reader);
        } else if (ooze_token_is(&token, "solid") || ooze_token_is(&token, "endsolid")) {
            ooze_scan_next_line(&reader.scan); /* a name may follow */
        } else {
            status = fail_at(&reader, &token, "expected facet or endsolid");
        }
        if (status) {
            return status;
        }
    }
    return OOZE_OK;
}

OozeStatus ooze_mesh_read_stl(const char *data, size_t size, OozeMeshBuild *build, OozeError *error)
{
    bool binary = (size >= HEADER_BYTES && binary_bytes(data) == size) || !is_text(data, size);
    return binary ? read_binary(data, size, build, error) : read_text(data, size, build, error);
}
