/* Smoothing at the wavelengths of the particle spacing.

   Low-pass filters over the mesh shrink what is curved: a sphere, a thread. Here the normal
   displacement that the filter S suggests is a number per vertex, and its own low-pass part, which
   is that systematic shrinkage, is subtracted:

     d = n . (S x - x),   x' = x + n limit(d - S d),   |limit| <= |d|

   A sphere or a thread has the same d everywhere and stays as it is; on a flat surface a wave is
   multiplied by 1 - (1 - S)^2. Subtracting a mean at the same place is the idea of Vollmer, Mencl
   and Mueller, "Improved Laplacian smoothing of noisy surface meshes", Eurographics 1999. The limit
   keeps creases: they are deeper than ripples of the particles. What volume is lost at edges, a few
   thousandths, is given back to the whole surface. */
#include <math.h>
#include <string.h>

#include "base/f32x4.h"
#include "base/fail.h"
#include "surface/smooth_formula.h"

/* The arrays of a filter, all per vertex. */
typedef struct Filter {
    OozeRings rings;
    uint64_t fixed;
    float likeness;
    float *other, *shift, *normals; /* 3 per vertex */
    float *amount;                  /* 2 per vertex: displacement along the normal, and scratch */
} Filter;

/* As ooze_low_pass_vector, with the same bits, three numbers at a time: a fourth one behind them is
   read and ignored. */
static void vector_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const OozeLowPass *job = context;
    (void)worker;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t first = job->rings.first[v], last = job->rings.first[v + 1];
        const OozeF32x4 own = ooze_f32x4_load(job->from + 3 * v);
        OozeF32x4 sum = ooze_f32x4_splat(0.0f);
        for (uint64_t k = first; k < last; k++) {
            sum += ooze_f32x4_load(job->from + 3 * (uint64_t)job->rings.to[k]) - own;
        }
        float scale =
            last > first && v >= job->fixed ? OOZE_SMOOTH_STEP / (float)(last - first) : 0.0f;
        sum = own + ooze_f32x4_splat(scale) * sum;
        for (uint64_t a = 0; a < 3; a++) {
            job->to[3 * v + a] = sum[a];
        }
    }
}

static void number_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    for (uint64_t v = begin; v < end; v++) {
        ooze_low_pass_number(context, v);
    }
}

/* Applies the filter `passes` times; the result is in `values`. Arrays of vectors have one number
   more. */
static void low_pass(const OozeSurfaceMesh *mesh, const Filter *filter, float *values,
                     float *scratch, int width, int passes, OozeThreads *threads)
{
    for (int pass = 0; pass < passes; pass++) {
        OozeLowPass job = {filter->rings, pass % 2 ? scratch : values, pass % 2 ? values : scratch,
                           filter->fixed, filter->likeness};
        ooze_parallel_for(threads, mesh->vertex_count, 1024,
                          width == 3 ? vector_range : number_range, &job);
    }
    if (passes % 2) {
        memcpy(values, scratch, mesh->vertex_count * (uint64_t)width * sizeof *values);
    }
}

/* ---- normals ------------------------------------------------------------------------------- */

typedef struct Normals {
    const OozeSurfaceMesh *mesh;
    const OozeRings *rings;
    float *normals;
    float scale; /* one over the spacing */
} Normals;

static void normal_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Normals *job = context;
    (void)worker;
    for (uint64_t v = begin; v < end; v++) {
        ooze_vertex_normal(job->mesh->positions, job->rings, job->scale, v, job->normals + 3 * v);
    }
}

static void unit_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    float *normals = context;
    (void)worker;
    for (uint64_t v = begin; v < end; v++) {
        ooze_scale_to_unit(normals + 3 * v);
    }
}

OozeStatus ooze_mesh_normals(const OozeSurfaceMesh *mesh, double spacing, OozeThreads *threads,
                             float *normals, OozeError *error)
{
    Filter filter = {0};
    filter.other = ooze_alloc(mesh->vertex_count + 1, 3 * sizeof *filter.other);
    if (!filter.other) {
        return ooze_fail_memory(error, "normals", mesh->vertex_count * 3 * sizeof *filter.other);
    }
    OozeStatus status = ooze_rings_build(mesh, &filter.rings, error);
    if (!status) {
        Normals job = {mesh, &filter.rings, normals, (float)(1.0 / spacing)};
        ooze_parallel_for(threads, mesh->vertex_count, 1024, normal_range, &job);
        low_pass(mesh, &filter, normals, filter.other, 3, OOZE_SMOOTH_NORMAL_PASSES, threads);
        ooze_parallel_for(threads, mesh->vertex_count, 1024, unit_range, normals);
    }
    ooze_rings_free(&filter.rings);
    ooze_free(filter.other);
    return status;
}

/* ---- displacements ------------------------------------------------------------------------- */

typedef struct Displacement {
    OozeSurfaceMesh *mesh;
    const Filter *filter;
    float limit; /* m; or the distance of an offset */
} Displacement;

static void project_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Displacement *job = context;
    (void)worker;
    for (uint64_t v = begin; v < end; v++) {
        job->filter->amount[v] = ooze_smooth_distance(
            job->filter->normals + 3 * v, job->filter->shift + 3 * v, job->mesh->positions + 3 * v);
    }
}

