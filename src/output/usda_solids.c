/* Shapes of the solids of a scene as a layer, solids.usda; their poses are in the layers of the
   frames. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vec3.h"
#include "output/export.h"
#include "output/export_value.h"
#include "output/usda.h"
#include "scene/scene.h"
#include "solids/shape.h"

static void print_mesh(OozeWriter *writer, const OozeMesh *mesh, const float color[3])
{
    ooze_writer_print(writer, "            def Mesh \"shape\"\n            {\n"
                              "                uniform token subdivisionScheme = \"none\"\n"
                              "                int[] faceVertexCounts = [");
    for (uint64_t t = 0; t < mesh->triangle_count && !writer->error_number; t++) {
        ooze_writer_print(writer, t > 0 ? ", 3" : "3");
    }
    ooze_writer_print(writer, "]\n                int[] faceVertexIndices = [");
    for (uint64_t k = 0; k < 3 * mesh->triangle_count && !writer->error_number; k++) {
        ooze_writer_print(writer, "%s%u", k > 0 ? ", " : "", mesh->triangles[k]);
    }
    ooze_writer_print(writer, "]\n                point3f[] points = [");
    for (uint64_t v = 0; v < mesh->vertex_count && !writer->error_number; v++) {
        const OozeVec3 *p = &mesh->vertices[v];
        ooze_writer_print(writer, "%s(%.9g, %.9g, %.9g)", v > 0 ? ", " : "", p->x, p->y, p->z);
    }
    ooze_writer_print(writer,
                      "]\n                color3f[] primvars:displayColor = [(%.4g, %.4g, %.4g)]\n"
                      "            }\n",
                      color[0], color[1], color[2]);
}

/* Planes are infinite, and left out. */
static OozeStatus print_solid(OozeWriter *writer, const OozeSceneDef *scene, int i,
                              const char *name, OozeError *error)
{
    const OozeSolidDef *def = &scene->solids[i];
    OozeShape *shape = NULL;
    OozeMesh *mesh = NULL;
    if (def->shape.kind == OOZE_SHAPE_PLANE) {
        return OOZE_OK;
    }
    OozeStatus status =
        ooze_shape_create(&def->shape, scene->world.up, scene->world.spacing, &shape, error);
    if (!status) {
        OozeBounds box = ooze_shape_bounds(shape);
        double edge = vec3_length(vec3_sub(box.max, box.min)) / 24.0;
        status = ooze_shape_triangulate(shape, edge, NULL, &mesh, error);
    }
    if (!status) {
        ooze_writer_print(writer, "        over \"%s\"\n        {\n", name);
        print_mesh(writer, mesh, def->color);
        ooze_writer_print(writer, "        }\n");
    }
    ooze_mesh_free(mesh);
    ooze_shape_destroy(shape);
    return status;
}

OozeStatus ooze_export_usda_solids(const OozeScene *scene, const char *folder, OozeError *error)
{
    const OozeSceneDef *def = &scene->def;
    OozeText path = {0};
    OozeWriter writer;
    OozeSolidView *views = ooze_alloc_zero((size_t)def->solid_count + 1, sizeof *views);
    ooze_text_append(&path, "%s/" OOZE_USDA_SOLIDS, folder);
    OozeStatus status = path.failed || !views ? ooze_fail_memory(error, "the solids of a scene", 0)
                                              : ooze_writer_open(&writer, path.data, error);
    ooze_text_clear(&path);
    if (status) {
        ooze_free(views);
        return status;
    }
    for (int i = 0; i < def->solid_count; i++) {
        views[i].name = def->solids[i].name;
    }
    OozeFrame frame = {.solid_count = def->solid_count, .solids = views};
    ooze_writer_print(&writer, "#usda 1.0\n\nover \"ooze\"\n{\n    over \"solids\"\n    {\n");
    for (int i = 0; i < def->solid_count && !status; i++) {
        char name[OOZE_EXPORT_NAME_MAX];
        ooze_usda_solid_name(&frame, i, name);
        status = print_solid(&writer, def, i, name, error);
    }
    ooze_free(views);
    if (status) {
        ooze_writer_cancel(&writer);
        return status;
    }
    ooze_writer_print(&writer, "    }\n}\n");
    return ooze_writer_commit(&writer, error);
}
