/* PLY, binary little endian, with the property names of Blender, MeshLab and Houdini, and one for
   each field. */
#include <math.h>

#include "output/export_value.h"
#include "surface/mesh_file.h"

/* 8-bit colours are read as sRGB: IEC 61966-2-1. */
static unsigned char encode_color(float linear)
{
    double c = linear < 0.0f ? 0.0 : linear > 1.0f ? 1.0 : (double)linear;
    double s = c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1.0 / 2.4) - 0.055;
    return (unsigned char)(255.0 * s + 0.5);
}

static void print_header(OozeWriter *writer, const OozeFrame *frame, const OozeSurface *surface,
                         const char *remark)
{
    ooze_writer_print(writer,
                      "ply\nformat binary_little_endian 1.0\ncomment %s\n"
                      "comment frame %llu, time %.17g s, up %c\n",
                      remark, (unsigned long long)frame->index, frame->time, "xyz"[frame->up]);
    ooze_export_print_ply_solids(writer, frame);
    ooze_writer_print(writer, "element vertex %llu\n", (unsigned long long)surface->vertex_count);
    static const char *const vectors[] = {"", "n", "v"};
    for (int v = 0; v < 3; v++) {
        for (int a = 0; a < 3; a++) {
            ooze_writer_print(writer, "property float %s%c\n", vectors[v], "xyz"[a]);
        }
    }
    ooze_writer_print(writer, "property uchar red\nproperty uchar green\nproperty uchar blue\n"
                              "property uint material\n");
    for (int f = 0; f < surface->field_count; f++) {
        OozeFieldView field = {.name = surface->fields[f].name,
                               .components = surface->fields[f].components};
        for (int c = 0; c < field.components; c++) {
            char column[OOZE_EXPORT_NAME_MAX];
            ooze_export_column(&field, c, column);
            ooze_writer_print(writer, "property float field_%s\n", column);
        }
    }
    ooze_writer_print(writer,
                      "element face %llu\nproperty list uchar uint vertex_indices\nend_header\n",
                      (unsigned long long)surface->triangle_count);
}

static void put_floats(OozeWriter *writer, const float *values, int count)
{
    for (int k = 0; k < count; k++) {
        ooze_export_put_little(writer, &values[k], sizeof *values);
    }
}

OozeStatus ooze_mesh_write_ply(const OozeFrame *frame, const OozeSurface *surface,
                               const char *remark, const char *path, OozeError *error)
{
    OozeWriter writer;
    OozeStatus status = ooze_writer_open(&writer, path, error);
    if (status) {
        return status;
    }
    print_header(&writer, frame, surface, remark);
    for (uint64_t v = 0; v < surface->vertex_count && !writer.error_number; v++) {
        put_floats(&writer, surface->positions + 3 * v, 3);
        put_floats(&writer, surface->normals + 3 * v, 3);
        put_floats(&writer, surface->velocities + 3 * v, 3);
        for (uint64_t a = 0; a < 3; a++) {
            unsigned char c = encode_color(surface->colors[3 * v + a]);
            ooze_writer_put(&writer, &c, 1);
        }
        uint32_t material = surface->materials[v]; /* meshio and others do not read `ushort` */
        ooze_export_put_little(&writer, &material, sizeof material);
        for (int f = 0; f < surface->field_count; f++) {
            int components = surface->fields[f].components;
            put_floats(&writer, surface->fields[f].values + v * (uint64_t)components, components);
        }
    }
    for (uint64_t t = 0; t < surface->triangle_count && !writer.error_number; t++) {
        ooze_writer_put(&writer, "\3", 1);
        for (uint64_t k = 0; k < 3; k++) {
            ooze_export_put_little(&writer, &surface->triangles[3 * t + k], 4);
        }
    }
    return ooze_writer_commit(&writer, error);
}