/* `shift`: S x; `amount`: S d, then the displacement. */
static void limit_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Displacement *job = context;
    (void)worker;
    for (uint64_t v = begin; v < end; v++) {
        float d = ooze_smooth_distance(job->filter->normals + 3 * v, job->filter->shift + 3 * v,
                                       job->mesh->positions + 3 * v);
        job->filter->amount[v] = ooze_smooth_limit(d, job->filter->amount[v], job->limit);
    }
}

static void move_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Displacement *job = context;
    (void)worker;
    for (uint64_t v = begin > job->filter->fixed ? begin : job->filter->fixed; v < end; v++) {
        for (uint64_t k = 3 * v; k < 3 * v + 3; k++) {
            job->mesh->positions[k] += job->filter->normals[k] * job->filter->amount[v];
        }
    }
}

static void free_filter(Filter *filter)
{
    ooze_rings_free(&filter->rings);
    ooze_free(filter->other);
    ooze_free(filter->shift);
    ooze_free(filter->normals);
    ooze_free(filter->amount);
}

static OozeStatus create_filter(const OozeSurfaceMesh *mesh, Filter *filter, OozeError *error)
{
    uint64_t count = mesh->vertex_count;
    *filter = (Filter){.other = ooze_alloc(count + 1, 3 * sizeof(float)),
                       .shift = ooze_alloc(count + 1, 3 * sizeof(float)),
                       .normals = ooze_alloc(count, 3 * sizeof(float)),
                       .amount = ooze_alloc(count, 2 * sizeof(float))};
    if (!filter->other || !filter->shift || !filter->normals || !filter->amount) {
        return ooze_fail_memory(error, "smoothing", count * 11 * sizeof(float));
    }
    return ooze_rings_build(mesh, &filter->rings, error);
}

static void offset_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Displacement *job = context;
    (void)worker;
    for (uint64_t k = 3 * begin; k < 3 * end; k++) {
        job->mesh->positions[k] += job->limit * job->filter->normals[k];
    }
}

/* Moves every vertex outwards by the same distance, so that the volume is what it was. */
static OozeStatus restore_volume(OozeSurfaceMesh *mesh, const Filter *filter, double wanted,
                                 OozeThreads *threads, OozeError *error)
{
    double volume, area;
    OozeStatus status = ooze_mesh_measure(mesh, threads, &volume, &area, error);
    if (!status && area > 0.0) {
        Displacement offset = {mesh, filter, (float)((wanted - volume) / area)};
        ooze_parallel_for(threads, mesh->vertex_count, 4096, offset_range, &offset);
    }
    return status;
}

static void smooth(OozeSurfaceMesh *mesh, Filter *filter, const OozeSmoothing *how,
                   OozeThreads *threads)
{
    uint64_t count = mesh->vertex_count;
    int plain = how->passes < OOZE_SMOOTH_PLAIN_PASSES ? how->passes : OOZE_SMOOTH_PLAIN_PASSES;
    Normals normals = {mesh, &filter->rings, filter->normals, (float)(1.0 / how->spacing)};
    Displacement displacement = {mesh, filter, OOZE_SMOOTH_DISPLACEMENT_MAX * (float)how->spacing};
    ooze_parallel_for(threads, count, 1024, normal_range, &normals);
    memcpy(filter->shift, mesh->positions, count * 3 * sizeof(float));
    low_pass(mesh, filter, filter->shift, filter->other, 3, how->passes, threads);
    ooze_parallel_for(threads, count, 1024, project_range, &displacement);
    low_pass(mesh, filter, filter->amount, filter->amount + count, 1, plain, threads);
    filter->likeness =
        (float)(1.0 / (OOZE_SMOOTH_ALIKE * OOZE_SMOOTH_ALIKE * how->spacing * how->spacing));
    low_pass(mesh, filter, filter->amount, filter->amount + count, 1, how->passes - plain, threads);
    ooze_parallel_for(threads, count, 1024, limit_range, &displacement);
    filter->likeness = 0.0f;
    low_pass(mesh, filter, filter->amount, filter->amount + count, 1, OOZE_SMOOTH_LAST_PASSES,
             threads);
    ooze_parallel_for(threads, count, 1024, move_range, &displacement);
}

OozeStatus ooze_mesh_smooth(OozeSurfaceMesh *mesh, const OozeSmoothing *how, OozeThreads *threads,
                            OozeError *error)
{
    if (how->passes == 0 || mesh->vertex_count <= how->fixed) {
        return OOZE_OK;
    }
    Filter filter = {0};
    double volume = 0.0, area;
    OozeStatus status = create_filter(mesh, &filter, error);
    filter.fixed = how->fixed;
    if (!status && how->fixed == 0) {
        status = ooze_mesh_measure(mesh, threads, &volume, &area, error);
    }
    if (!status) {
        smooth(mesh, &filter, how, threads);
    }
    if (!status && how->fixed == 0) {
        status = restore_volume(mesh, &filter, volume, threads, error);
    }
    free_filter(&filter);
    return status;
}
