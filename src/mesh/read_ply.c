/* PLY, text and binary of either byte order. Any properties in any order; elements other than
   vertex and face are skipped. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "mesh/read.h"
#include "mesh/scan.h"

typedef enum PlyType {
    PLY_I8,
    PLY_U8,
    PLY_I16,
    PLY_U16,
    PLY_I32,
    PLY_U32,
    PLY_F32,
    PLY_F64,
    PLY_TYPE_COUNT
} PlyType;

static const struct {
    const char *name, *other_name;
    int bytes;
} types[PLY_TYPE_COUNT] = {
    [PLY_I8] = {"char", "int8", 1},      [PLY_U8] = {"uchar", "uint8", 1},
    [PLY_I16] = {"short", "int16", 2},   [PLY_U16] = {"ushort", "uint16", 2},
    [PLY_I32] = {"int", "int32", 4},     [PLY_U32] = {"uint", "uint32", 4},
    [PLY_F32] = {"float", "float32", 4}, [PLY_F64] = {"double", "float64", 8},
};

typedef enum PlyRole { ROLE_NONE, ROLE_X, ROLE_Y, ROLE_Z, ROLE_CORNERS } PlyRole;

typedef struct PlyProperty {
    PlyType type, count_type;
    bool list;
    PlyRole role;
} PlyProperty;

typedef enum PlyKind { KIND_OTHER, KIND_VERTEX, KIND_FACE } PlyKind;

enum { ELEMENTS_MAX = 32, PROPERTIES_MAX = 256 };

typedef struct PlyElement {
    PlyKind kind;
    uint64_t count;
    int first_property, property_count;
} PlyElement;

typedef struct PlyReader {
    OozeScan scan;
    const char *begin;
    OozeMeshBuild *build;
    OozeError *error;
    bool binary, big_endian;
    PlyElement elements[ELEMENTS_MAX];
    int element_count;
    PlyProperty properties[PROPERTIES_MAX];
    int property_count;
    uint64_t vertex_count;
} PlyReader;

static const char *const repair_hint = "repair or re-export the file";

bool ooze_mesh_is_ply(const char *data, size_t size)
{
    return size >= 4 && memcmp(data, "ply", 3) == 0 && (data[3] == '\n' || data[3] == '\r');
}

static OozeStatus fail_at(PlyReader *reader, const OozeToken *token, const char *what)
{
    return ooze_fail(reader->error, OOZE_ERROR_FORMAT, repair_hint, "%s line %llu: %s, found '%s'",
                     reader->build->name, (unsigned long long)token->line, what,
                     token->length ? ooze_token_text(token).text : "nothing");
}

/* Reports the current position: the line of a text body, the byte of a binary one. */
static OozeStatus fail_here(PlyReader *reader, const char *what)
{
    bool text = !reader->binary;
    return ooze_fail(reader->error, OOZE_ERROR_FORMAT, repair_hint, "%s %s %llu: %s",
                     reader->build->name, text ? "line" : "byte",
                     (unsigned long long)(text ? reader->scan.line
                                               : (uint64_t)(reader->scan.at - reader->begin)),
                     what);
}

/* ---- header ---------------------------------------------------------------------------------- */

static bool find_type(const OozeToken *token, PlyType *type)
{
    for (int t = 0; t < PLY_TYPE_COUNT; t++) {
        if (ooze_token_is(token, types[t].name) || ooze_token_is(token, types[t].other_name)) {
            *type = (PlyType)t;
            return true;
        }
    }
    return false;
}

static OozeStatus read_format(PlyReader *reader)
{
    OozeToken token;
    ooze_scan_in_line(&reader->scan, &token);
    reader->big_endian = ooze_token_is(&token, "binary_big_endian");
    reader->binary = reader->big_endian || ooze_token_is(&token, "binary_little_endian");
    if (!reader->binary && !ooze_token_is(&token, "ascii")) {
        return fail_at(reader, &token,
                       "the format is ascii, binary_little_endian or binary_big_endian");
    }
    return OOZE_OK;
}

