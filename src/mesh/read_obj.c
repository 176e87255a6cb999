/* Wavefront OBJ: vertices and faces; other statements are skipped. */
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "mesh/read.h"
#include "mesh/scan.h"

typedef struct ObjReader {
    OozeScan scan;
    OozeMeshBuild *build;
    OozeError *error;
    uint64_t largest_index, largest_line; /* faces may come before their vertices */
} ObjReader;

static OozeScan begin_scan(const char *data, size_t size)
{
    return (OozeScan){
        .at = data, .end = data + size, .line = 1, .comment = '#', .continuations = true};
}

bool ooze_mesh_is_obj(const char *data, size_t size)
{
    static const char *const words[] = {"v", "vn", "vt",     "vp",     "f", "o",
                                        "g", "s",  "mtllib", "usemtl", "l", "p"};
    OozeScan scan = begin_scan(data, size);
    OozeToken token;
    if (!ooze_scan_token(&scan, &token)) {
        return false;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (ooze_token_is(&token, words[i])) {
            return true;
        }
    }
    return false;
}

static OozeStatus fail_at(ObjReader *reader, const OozeToken *token, const char *expected)
{
    return ooze_fail(reader->error, OOZE_ERROR_FORMAT, "repair or re-export the file",
                     "%s line %llu: %s, found '%s'", reader->build->name,
                     (unsigned long long)token->line, expected, ooze_token_text(token).text);
}

static OozeStatus read_vertex(ObjReader *reader)
{
    double value[3];
    for (int k = 0; k < 3; k++) {
        OozeToken token;
        if (!ooze_scan_in_line(&reader->scan, &token) || !ooze_token_number(&token, &value[k]) ||
            fabs(value[k]) > OOZE_MESH_COORDINATE_MAX) {
            return fail_at(reader, &token, "a vertex needs three finite coordinates");
        }
    }
    return ooze_mesh_build_vertex(reader->build, vec3(value[0], value[1], value[2]), reader->error);
}

/* The vertex of a corner "v", "v/vt", "v//vn" or "v/vt/vn"; negative counts back from the last. */
static OozeStatus read_corner(ObjReader *reader, const OozeToken *token, uint32_t *index)
{
    OozeToken number = *token;
    const char *slash = memchr(token->text, '/', token->length);
    if (slash) {
        number.length = (size_t)(slash - token->text);
    }
    int64_t value;
    if (!ooze_token_integer(&number, &value) || value == 0) {
        return fail_at(reader, token, "a face needs vertex numbers from 1");
    }
    if (value < 0) {
        value += (int64_t)reader->build->vertex_count;
        if (value < 0) {
            return fail_at(reader, token, "a face counts back beyond the first vertex");
        }
    } else {
        value--;
    }
    if (value >= UINT32_MAX) {
        return fail_at(reader, token, "the vertex number is too large");
    }
    if ((uint64_t)value > reader->largest_index || reader->largest_line == 0) {
        reader->largest_index = (uint64_t)value;
        reader->largest_line = token->line;
    }
    *index = (uint32_t)value;
    return OOZE_OK;
}

static OozeStatus read_face(ObjReader *reader)
{
    uint32_t first = 0, previous = 0, index = 0;
    int corners = 0;
    OozeToken token;
    while (ooze_scan_in_line(&reader->scan, &token)) {
        OozeStatus status = read_corner(reader, &token, &index);
        if (!status && corners >= 2) {
            status = ooze_mesh_build_triangle(reader->build, first, previous, index, reader->error);
        }
        if (status) {
            return status;
        }
        first = corners == 0 ? index : first;
        previous = index;
        corners += corners < 3;
    }
    if (corners < 3) {
        return fail_at(reader, &token, "a face needs three corners or more");
    }
    return OOZE_OK;
}

OozeStatus ooze_mesh_read_obj(const char *data, size_t size, OozeMeshBuild *build, OozeError *error)
{
    ObjReader reader = {.scan = begin_scan(data, size), .build = build, .error = error};
    OozeToken token;
    while (ooze_scan_token(&reader.scan, &token)) {
        OozeStatus status = OOZE_OK;
        if (token.length == 1 && token.text[0] == 'v') {
            status = read_vertex(&reader);
        } else if (token.length == 1 && token.text[0] == 'f') {
            status = read_face(&reader);
        } else if (memchr(token.text, '\0', token.length)) {
            status = fail_at(&reader, &token, "binary data in a text file");
        }
        if (status) {
            return status;
        }
        ooze_scan_next_line(&reader.scan);
    }
    if (reader.largest_line > 0 && reader.largest_index >= build->vertex_count) {
        return ooze_fail(error, OOZE_ERROR_FORMAT, "repair or re-export the file",
                         "%s line %llu: a face uses vertex %llu of %llu", build->name,
                         (unsigned long long)reader.largest_line,
                         (unsigned long long)reader.largest_index + 1,
                         (unsigned long long)build->vertex_count);
    }
    return OOZE_OK;
}
