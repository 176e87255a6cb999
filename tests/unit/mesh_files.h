/* Meshes written in every format and encoding, for the tests of the readers. */
#ifndef OOZE_TESTS_MESH_FILES_H
#define OOZE_TESTS_MESH_FILES_H

#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "mesh/mesh.h"

typedef enum MeshEncoding {
    MESH_OBJ,
    MESH_OBJ_FANCY, /* negative indices, slashes, continuations, CRLF */
    MESH_PLY_TEXT,
    MESH_PLY_LITTLE,
    MESH_PLY_BIG,
    MESH_STL_TEXT,
    MESH_STL_BINARY,
    MESH_ENCODING_COUNT
} MeshEncoding;

static inline void put_bytes(OozeText *text, uint64_t bits, int bytes, bool big)
{
    unsigned char out[8];
    for (int i = 0; i < bytes; i++) {
        out[big ? bytes - 1 - i : i] = (unsigned char)(bits >> 8 * i);
    }
    ooze_text_append_bytes(text, out, (size_t)bytes);
}

static inline void put_float(OozeText *text, double value, bool big)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    put_bytes(text, bits, 4, big);
}

static inline void put_double(OozeText *text, double value, bool big)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_bytes(text, bits, 8, big);
}

static inline void write_obj(const OozeMesh *mesh, OozeText *text, bool fancy)
{
    const char *end = fancy ? "\r\n" : "\n";
    ooze_text_append(text, "# a mesh%so thing%s", end, end);
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        OozeVec3 v = mesh->vertices[i];
        ooze_text_append(text,
                         fancy ? "v %.17g\t%.17g \\\r\n  %.17g 1.0%s" : "v %.17g %.17g %.17g%s",
                         v.x, v.y, v.z, end);
    }
    ooze_text_append(text, "vn 0 0 1%svt 0 0%ss off%s", end, end, end);
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        long long c[3];
        for (int k = 0; k < 3; k++) {
            c[k] = (long long)mesh->triangles[3 * t + (uint64_t)k] + 1;
            if (fancy && t % 2 == 0) {
                c[k] -= (long long)mesh->vertex_count + 1;
            }
        }
        ooze_text_append(text, fancy ? "f %lld/1/1 %lld//1 %lld/1 # end%s" : "f %lld %lld %lld%s",
                         c[0], c[1], c[2], end);
    }
}

static inline void write_ply_text(const OozeMesh *mesh, OozeText *text)
{
    ooze_text_append(text,
                     "ply\nformat ascii 1.0\ncomment by hand\nelement vertex %llu\n"
                     "property float z\nproperty uchar red\nproperty double x\nproperty float y\n"
                     "element edge 2\nproperty list uchar int ends\n"
                     "element face %llu\nproperty uchar flags\nproperty list uchar int "
                     "vertex_indices\nend_header\n",
                     (unsigned long long)mesh->vertex_count,
                     (unsigned long long)mesh->triangle_count);
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        OozeVec3 v = mesh->vertices[i];
        ooze_text_append(text, "%.17g 255 %.17g %.17g\n", v.z, v.x, v.y);
    }
    ooze_text_append(text, "2 0 1\n3 0 1 2\n");
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles + 3 * t;
        ooze_text_append(text, "7 3 %u %u %u\n", c[0], c[1], c[2]);
    }
}

static inline void write_ply_binary(const OozeMesh *mesh, OozeText *text, bool big)
{
    ooze_text_append(text,
                     "ply\nformat binary_%s_endian 1.0\nelement camera 1\nproperty double focus\n"
                     "property list ushort short values\nelement vertex %llu\nproperty short a\n"
                     "property float64 x\nproperty double y\nproperty float64 z\n"
                     "element face %llu\nproperty list uint8 uint32 vertex_index\n"
                     "property int8 b\nend_header\n",
                     big ? "big" : "little", (unsigned long long)mesh->vertex_count,
                     (unsigned long long)mesh->triangle_count);
    put_double(text, 1.5, big);
    put_bytes(text, 2, 2, big);
    put_bytes(text, 77, 2, big);
    put_bytes(text, 78, 2, big);
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        OozeVec3 v = mesh->vertices[i];
        put_bytes(text, 0x0d0a, 2, big);
        put_double(text, v.x, big);
        put_double(text, v.y, big);
        put_double(text, v.z, big);
    }
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        put_bytes(text, 3, 1, big);
        for (uint64_t k = 0; k < 3; k++) {
            put_bytes(text, mesh->triangles[3 * t + k], 4, big);
        }
        put_bytes(text, 0xff, 1, big);
    }
}

static inline void write_stl(const OozeMesh *mesh, OozeText *text, bool binary)
{
    if (binary) { /* many writers begin binary files with the word of the text format */
        char header[80] = "solid thing\nfacet normal";
        ooze_text_append_bytes(text, header, sizeof header);
        put_bytes(text, mesh->triangle_count, 4, false);
    } else {
        ooze_text_append(text, "solid a thing\n");
    }
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        if (binary) {
            for (int k = 0; k < 3; k++) {
                put_float(text, 0.0, false);
            }
        } else {
            ooze_text_append(text, "  facet normal nan nan nan\n    outer loop\n");
        }
        for (uint64_t k = 0; k < 3; k++) {
            OozeVec3 v = mesh->vertices[mesh->triangles[3 * t + k]];
            if (binary) {
                put_float(text, v.x, false);
                put_float(text, v.y, false);
                put_float(text, v.z, false);
            } else {
                ooze_text_append(text, "      vertex %.17e %.17e %.17e\n", v.x, v.y, v.z);
            }
        }
        if (binary) {
            put_bytes(text, 0, 2, false);
        } else {
            ooze_text_append(text, "    endloop\n  endfacet\n");
        }
    }
    if (!binary) {
        ooze_text_append(text, "endsolid a thing\n");
    }
}

static inline OozeText write_mesh(const OozeMesh *mesh, MeshEncoding encoding)
{
    OozeText text = {0};
    switch (encoding) {
    case MESH_OBJ:
    case MESH_OBJ_FANCY:
        write_obj(mesh, &text, encoding == MESH_OBJ_FANCY);
        break;
    case MESH_PLY_TEXT:
        write_ply_text(mesh, &text);
        break;
    case MESH_PLY_LITTLE:
    case MESH_PLY_BIG:
        write_ply_binary(mesh, &text, encoding == MESH_PLY_BIG);
        break;
    default:
        write_stl(mesh, &text, encoding == MESH_STL_BINARY);
        break;
    }
    return text;
}

#endif