static OozeStatus read_element(PlyReader *reader)
{
    OozeToken name, token;
    int64_t count;
    ooze_scan_in_line(&reader->scan, &name);
    if (!ooze_scan_in_line(&reader->scan, &token) || !ooze_token_integer(&token, &count) ||
        count < 0) {
        return fail_at(reader, &token, "an element needs a name and a count");
    }
    if (reader->element_count == ELEMENTS_MAX) {
        return fail_at(reader, &name, "too many elements");
    }
    PlyElement *element = &reader->elements[reader->element_count++];
    *element = (PlyElement){.count = (uint64_t)count, .first_property = reader->property_count};
    element->kind = ooze_token_is(&name, "vertex") ? KIND_VERTEX
                    : ooze_token_is(&name, "face") ? KIND_FACE
                                                   : KIND_OTHER;
    if (element->kind == KIND_VERTEX) {
        if (reader->vertex_count > 0) {
            return fail_at(reader, &name, "vertices are declared twice");
        }
        reader->vertex_count = (uint64_t)count;
    }
    return OOZE_OK;
}

static PlyRole role_of(PlyKind kind, bool list, const OozeToken *name)
{
    if (kind == KIND_VERTEX && !list && name->length == 1) {
        return ooze_token_is(name, "x")   ? ROLE_X
               : ooze_token_is(name, "y") ? ROLE_Y
               : ooze_token_is(name, "z") ? ROLE_Z
                                          : ROLE_NONE;
    }
    if (kind == KIND_FACE && list &&
        (ooze_token_is(name, "vertex_indices") || ooze_token_is(name, "vertex_index"))) {
        return ROLE_CORNERS;
    }
    return ROLE_NONE;
}

static OozeStatus read_property(PlyReader *reader)
{
    OozeToken token;
    PlyProperty property = {0};
    ooze_scan_in_line(&reader->scan, &token);
    if (reader->element_count == 0 || reader->property_count == PROPERTIES_MAX) {
        return fail_at(reader, &token,
                       reader->element_count == 0 ? "a property without an element"
                                                  : "too many properties");
    }
    PlyElement *element = &reader->elements[reader->element_count - 1];
    if (ooze_token_is(&token, "list")) {
        property.list = true;
        ooze_scan_in_line(&reader->scan, &token);
        if (!find_type(&token, &property.count_type) || property.count_type >= PLY_F32) {
            return fail_at(reader, &token, "a list needs an integer type for its length");
        }
        ooze_scan_in_line(&reader->scan, &token);
    }
    if (!find_type(&token, &property.type)) {
        return fail_at(reader, &token, "unknown type of property");
    }
    if (!ooze_scan_in_line(&reader->scan, &token)) {
        return fail_at(reader, &token, "a property needs a name");
    }
    property.role = role_of(element->kind, property.list, &token);
    reader->properties[reader->property_count++] = property;
    element->property_count++;
    return OOZE_OK;
}

static bool has_role(const PlyReader *reader, PlyKind kind, PlyRole role)
{
    for (int e = 0; e < reader->element_count; e++) {
        const PlyElement *element = &reader->elements[e];
        for (int p = 0; p < element->property_count; p++) {
            if (element->kind == kind &&
                reader->properties[element->first_property + p].role == role) {
                return true;
            }
        }
    }
    return false;
}

