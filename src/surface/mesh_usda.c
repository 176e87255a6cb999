/* Universal Scene Description as text: one mesh per frame, everything sampled at time code 0, so
   that the stage run.usda can play the files as value clips although their topology changes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/export_value.h"
#include "output/usda.h"
#include "surface/mesh_file.h"

static void print_extent(OozeWriter *writer, const OozeSurface *surface)
{
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (uint64_t k = 0; k < 3 * surface->vertex_count; k++) {
        double x = (double)surface->positions[k];
        low[k % 3] = k < 3 ? x : fmin(low[k % 3], x);
        high[k % 3] = k < 3 ? x : fmax(high[k % 3], x);
    }
    ooze_writer_print(writer,
                      "        float3[] extent.timeSamples = {\n"
                      "            0: [(%.9g, %.9g, %.9g), (%.9g, %.9g, %.9g)],\n        }\n",
                      low[0], low[1], low[2], high[0], high[1], high[2]);
}

/* Rows of `width` numbers, in brackets where they are tuples. */
static void print_floats(OozeWriter *writer, const char *type, const char *name,
                         const float *values, uint64_t count, int width, int digits)
{
    bool tuples = width >= 2 && width <= 4;
    ooze_writer_print(writer, "        %s[] %s.timeSamples = {\n            0: [", type, name);
    for (uint64_t i = 0; i < count && !writer->error_number; i++) {
        ooze_writer_put(writer, ", ", i > 0 ? 2 : 0);
        ooze_writer_put(writer, "(", tuples);
        for (int c = 0; c < width; c++) {
            ooze_writer_print(writer, "%s%.*g", c > 0 ? ", " : "", digits,
                              (double)values[i * (uint64_t)width + (uint64_t)c]);
        }
        ooze_writer_put(writer, ")", tuples);
    }
    ooze_writer_print(writer, "],\n        }\n");
}

static void print_topology(OozeWriter *writer, const OozeSurface *surface)
{
    ooze_writer_print(writer, "        int[] faceVertexCounts.timeSamples = {\n            0: [");
    for (uint64_t t = 0; t < surface->triangle_count && !writer->error_number; t++) {
        ooze_writer_print(writer, "%s3", t > 0 ? ", " : "");
    }
    ooze_writer_print(writer, "],\n        }\n"
                              "        int[] faceVertexIndices.timeSamples = {\n            0: [");
    for (uint64_t k = 0; k < 3 * surface->triangle_count && !writer->error_number; k++) {
        ooze_writer_print(writer, "%s%u", k > 0 ? ", " : "", surface->triangles[k]);
    }
    ooze_writer_print(writer, "],\n        }\n");
}

static void print_materials(OozeWriter *writer, const OozeSurface *surface)
{
    ooze_usda_print_primvar(writer, "int", "primvars:material", 1, NULL);
    ooze_writer_print(writer, "        int[] primvars:material.timeSamples = {\n            0: [");
    for (uint64_t v = 0; v < surface->vertex_count && !writer->error_number; v++) {
        ooze_writer_print(writer, "%s%u", v > 0 ? ", " : "", surface->materials[v]);
    }
    ooze_writer_print(writer, "],\n        }\n");
}

/* The same names as those of the particles. */
static void print_field(OozeWriter *writer, const OozeSurfaceField *field, uint64_t count)
{
    char name[OOZE_EXPORT_NAME_MAX], full[OOZE_EXPORT_NAME_MAX + 16], type[16] = "float";
    ooze_export_identifier(field->name, name);
    snprintf(full, sizeof full, "primvars:%s", name);
    bool tuples = field->components >= 2 && field->components <= 4;
    if (tuples) {
        snprintf(type, sizeof type, "float%d", field->components);
    }
    ooze_usda_print_primvar(writer, type, full, tuples ? 1 : field->components, field->unit);
    if (tuples) {
        print_floats(writer, type, full, field->values, count, field->components, 9);
    } else {
        print_floats(writer, type, full, field->values, count * (uint64_t)field->components, 1, 9);
    }
}

OozeStatus ooze_mesh_write_usda(const OozeFrame *frame, const OozeSurface *surface,
                                const char *remark, const char *path, OozeError *error)
{
    OozeWriter writer;
    OozeStatus status = ooze_writer_open(&writer, path, error);
    if (status) {
        return status;
    }
    uint64_t count = surface->vertex_count;
    ooze_usda_print_head(&writer, frame, remark);
    ooze_writer_print(&writer, "    def Mesh \"surface\"\n    {\n"
                               "        uniform token subdivisionScheme = \"none\"\n"
                               "        uniform token orientation = \"rightHanded\"\n");
    print_extent(&writer, surface);
    print_topology(&writer, surface);
    print_floats(&writer, "point3f", "points", surface->positions, count, 3, 9);
    ooze_writer_print(&writer, "        normal3f[] normals (\n"
                               "            interpolation = \"vertex\"\n        )\n");
    print_floats(&writer, "normal3f", "normals", surface->normals, count, 3, 5);
    print_floats(&writer, "vector3f", "velocities", surface->velocities, count, 3, 7);
    ooze_usda_print_primvar(&writer, "color3f", "primvars:displayColor", 1, NULL);
    print_floats(&writer, "color3f", "primvars:displayColor", surface->colors, count, 3, 4);
    print_materials(&writer, surface);
    for (int f = 0; f < surface->field_count; f++) {
        if (strcmp(surface->fields[f].name, "material") == 0) {
            continue; /* is there already */
        }
        print_field(&writer, &surface->fields[f], count);
    }
    ooze_writer_print(&writer, "    }\n}\n");
    return ooze_writer_commit(&writer, error);
}
