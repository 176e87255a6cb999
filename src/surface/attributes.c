#include "surface/attributes.h"

#include <stdio.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "particles/field.h"
#include "surface/point.h"
#include "surface/rings.h"

enum { NAMES_MAX = 64 };

OozeStatus ooze_attributes_check(const OozeFrame *frame, const OozeSurfaceSettings *settings,
                                 OozeError *error)
{
    for (int f = 0; f < settings->field_count; f++) {
        const char *name = settings->fields[f];
        if (name && ooze_frame_field(frame, name)) {
            continue;
        }
        const char *names[NAMES_MAX];
        int count = 0;
        for (; count < frame->field_count && count < NAMES_MAX; count++) {
            names[count] = frame->fields[count].name;
        }
        const char *near = name ? ooze_suggest(name, names, count) : NULL;
        char hint[256] = "ooze info RUN lists the fields";
        if (near) {
            snprintf(hint, sizeof hint, "did you mean '%s'?", near);
        }
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, hint, "frame %llu has no field '%s'",
                         (unsigned long long)frame->index, name ? name : "(null)");
    }
    return OOZE_OK;
}

typedef struct Filling {
    const OozeCloud *cloud;
    OozeOwnedSurface *owned;
    const OozeFieldView *velocity, *material;
    const char *const *fields; /* names of the surface's */
    bool normals_of_field;
} Filling;

static void fill_vertex(const Filling *job, uint64_t v)
{
    OozeOwnedSurface *owned = job->owned;
    const OozeFrame *frame = job->cloud->frame;
    OozePointWeights parts;
    const float *point = owned->mesh.positions + 3 * v;
    if (job->normals_of_field) {
        ooze_field_weights(job->cloud, point, &parts);
        ooze_normal_of_gradient(parts.gradient, owned->normals + 3 * v);
    }
    ooze_point_weights(job->cloud, point, &parts);
    double velocity[3] = {0}, color[3] = {0};
    for (int k = 0; k < parts.count; k++) {
        uint64_t i = job->cloud->order[parts.particle[k]];
        double w = (double)parts.share[k];
        for (int a = 0; a < 3 && job->velocity; a++) {
            velocity[a] += w * ooze_field_value(job->velocity, i, a);
        }
        int material = job->material ? (int)ooze_field_value(job->material, i, 0) : 0;
        for (int a = 0; a < 3; a++) {
            color[a] += w * (double)ooze_material_color(frame, material, a);
        }
    }
    for (int a = 0; a < 3; a++) {
        owned->velocities[3 * v + (uint64_t)a] = (float)velocity[a];
        owned->colors[3 * v + (uint64_t)a] = (float)color[a];
    }
    uint64_t nearest = job->cloud->order[parts.nearest];
    owned->materials[v] = job->material ? (uint16_t)ooze_field_value(job->material, nearest, 0) : 0;
    for (int f = 0; f < owned->surface.field_count; f++) {
        const OozeSurfaceField *field = &owned->fields[f];
        const OozeFieldView *from = ooze_frame_field(frame, job->fields[f]);
        float *value = (float *)field->values + v * (uint64_t)field->components;
        for (int c = 0; c < field->components; c++) {
            double sum = 0.0;
            for (int k = 0; k < parts.count; k++) {
                sum += (double)parts.share[k] *
                       ooze_field_value(from, job->cloud->order[parts.particle[k]], c);
            }
            value[c] = (float)sum;
        }
    }
}

static void fill_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Filling *job = context;
    (void)worker;
    for (uint64_t v = begin; v < end; v++) {
        fill_vertex(job, v);
    }
}

/* With those of interfaces. */
static uint64_t count_vertices(const OozeOwnedSurface *owned)
{
    return owned->mesh.vertex_count + owned->mesh.interface_vertex_count;
}

static bool reserve_fields(OozeOwnedSurface *owned, const OozeFrame *frame,
                           const OozeSurfaceSettings *settings)
{
    int count = settings->field_count;
    owned->fields = ooze_alloc_zero((size_t)count, sizeof *owned->fields);
    for (int f = 0; f < count && owned->fields; f++) {
        const OozeFieldView *field = ooze_frame_field(frame, settings->fields[f]);
        owned->fields[f] = (OozeSurfaceField){
            .name = ooze_copy_text(field->name),
            .unit = ooze_copy_text(field->unit ? field->unit : ""),
            .components = field->components,
            .values = ooze_alloc(count_vertices(owned) * (uint64_t)field->components, 4)};
        owned->surface.field_count = f + 1;
        if (!owned->fields[f].name || !owned->fields[f].unit || !owned->fields[f].values) {
            return false;
        }
    }
    return owned->fields;
}

