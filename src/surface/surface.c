/* Builds the surface of a frame, on the GPU if it is chosen, and owns its memory: the public
   functions of ooze/surface.h. */
#include "ooze/surface.h"

#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "surface/device.h"
#include "surface/rings.h"
#include "world/engine.h"
#include "world/frame.h"

/* Largest displacement of the surface by decimation, in spacings. */
#define DECIMATION_TOLERANCE 0.25

const char *ooze_surface_method_name(OozeSurfaceMethod method)
{
    static const char *const names[OOZE_SURFACE_METHOD_COUNT] = {
        [OOZE_SURFACE_ANISOTROPIC] = "anisotropic",
        [OOZE_SURFACE_ISOTROPIC] = "isotropic",
        [OOZE_SURFACE_CLAVET] = "clavet",
    };
    return (unsigned)method < OOZE_SURFACE_METHOD_COUNT ? names[method] : NULL;
}

OozeSurfaceSettings ooze_surface_default(void)
{
    return (OozeSurfaceSettings){.method = OOZE_SURFACE_ANISOTROPIC,
                                 .cell = 0.5,
                                 .smoothing = 0.9,
                                 .mesh_smoothing = 16,
                                 .decimation = 1.0,
                                 .memory = (uint64_t)4 << 30};
}

static OozeStatus check_settings(const OozeSurfaceSettings *s, OozeError *error)
{
    if ((unsigned)s->method >= OOZE_SURFACE_METHOD_COUNT) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "take one of OozeSurfaceMethod",
                         "there is no surface method %d", (int)s->method);
    }
    if (!(s->cell > 0.0) || !isfinite(s->cell)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "half a spacing is a good cell",
                         "cells of %g spacings are not possible", s->cell);
    }
    if (!(s->smoothing >= 0.0 && s->smoothing <= 1.0)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "0.9 is a good value",
                         "a smoothing of %g is not between 0 and 1", s->smoothing);
    }
    if (!(s->decimation > 0.0 && s->decimation <= 1.0)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "1 keeps all triangles",
                         "a decimation to %g of the triangles is not above 0 and at most 1",
                         s->decimation);
    }
    if (s->mesh_smoothing < 0 || s->mesh_smoothing > 1000) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "a few passes do",
                         "%d passes of mesh smoothing are not between 0 and 1000",
                         s->mesh_smoothing);
    }
    if (s->field_count < 0 || (s->field_count > 0 && !s->fields)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give as many names as field_count says",
                         "the list of %d fields is missing", s->field_count);
    }
    return OOZE_OK;
}

static OozeStatus measure(OozeOwnedSurface *owned, OozeThreads *threads, OozeError *error)
{
    return ooze_mesh_measure(&owned->mesh, threads, &owned->surface.volume, &owned->surface.area,
                             error);
}

/* ---- building ------------------------------------------------------------------------------ */

static OozeStatus build(OozeOwnedSurface *owned, const OozeFrame *frame,
                        const OozeSurfaceSettings *settings, OozeThreads *threads, OozeError *error)
{
    OozeCloud cloud;
    OozeBlocks blocks = {0};
    OozeStatus status = ooze_cloud_open(frame, threads, &cloud, error);
    if (status) {
        return status;
    }
    status = ooze_cloud_shape(&cloud, settings, threads, error);
    if (!status) {
        status = ooze_blocks_build(&cloud, settings->cell * frame->spacing, settings->memory,
                                   threads, &blocks, error);
    }
    status = status ? status : ooze_march(&blocks, &cloud, threads, &owned->mesh, error);
    ooze_blocks_free(&blocks);
    status = status ? status : ooze_mesh_sort_interfaces(&owned->mesh, error);
    if (!status && settings->decimation < 1.0) {
        ooze_mesh_drop_interfaces(&owned->mesh); /* the simplifier would tear their borders */
    }
    if (!status) {
        status = ooze_mesh_smooth_all(&owned->mesh, settings->mesh_smoothing, frame->spacing,
                                      threads, error);
    }
    if (!status) {
        status = ooze_mesh_decimate(&owned->mesh, settings->decimation,
                                    DECIMATION_TOLERANCE * frame->spacing, error);
    }
    status = status ? status : ooze_attributes_fill(owned, &cloud, settings, threads, error);
    status = status ? status : measure(owned, threads, error);
    ooze_cloud_close(&cloud);
    return status;
}

