#include "cuda/surface/surface_build.cuh"

#include "cuda/device.h"
#include "cuda/surface/surface_attributes.cuh"
#include "cuda/surface/surface_smooth.cuh"

#include <atomic>

extern "C" {
#include "particles/field.h"
}

namespace ooze
{

/* Farther from the origin, in cells, a grid of the GPU clamps coordinates. */
#define FARTHEST 0x1p19

struct SurfaceJob {
    Gpu *gpu;
    const OozeFrame *frame;
    const OozeSurfaceSettings *settings;
    OozeStepTimer *timer;
    SurfaceCloud cloud;
    SurfaceBlocks blocks;
    SurfaceMesh mesh;
    int material;
};

/* ---- what the GPU supports ---- */

static bool has_one_material(const OozeFrame *frame, int *material)
{
    const OozeFieldView *field =
        ooze_frame_field(frame, ooze_common_fields[OOZE_FIELD_MATERIAL].name);
    *material = field ? (int)ooze_field_value(field, 0, 0) : 0;
    for (uint64_t i = 0; field && i < frame->particle_count; i++) {
        if ((int)ooze_field_value(field, i, 0) != *material) {
            return false;
        }
    }
    return true;
}

static bool is_supported(SurfaceJob *job)
{
    const OozeFrame *frame = job->frame;
    const OozeFieldView *position =
        ooze_frame_field(frame, ooze_common_fields[OOZE_FIELD_POSITION].name);
    return frame->particle_count > 0 && frame->particle_count < OOZE_PARTICLES_MAX &&
           frame->spacing > 0.0 && std::isfinite(frame->spacing) && position &&
           position->components == 3 && job->settings->decimation == 1.0 &&
           has_one_material(frame, &job->material);
}

/* Whether all particles are near enough to the origin for block coordinates and for cells. */
static bool is_in_range(const SurfaceJob *job)
{
    const double spacing = job->frame->spacing;
    const double edge = job->settings->cell * spacing * OOZE_BLOCK_EDGE;
    double far = 0.0;
    for (int a = 0; a < 3; a++) {
        far = fmax(far, fabs((double)job->cloud.grid.low[a]));
        far = fmax(far, fabs((double)job->cloud.grid.high[a]));
    }
    return (far + 4.0 * spacing) / edge < OOZE_BLOCK_LIMIT - 8.0 &&
           far / (OOZE_SURFACE_NEIGHBOURHOOD * spacing) < FARTHEST;
}

/* ---- building ---- */

static const float4 *send_positions(SurfaceJob *job)
{
    const uint64_t n = job->frame->particle_count;
    const DeviceField field = surface_field(
        job->gpu, ooze_frame_field(job->frame, ooze_common_fields[OOZE_FIELD_POSITION].name), n);
    float4 *points = scratch<float4>(job->gpu, n);
    for_each(
        job->gpu, n, OOZE_BODY(uint32_t i) {
            const float *x = field.data + (uint64_t)i * field.stride;
            points[i] = f32x4(x[0], x[1], x[2]);
        });
    return points;
}

/* Sets *done to false where the surface is left to the processor. */
static OozeStatus make_mesh(SurfaceJob *job, bool *done, OozeError *error)
{
    Gpu *gpu = job->gpu;
    OozeError fault = {};
    const float4 *points = send_positions(job);
    ooze_timer_lap(job->timer, "upload");
    OozeStatus result = surface_cloud_open(gpu, &job->cloud, job->frame, points, &fault);
    if (gpu->failed != cudaSuccess) {
        return status(gpu, job->frame->particle_count, error);
    }
    *done = !result && is_in_range(job); /* the processor states what is wrong with the frame */
    if (!*done) {
        return OOZE_OK;
    }
    ooze_timer_lap(job->timer, "sort");
    surface_cloud_shape(gpu, &job->cloud, job->settings);
    ooze_timer_lap(job->timer, "kernels");
    surface_blocks_build(gpu, &job->cloud, job->settings, &job->blocks, done, job->timer);
    if (*done) {
        surface_march(gpu, &job->cloud, &job->blocks, &job->mesh, done);
        ooze_timer_lap(job->timer, "triangles");
    }
    return status(gpu, job->frame->particle_count, error);
}

static void set_constants(const SurfaceJob *job, OozeOwnedSurface *owned)
{
    for (uint64_t v = 0; v < job->mesh.vertex_count; v++) {
        owned->materials[v] = (uint16_t)job->material;
        for (int a = 0; a < 3; a++) {
            owned->colors[3 * v + (uint64_t)a] = ooze_material_color(job->frame, job->material, a);
        }
    }
    for (uint64_t t = 0; t < job->mesh.triangle_count; t++) {
        owned->triangle_materials[t] = (uint16_t)job->material;
    }
}

static void send_average(SurfaceJob *job, const OozeFieldView *field, float *values)
{
    Gpu *gpu = job->gpu;
    Mark mark = scratch_mark(gpu);
    const DeviceField sent = surface_field(gpu, field, job->frame->particle_count);
    const uint64_t count = job->mesh.vertex_count * (uint64_t)field->components;
    float *averages = scratch<float>(gpu, count);
    surface_average(gpu, &job->cloud, job->mesh, sent, averages);
    copy_out(gpu, values, averages, count * sizeof *values);
    scratch_rewind(gpu, mark);
}

static void fetch_attributes(SurfaceJob *job, const float *normals, OozeOwnedSurface *owned)
{
    Gpu *gpu = job->gpu;
    const OozeFrame *frame = job->frame;
    const OozeFieldView *velocity =
        ooze_frame_field(frame, ooze_common_fields[OOZE_FIELD_VELOCITY].name);
    const uint64_t count = 3 * job->mesh.vertex_count;
    if (velocity && velocity->components == 3) {
        send_average(job, velocity, owned->velocities);
    } else {
        memset(owned->velocities, 0, count * sizeof *owned->velocities);
    }
    for (int f = 0; f < owned->surface.field_count; f++) {
        send_average(job, ooze_frame_field(frame, owned->fields[f].name),
                     const_cast<float *>(owned->fields[f].values));
    }
    ooze_timer_lap(job->timer, "attributes");
    copy_out(gpu, owned->normals, normals, count * sizeof *normals);
    copy_out(gpu, owned->mesh.positions, job->mesh.positions, count * sizeof(float));
    copy_out(gpu, owned->mesh.triangles, job->mesh.triangles,
             3 * job->mesh.triangle_count * sizeof(uint32_t));
    set_constants(job, owned);
    ooze_timer_lap(job->timer, "download");
}

static OozeStatus reserve(const SurfaceJob *job, OozeOwnedSurface *owned, OozeError *error)
{
    OozeSurfaceMesh *mesh = &owned->mesh;
    mesh->vertex_count = job->mesh.vertex_count;
    mesh->triangle_count = job->mesh.triangle_count;
    mesh->positions =
        static_cast<float *>(ooze_alloc(mesh->vertex_count, 3 * sizeof *mesh->positions));
    mesh->triangles =
        static_cast<uint32_t *>(ooze_alloc(mesh->triangle_count, 3 * sizeof *mesh->triangles));
    if (!mesh->positions || !mesh->triangles) {
        return ooze_fail_memory(error, "the triangles of a surface", mesh->vertex_count * 36);
    }
    return ooze_attributes_reserve(owned, job->frame, job->settings, error);
}

static OozeStatus finish(SurfaceJob *job, OozeOwnedSurface *owned, OozeError *error)
{
    Gpu *gpu = job->gpu;
    const double spacing = job->frame->spacing;
    const int passes = job->settings->mesh_smoothing;
    float *normals = scratch<float>(gpu, 3 * job->mesh.vertex_count);
    const OozeRings rings = surface_rings(gpu, job->mesh);
    if (passes > 0) {
        surface_smooth(gpu, job->mesh, rings, passes, spacing);
        surface_normals(gpu, job->mesh, rings, spacing, normals);
    } else {
        surface_field_normals(gpu, &job->cloud, job->mesh, normals);
    }
    surface_measure(gpu, job->mesh, &owned->surface.volume, &owned->surface.area);
    ooze_timer_lap(job->timer, "smoothing");
    OozeStatus result = status(gpu, job->frame->particle_count, error);
    result = result ? result : reserve(job, owned, error);
    if (!result) {
        fetch_attributes(job, normals, owned);
        result = status(gpu, job->frame->particle_count, error);
    }
    return result;
}

OozeStatus surface_build(Gpu *gpu, const OozeFrame *frame, const OozeSurfaceSettings *settings,
                         OozeOwnedSurface *owned, bool *done, OozeStepTimer *timer,
                         OozeError *error)
{
    SurfaceJob job = {};
    job.gpu = gpu;
    job.frame = frame;
    job.settings = settings;
    job.timer = timer;
    ooze_timer_begin(timer, "surface");
    *done = is_supported(&job);
    OozeStatus result = OOZE_OK;
    if (*done) {
        result = make_mesh(&job, done, error);
    }
    if (!result && *done) {
        result = finish(&job, owned, error);
    }
    surface_blocks_free(gpu, &job.blocks);
    grid_free(gpu, &job.cloud.grid);
    return result;
}

/* ---- memory that surfaces share ---- */

/* Frames of small scenes take less time than allocating for them: a GPU's stream and memory of up
   to KEPT_BYTES are kept for the next surface, whichever thread builds it. */
#define KEPT_BYTES ((size_t)256 << 20)
static std::atomic<Gpu *> kept_gpu{nullptr};

static void close_gpu(Gpu *gpu)
{
    if (gpu) {
        gpu_destroy(gpu);
        ooze_free(gpu);
    }
}

static OozeStatus open_gpu(Gpu **opened, uint64_t particles, OozeError *error)
{
    Gpu *gpu = kept_gpu.exchange(nullptr);
    OozeStatus result = OOZE_OK;
    if (!gpu) {
        gpu = static_cast<Gpu *>(ooze_alloc_zero(1, sizeof *gpu));
        if (!gpu) {
            return ooze_fail_memory(error, "a surface", sizeof *gpu);
        }
        if (!gpu_create(gpu)) {
            result = status(gpu, particles, error);
            result = result ? result : ooze_device_unusable("it has no free stream", error);
            close_gpu(gpu);
            gpu = nullptr;
        }
    }
    *opened = gpu;
    return result;
}

static void keep_gpu(Gpu *gpu)
{
    scratch_reset(gpu);
    close_gpu(gpu->failed == cudaSuccess ? kept_gpu.exchange(gpu) : gpu);
}

static OozeStatus build(const OozeFrame *frame, const OozeSurfaceSettings *settings,
                        OozeOwnedSurface *owned, bool *done, OozeError *error)
{
    Gpu *gpu = nullptr;
    OozeStatus result = open_gpu(&gpu, frame->particle_count, error);
    if (result) {
        return result;
    }
    result = surface_build(gpu, frame, settings, owned, done, nullptr, error);
    if (!result && gpu->allocated <= KEPT_BYTES) {
        keep_gpu(gpu);
    } else {
        close_gpu(gpu);
    }
    return result;
}

static bool available(char *text, size_t size)
{
    return ooze_cuda_describe(text, size) > 0;
}

} // namespace ooze

extern "C" const OozeSurfaceDevice ooze_cuda_surface = {OOZE_STAND_IN, ooze::available,
                                                        ooze::build};
