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

#include "base/fail.h"
#include "surface/rings.h"

/* Weight of the neighbours' mean in a pass. */
#define STEP 0.5f
/* Displacements of neighbours that differ by more than this belong to different parts of the shape,
   in spacings. */
#define ALIKE 0.12
/* Upper bound of the displacement, in spacings. */
#define DISPLACEMENT_MAX 0.3f
/* Passes over the normals after the last. */
enum { NORMAL_PASSES = 3 };
/* Passes over the displacements in which all neighbours are alike: ripples must not count as parts
   of the shape. */
enum { PLAIN_PASSES = 4 };
/* Passes over the limited displacements: at sharp ridges the limits differ between neighbours. */
enum { LAST_PASSES = 2 };

typedef struct Smoothing {
    const OozeRings *rings;
    const float *from; /* one or three numbers per vertex */
    float *to;
    uint64_t fixed; /* the first vertices that keep their values */
    float likeness; /* of numbers: one over the square of the difference at which they are unlike */
} Smoothing;

/* The arrays of a filter, all per vertex. */
typedef struct Filter {
    OozeRings rings;
    uint64_t fixed;
    float likeness;
    float *other, *shift, *normals; /* 3 per vertex */
    float *amount;                  /* 2 per vertex: displacement along the normal, and scratch */
} Filter;

static void smooth_vectors(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Smoothing *job = context;
    (void)worker;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t first = job->rings->first[v], last = job->rings->first[v + 1];
        const float *own = job->from + 3 * v;
        /* Relative to the vertex: far from the origin the sum would lose its digits. */
        float sum[3] = {0.0f, 0.0f, 0.0f};
        for (uint64_t k = first; k < last; k++) {
            const float *other = job->from + 3 * (uint64_t)job->rings->edges[k].to;
            for (uint64_t a = 0; a < 3; a++) {
                sum[a] += other[a] - own[a];
            }
        }
        float scale = last > first && v >= job->fixed ? STEP / (float)(last - first) : 0.0f;
        for (uint64_t a = 0; a < 3; a++) {
            job->to[3 * v + a] = own[a] + scale * sum[a];
        }
    }
}

/* Neighbours count the less the more they differ: across an edge of the shape the displacement
   changes, and averaging over that would raise a lip beside it. */
static void smooth_numbers(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Smoothing *job = context;
    (void)worker;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t first = job->rings->first[v], last = job->rings->first[v + 1];
        float own = job->from[v], sum = 0.0f;
        for (uint64_t k = first; k < last; k++) {
            float difference = job->from[job->rings->edges[k].to] - own;
            float alike = 1.0f - difference * difference * job->likeness;
            sum += alike > 0.0f ? alike * alike * difference : 0.0f;
        }
        float scale = last > first && v >= job->fixed ? STEP / (float)(last - first) : 0.0f;
        job->to[v] = own + scale * sum;
    }
}

/* Applies the filter `passes` times; the result is in `values`. */
static void low_pass(const OozeSurfaceMesh *mesh, const Filter *filter, float *values,
                     float *scratch, int width, int passes, OozeThreads *threads)
{
    for (int pass = 0; pass < passes; pass++) {
        Smoothing job = {&filter->rings, pass % 2 ? scratch : values, pass % 2 ? values : scratch,
                         filter->fixed, filter->likeness};
        ooze_parallel_for(threads, mesh->vertex_count, 1024,
                          width == 3 ? smooth_vectors : smooth_numbers, &job);
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
    float scale; /* one over the spacing: squares of small lengths would underflow */
} Normals;

static void scale_to_unit(float n[3])
{
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int a = 0; a < 3; a++) {
        n[a] = length > 0.0f ? n[a] / length : (float)(a == 2);
    }
}