/* On the GPU, if it is chosen, exists and supports the frame: then *done is true. A GPU that fails
   is an error for device cuda only. */
static OozeStatus build_on_device(OozeOwnedSurface *owned, const OozeFrame *frame,
                                  const OozeSurfaceSettings *settings, bool *done, OozeError *error)
{
    char text[256] = "";
    const OozeSurfaceDevice *gpu = ooze_surface_device();
    OozeDevice device = settings->device;
    *done = false;
    OozeStatus status = ooze_device_choose(&device, error);
    if (status || device == OOZE_DEVICE_CPU) {
        return status;
    }
    bool wanted = device == OOZE_DEVICE_CUDA;
    if (!gpu || (gpu->stand_in && !wanted)) {
        return wanted ? ooze_device_missing(error) : OOZE_OK;
    }
    if (!gpu->available(text, sizeof text)) {
        return wanted ? ooze_device_unusable(text, error) : OOZE_OK;
    }
    OozeError why = {0};
    status = gpu->build(frame, settings, owned, done, &why);
    if (status && wanted && error) {
        *error = why;
    }
    return wanted ? status : OOZE_OK;
}

static void publish(OozeOwnedSurface *owned)
{
    OozeSurface *surface = &owned->surface;
    surface->vertex_count = owned->mesh.vertex_count;
    surface->triangle_count = owned->mesh.triangle_count;
    surface->positions = owned->mesh.positions;
    surface->triangles = owned->mesh.triangles;
    surface->normals = owned->normals;
    surface->velocities = owned->velocities;
    surface->colors = owned->colors;
    surface->materials = owned->materials;
    surface->triangle_materials = owned->triangle_materials;
    surface->interface_vertex_count = owned->mesh.interface_vertex_count;
    surface->interface_count = owned->mesh.interface_count;
    surface->interfaces = owned->mesh.interfaces;
    surface->interface_materials = owned->interface_materials;
    surface->fields = owned->fields;
}

OozeStatus ooze_surface_build(const OozeFrame *frame, const OozeSurfaceSettings *settings,
                              int threads, OozeSurface **surface, OozeError *error)
{
    OOZE_REQUIRE(frame, error);
    OOZE_REQUIRE(settings, error);
    OOZE_REQUIRE(surface, error);
    *surface = NULL;
    OozeStatus status = ooze_frame_check_arrays(frame, error);
    status = status ? status : check_settings(settings, error);
    status = status ? status : ooze_attributes_check(frame, settings, error);
    if (status) {
        return status;
    }
    bool done;
    OozeOwnedSurface *owned = ooze_alloc_zero(1, sizeof *owned);
    if (!owned) {
        return ooze_fail_memory(error, "a surface", sizeof *owned);
    }
    status = build_on_device(owned, frame, settings, &done, error);
    if (!status && !done) {
        OozeThreads *pool = NULL;
        status = ooze_threads_create(threads, &pool, error);
        status = status ? status : build(owned, frame, settings, pool, error);
        ooze_threads_destroy(pool);
    }
    publish(owned);
    if (status) {
        ooze_surface_free(&owned->surface);
        return status;
    }
    *surface = &owned->surface;
    return OOZE_OK;
}

void ooze_surface_free(OozeSurface *surface)
{
    OozeOwnedSurface *owned = (OozeOwnedSurface *)surface;
    if (!owned) {
        return;
    }
    for (int f = 0; f < owned->surface.field_count; f++) {
        ooze_free((void *)owned->fields[f].name);
        ooze_free((void *)owned->fields[f].unit);
        ooze_free((void *)owned->fields[f].values);
    }
    ooze_free(owned->fields);
    ooze_free(owned->normals);
    ooze_free(owned->velocities);
    ooze_free(owned->colors);
    ooze_free(owned->materials);
    ooze_free(owned->triangle_materials);
    ooze_free(owned->interface_materials);
    ooze_surface_mesh_free(&owned->mesh);
    ooze_free(owned);
}