OozeStatus ooze_attributes_reserve(OozeOwnedSurface *owned, const OozeFrame *frame,
                                   const OozeSurfaceSettings *settings, OozeError *error)
{
    uint64_t count = count_vertices(owned);
    owned->normals = ooze_alloc(count + 1, 3 * sizeof *owned->normals); /* see ooze_mesh_normals */
    owned->velocities = ooze_alloc(count, 3 * sizeof *owned->velocities);
    owned->colors = ooze_alloc(count, 3 * sizeof *owned->colors);
    owned->materials = ooze_alloc(count, sizeof *owned->materials);
    owned->triangle_materials =
        ooze_alloc(owned->mesh.triangle_count, sizeof *owned->triangle_materials);
    owned->interface_materials =
        ooze_alloc(owned->mesh.interface_count, 2 * sizeof *owned->interface_materials);
    bool reserved = owned->normals && owned->velocities && owned->colors && owned->materials &&
                    owned->triangle_materials && owned->interface_materials &&
                    reserve_fields(owned, frame, settings);
    return reserved ? OOZE_OK : ooze_fail_memory(error, "the attributes of a surface", count * 38);
}

/* Materials of triangles by their labels, and those of the vertices by their triangles; where the
   triangles are not labelled, by their first vertices. */
static void set_materials(const Filling *job)
{
    OozeOwnedSurface *owned = job->owned;
    const OozeSurfaceMesh *mesh = &owned->mesh;
    const uint16_t *material_of = job->cloud->material_of;
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        uint16_t own = mesh->triangle_labels ? material_of[mesh->triangle_labels[t]]
                                             : owned->materials[mesh->triangles[3 * t]];
        owned->triangle_materials[t] = own;
        for (uint64_t k = 3 * t; k < 3 * t + 3 && mesh->triangle_labels; k++) {
            owned->materials[mesh->triangles[k]] = own;
        }
    }
    for (uint64_t k = 0; k < 2 * mesh->interface_count; k++) {
        owned->interface_materials[k] = material_of[mesh->interface_labels[k]];
    }
}

/* Normals of the surface from its triangles; of vertices that only interfaces have, from those. */
static OozeStatus set_normals(const Filling *job, OozeThreads *threads, OozeError *error)
{
    OozeOwnedSurface *owned = job->owned;
    const OozeSurfaceMesh *mesh = &owned->mesh;
    double spacing = job->cloud->spacing;
    OozeStatus status = OOZE_OK;
    if (mesh->interface_vertex_count > 0) {
        OozeSurfaceMesh interfaces = ooze_mesh_interfaces(mesh);
        status = ooze_mesh_normals(&interfaces, spacing, threads, owned->normals, error);
    }
    return status ? status : ooze_mesh_normals(mesh, spacing, threads, owned->normals, error);
}

OozeStatus ooze_attributes_fill(OozeOwnedSurface *owned, const OozeCloud *cloud,
                                const OozeSurfaceSettings *settings, OozeThreads *threads,
                                OozeError *error)
{
    uint64_t count = count_vertices(owned);
    Filling job = {
        .cloud = cloud,
        .owned = owned,
        .fields = settings->fields,
        .normals_of_field = settings->mesh_smoothing == 0,
        .velocity = ooze_frame_field(cloud->frame, ooze_common_fields[OOZE_FIELD_VELOCITY].name),
        .material = ooze_frame_field(cloud->frame, ooze_common_fields[OOZE_FIELD_MATERIAL].name)};
    OozeStatus status = ooze_attributes_reserve(owned, cloud->frame, settings, error);
    if (!status) {
        ooze_parallel_for(threads, count, 256, fill_range, &job);
        set_materials(&job);
        if (!job.normals_of_field) {
            status = set_normals(&job, threads, error);
        }
    }
    return status;
}