/* Mean of the triangles' normals, weighted by their areas: slivers have little weight. */
static void normal_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Normals *job = context;
    (void)worker;
    for (uint64_t v = begin; v < end; v++) {
        const float *own = job->mesh->positions + 3 * v;
        float sum[3] = {0.0f, 0.0f, 0.0f};
        for (uint64_t k = job->rings->first[v]; k < job->rings->first[v + 1]; k++) {
            const float *p = job->mesh->positions + 3 * (uint64_t)job->rings->edges[k].to;
            const float *q = job->mesh->positions + 3 * (uint64_t)job->rings->edges[k].third;
            float e[3], f[3];
            for (int a = 0; a < 3; a++) {
                e[a] = (p[a] - own[a]) * job->scale;
                f[a] = (q[a] - own[a]) * job->scale;
            }
            for (int a = 0; a < 3; a++) {
                sum[a] += e[(a + 1) % 3] * f[(a + 2) % 3] - e[(a + 2) % 3] * f[(a + 1) % 3];
            }
        }
        scale_to_unit(sum);
        memcpy(job->normals + 3 * v, sum, sizeof sum);
    }
}

static void unit_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    float *normals = context;
    (void)worker;
    for (uint64_t v = begin; v < end; v++) {
        scale_to_unit(normals + 3 * v);
    }
}

OozeStatus ooze_mesh_normals(const OozeSurfaceMesh *mesh, double spacing, OozeThreads *threads,
                             float *normals, OozeError *error)
{
    Filter filter = {0};
    filter.other = ooze_alloc(mesh->vertex_count, 3 * sizeof *filter.other);
    if (!filter.other) {
        return ooze_fail_memory(error, "normals", mesh->vertex_count * 3 * sizeof *filter.other);
    }
    OozeStatus status = ooze_rings_build(mesh, &filter.rings, error);
    if (!status) {
        Normals job = {mesh, &filter.rings, normals, (float)(1.0 / spacing)};
        ooze_parallel_for(threads, mesh->vertex_count, 1024, normal_range, &job);
        low_pass(mesh, &filter, normals, filter.other, 3, NORMAL_PASSES, threads);
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
        float sum = 0.0f;
        for (uint64_t a = 3 * v; a < 3 * v + 3; a++) {
            sum += job->filter->normals[a] * (job->filter->shift[a] - job->mesh->positions[a]);
        }
        job->filter->amount[v] = sum;
    }
}

/* `shift`: S x; `amount`: S d, then the displacement. */
static void limit_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Displacement *job = context;
    (void)worker;
    for (uint64_t v = begin; v < end; v++) {
        const float *n = job->filter->normals + 3 * v, *to = job->filter->shift + 3 * v;
        const float *x = job->mesh->positions + 3 * v;
        float d = n[0] * (to[0] - x[0]) + n[1] * (to[1] - x[1]) + n[2] * (to[2] - x[2]);
        float most = fabsf(d); /* not more than the filter itself would move it */
        d -= job->filter->amount[v];
        d = d > most ? most : d < -most ? -most : d;
        job->filter->amount[v] = d / sqrtf(1.0f + d * d / (job->limit * job->limit));
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
    *filter = (Filter){.other = ooze_alloc(count, 3 * sizeof(float)),
                       .shift = ooze_alloc(count, 3 * sizeof(float)),
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
    int plain = how->passes < PLAIN_PASSES ? how->passes : PLAIN_PASSES;
    Normals normals = {mesh, &filter->rings, filter->normals, (float)(1.0 / how->spacing)};
    Displacement displacement = {mesh, filter, DISPLACEMENT_MAX * (float)how->spacing};
    ooze_parallel_for(threads, count, 1024, normal_range, &normals);
    memcpy(filter->shift, mesh->positions, count * 3 * sizeof(float));
    low_pass(mesh, filter, filter->shift, filter->other, 3, how->passes, threads);
    ooze_parallel_for(threads, count, 1024, project_range, &displacement);
    low_pass(mesh, filter, filter->amount, filter->amount + count, 1, plain, threads);
    filter->likeness = (float)(1.0 / (ALIKE * ALIKE * how->spacing * how->spacing));
    low_pass(mesh, filter, filter->amount, filter->amount + count, 1, how->passes - plain, threads);
    ooze_parallel_for(threads, count, 1024, limit_range, &displacement);
    filter->likeness = 0.0f;
    low_pass(mesh, filter, filter->amount, filter->amount + count, 1, LAST_PASSES, threads);
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