static OozeStatus read_header(PlyReader *reader)
{
    bool format_seen = false, ended = false;
    OozeToken token;
    ooze_scan_next_line(&reader->scan); /* the mark itself */
    while (!ended && ooze_scan_token(&reader->scan, &token)) {
        OozeStatus status = OOZE_OK;
        if (ooze_token_is(&token, "format")) {
            status = read_format(reader);
            format_seen = true;
        } else if (ooze_token_is(&token, "element")) {
            status = read_element(reader);
        } else if (ooze_token_is(&token, "property")) {
            status = read_property(reader);
        } else if (ooze_token_is(&token, "end_header")) {
            ended = true;
        } else if (!ooze_token_is(&token, "comment") && !ooze_token_is(&token, "obj_info")) {
            status = fail_at(reader, &token, "unknown header line");
        }
        if (status) {
            return status;
        }
        if (ended && reader->binary) { /* a data byte equal to a line end must not be skipped */
            while (reader->scan.at < reader->scan.end && *reader->scan.at == ' ') {
                reader->scan.at++;
            }
            if (reader->scan.end - reader->scan.at >= 2 && reader->scan.at[0] == '\r' &&
                reader->scan.at[1] == '\n' && reader->begin[3] == '\r') {
                reader->scan.at++;
            }
            reader->scan.at += reader->scan.at < reader->scan.end;
        } else {
            ooze_scan_next_line(&reader->scan);
        }
    }
    if (!ended || !format_seen) {
        return fail_at(reader, &token, ended ? "the header names no format" : "no end_header");
    }
    if (!has_role(reader, KIND_VERTEX, ROLE_X) || !has_role(reader, KIND_VERTEX, ROLE_Y) ||
        !has_role(reader, KIND_VERTEX, ROLE_Z)) {
        return fail_at(reader, &token, "vertices lack x, y or z");
    }
    if (!has_role(reader, KIND_FACE, ROLE_CORNERS)) {
        return fail_at(reader, &token, "no faces with a list vertex_indices");
    }
    return OOZE_OK;
}

/* ---- body ------------------------------------------------------------------------------------ */

static double decode(const PlyReader *reader, PlyType type)
{
    const unsigned char *at = (const unsigned char *)reader->scan.at;
    uint64_t bits = 0;
    int bytes = types[type].bytes;
    for (int i = 0; i < bytes; i++) {
        bits |= (uint64_t)at[reader->big_endian ? bytes - 1 - i : i] << 8 * i;
    }
    float single;
    double number;
    uint32_t low = (uint32_t)bits;
    switch (type) {
    case PLY_I8:
        return (int8_t)bits;
    case PLY_I16:
        return (int16_t)bits;
    case PLY_I32:
        return (int32_t)bits;
    case PLY_F32:
        memcpy(&single, &low, sizeof single);
        return (double)single;
    case PLY_F64:
        memcpy(&number, &bits, sizeof number);
        return number;
    default:
        return (double)bits;
    }
}

static OozeStatus read_value(PlyReader *reader, PlyType type, double *value)
{
    if (reader->binary) {
        if (reader->scan.end - reader->scan.at < types[type].bytes) {
            return fail_here(reader, "the file ends early");
        }
        *value = decode(reader, type);
        reader->scan.at += types[type].bytes;
        return OOZE_OK;
    }
    OozeToken token;
    if (!ooze_scan_token(&reader->scan, &token)) {
        return fail_here(reader, "the file ends early");
    }
    if (!ooze_token_number(&token, value)) {
        *value = NAN; /* rejected for coordinates only: files do hold NaN normals */
    }
    return OOZE_OK;
}

static OozeStatus read_list(PlyReader *reader, const PlyProperty *property)
{
    double length = 0;
    OozeStatus status = read_value(reader, property->count_type, &length);
    if (status) {
        return status;
    }
    uint64_t left = (uint64_t)(reader->scan.end - reader->scan.at);
    uint64_t item_bytes = reader->binary ? (uint64_t)types[property->type].bytes : 1;
    if (!(length >= 0) || length != floor(length) || length > (double)(left / item_bytes)) {
        return fail_here(reader, "the length of a list is impossible");
    }
    uint32_t first = 0, previous = 0;
    for (uint64_t i = 0; i < (uint64_t)length; i++) {
        double value = 0;
        status = read_value(reader, property->type, &value);
        if (status || property->role != ROLE_CORNERS) {
            if (status) {
                return status;
            }
            continue;
        }
        if (!(value >= 0) || value != floor(value) || value >= (double)reader->vertex_count) {
            return fail_here(reader, "a face uses a vertex that does not exist");
        }
        uint32_t index = (uint32_t)value;
        if (i >= 2) {
            status = ooze_mesh_build_triangle(reader->build, first, previous, index, reader->error);
            if (status) {
                return status;
            }
        }
        first = i == 0 ? index : first;
        previous = index;
    }
    return OOZE_OK;
}

