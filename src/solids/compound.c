#include "solids/compound.h"

#include "base/fail.h"
#include "base/memory.h"
#include "mesh/build.h"
#include "solids/motion.h"

/* ---- making ---------------------------------------------------------------------------------- */

static OozeStatus check(const OozeShapeDef *def, OozeError *error)
{
    if (!def->parts || def->part_count < 1) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "list the shapes that it is made of",
                         "the compound has no parts");
    }
    if (def->part_count > OOZE_SHAPE_PARTS_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use a mesh",
                         "the compound has %d parts; at most %d are possible", def->part_count,
                         OOZE_SHAPE_PARTS_MAX);
    }
    OozeVec3 s = def->scale;
    if (s.x != s.y || s.y != s.z) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give one factor, or stretch its parts",
                         "the compound has scale = (%g, %g, %g), which is not even", s.x, s.y, s.z);
    }
    return OOZE_OK;
}

static OozeStatus check_part(const OozeShapeDef *part, int number, OozeError *error)
{
    if (part->kind == OOZE_SHAPE_COMPOUND) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "list its parts in place of it",
                         "part %d of the compound is a compound itself", number);
    }
    if (part->kind == OOZE_SHAPE_PLANE || part->kind == OOZE_SHAPE_HEIGHTFIELD) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use a box, or a solid of its own",
                         "part %d of the compound is a %s, which has no end", number,
                         part->kind == OOZE_SHAPE_PLANE ? "plane" : "height field");
    }
    if (part->inverted) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                         "invert the compound, or use a solid of its own",
                         "part %d of the compound is inverted", number);
    }
    return OOZE_OK;
}

static OozeStatus add_part(OozeShape *shape, const OozeShapeDef *given, double scale,
                           double resolution, OozeThreads *threads, OozeError *error)
{
    int number = shape->part_count + 1;
    OozeStatus status = check_part(given, number, error);
    if (status) {
        return status;
    }
    OozeShapeDef def = *given;
    OozeShape *made = NULL;
    OozeError cause = {0};
    def.scale = vec3_scale(def.scale, scale);
    status = ooze_shape_create_with(&def, shape->up, resolution, threads, &made, &cause);
    if (status) {
        return ooze_fail(error, status, cause.hint, "part %d of the compound: %s", number,
                         cause.message);
    }
    OozeShapePart *part = &shape->parts[shape->part_count++];
    part->shape = *made;
    ooze_free(made);
    part->pose.position = vec3_scale(def.position, scale);
    part->pose.rotation = quat_unit(def.rotation);
    OozeBounds own = ooze_shape_bounds(&part->shape), *box = &shape->box;
    own = ooze_bounds_transform(&own, &part->pose, false);
    *box = number == 1 ? own : ooze_bounds_union(*box, own);
    return OOZE_OK;
}

OozeStatus ooze_compound_create(OozeShape *shape, const OozeShapeDef *def, double resolution,
                                OozeThreads *threads, OozeError *error)
{
    OozeStatus status = check(def, error);
    if (status) {
        return status;
    }
    size_t count = (size_t)def->part_count;
    shape->parts = ooze_alloc_zero(count, sizeof *shape->parts);
    if (!shape->parts) {
        return ooze_fail_memory(error, "the parts of a shape", count * sizeof *shape->parts);
    }
    for (int k = 0; k < def->part_count && !status; k++) {
        status = add_part(shape, &def->parts[k], def->scale.x, resolution, threads, error);
    }
    return status;
}

/* ---- triangles ------------------------------------------------------------------------------- */

static OozeStatus append(OozeMeshBuild *build, const OozeMesh *mesh, const OozePose *pose,
                         OozeError *error)
{
    uint64_t first = build->vertex_count;
    OozeStatus status = OOZE_OK;
    if (first + mesh->vertex_count > UINT32_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use longer edges, or fewer parts",
                         "the compound would have more than %u vertices", UINT32_MAX);
    }
    for (uint64_t v = 0; v < mesh->vertex_count && !status; v++) {
        status = ooze_mesh_build_vertex(build, ooze_pose_to_world(pose, mesh->vertices[v]), error);
    }
    for (uint64_t t = 0; t < mesh->triangle_count && !status; t++) {
        const uint32_t *corner = &mesh->triangles[3 * t];
        status = ooze_mesh_build_triangle(build, (uint32_t)first + corner[0],
                                          (uint32_t)first + corner[1], (uint32_t)first + corner[2],
                                          error);
    }
    return status;
}

OozeStatus ooze_compound_triangulate(const OozeShape *shape, double edge, OozeMesh **mesh,
                                     OozeError *error)
{
    OozeMeshBuild build = {.name = "the compound"};
    OozeStatus status = OOZE_OK;
    for (int k = 0; k < shape->part_count && !status; k++) {
        OozeMesh *own = NULL;
        status = ooze_shape_triangulate(&shape->parts[k].shape, edge, NULL, &own, error);
        status = status ? status : append(&build, own, &shape->parts[k].pose, error);
        ooze_mesh_free(own);
    }
    if (status) {
        ooze_mesh_build_free(&build);
        return status;
    }
    return ooze_mesh_build_finish(&build, mesh, error);
}