static OozeStatus read_row(PlyReader *reader, const PlyElement *element)
{
    double place[3] = {0};
    for (int p = 0; p < element->property_count; p++) {
        const PlyProperty *property = &reader->properties[element->first_property + p];
        double value = 0;
        OozeStatus status = property->list ? read_list(reader, property)
                                           : read_value(reader, property->type, &value);
        if (status) {
            return status;
        }
        if (property->role >= ROLE_X && property->role <= ROLE_Z) {
            if (!(fabs(value) <= OOZE_MESH_COORDINATE_MAX)) {
                return fail_here(reader, "a vertex coordinate is not a finite number");
            }
            place[property->role - ROLE_X] = value;
        }
    }
    if (element->kind == KIND_VERTEX) {
        return ooze_mesh_build_vertex(reader->build, vec3(place[0], place[1], place[2]),
                                      reader->error);
    }
    return OOZE_OK;
}

/* Bounds counts by the least number of bytes of the rows, before anything is allocated. */
static OozeStatus check_count(PlyReader *reader, const PlyElement *element)
{
    uint64_t row = 0, needed;
    for (int p = 0; p < element->property_count; p++) {
        const PlyProperty *property = &reader->properties[element->first_property + p];
        PlyType type = property->list ? property->count_type : property->type;
        row += reader->binary ? (uint64_t)types[type].bytes : 2;
    }
    uint64_t left = (uint64_t)(reader->scan.end - reader->scan.at);
    if (__builtin_mul_overflow(row, element->count, &needed) || needed > left + 1) {
        return ooze_fail(
            reader->error, OOZE_ERROR_FORMAT, "the file may be cut short; copy or export it again",
            "%s %s %llu: the header announces %llu rows, more than the file holds",
            reader->build->name, reader->binary ? "byte" : "line",
            (unsigned long long)(reader->binary ? (uint64_t)(reader->scan.at - reader->begin)
                                                : reader->scan.line),
            (unsigned long long)element->count);
    }
    return OOZE_OK;
}

static OozeStatus read_rows(PlyReader *reader, const PlyElement *element)
{
    if (element->property_count == 0) {
        return OOZE_OK;
    }
    OozeStatus status = check_count(reader, element);
    if (!status && element->kind != KIND_OTHER) {
        bool vertices = element->kind == KIND_VERTEX;
        status = ooze_mesh_build_reserve(reader->build, vertices ? element->count : 0,
                                         vertices ? 0 : element->count, reader->error);
    }
    for (uint64_t i = 0; !status && i < element->count; i++) {
        status = read_row(reader, element);
    }
    return status;
}

OozeStatus ooze_mesh_read_ply(const char *data, size_t size, OozeMeshBuild *build, OozeError *error)
{
    PlyReader reader = {.scan = {.at = data, .end = data + size, .line = 1, .comment = 0},
                        .begin = data,
                        .build = build,
                        .error = error};
    if (!ooze_mesh_is_ply(data, size)) {
        return ooze_fail(error, OOZE_ERROR_FORMAT, repair_hint,
                         "%s line 1: a PLY file begins with the word ply", build->name);
    }
    OozeStatus status = read_header(&reader);
    for (int e = 0; !status && e < reader.element_count; e++) {
        status = read_rows(&reader, &reader.elements[e]);
    }
    if (!status && build->triangle_count > 0 && build->vertex_count != reader.vertex_count) {
        status =
            ooze_fail(error, OOZE_ERROR_FORMAT, repair_hint, "%s has no vertex rows", build->name);
    }
    return status;
}
