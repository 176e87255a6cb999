/* The kernel of each particle near the surface: centre, half axes and weight. */
#include <math.h>

#include "base/fail.h"
#include "surface/walk.h"

typedef struct Shaping {
    OozeCloud *cloud;
    const OozeSurfaceSettings *settings;
    uint32_t *particle;                /* of each kernel */
    OozeNeighbourhood *neighbourhoods; /* of each kernel */
    float *boost;                      /* of each kernel: factor of its weight */
} Shaping;

/* ---- filled fractions ---------------------------------------------------------------------- */

/* From this sum of weights on, the filled fraction is that of a particle inside. */
#define INSIDE (float)(OOZE_SURFACE_OUTER_FILL * OOZE_SURFACE_FULL * 1.0001)
/* Candidates between two looks at the sum. */
enum { LOOK_EVERY = 64 };

/* Sum of the weights of candidates, four at a time. The particle itself has weight 1. Ends early
   inside: how full the neighbourhood is there has no effect. */
static float sum_weights(const OozeCandidates *c, OozeFloat4 at, float inverse)
{
    OozeF32x4 sum = ooze_f32x4_splat(0.0f), zero = sum, one = ooze_f32x4_splat(1.0f);
    for (uint32_t k = 0; k < c->count && ooze_f32x4_sum(sum) < INSIDE;) {
        uint32_t stop = c->count - k > LOOK_EVERY ? k + LOOK_EVERY : c->count;
        for (; k < stop; k += 4) {
            OozeF32x4 q2 = ooze_candidate_squares(c, k, at) * ooze_f32x4_splat(inverse * inverse);
            sum += ooze_f32x4_max(one - q2 * ooze_f32x4_sqrt(q2), zero);
        }
    }
    return ooze_f32x4_sum(sum);
}

static void fill_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    OozeCloud *cloud = context;
    OozeCloudWalk walk;
    ooze_cloud_walk_init(&walk, cloud);
    const float inverse = (float)(1.0 / (OOZE_SURFACE_NEIGHBOURHOOD * cloud->spacing));
    (void)worker;
    for (uint64_t i = begin; i < end; i++) {
        float sum = 0.0f;
        for (bool more = ooze_candidates_begin(&walk, i); more;
             more = ooze_candidates_next(&walk)) {
            sum += sum_weights(&walk.candidates, cloud->x[i], inverse);
        }
        cloud->fill[i] = sum * (float)(1.0 / OOZE_SURFACE_FULL);
    }
}

/* Whether one of the candidates is nearer than the root of reach2. */
static bool has_near(const OozeCandidates *c, OozeFloat4 at, float reach2)
{
    OozeF32x4 least = ooze_f32x4_splat(INFINITY);
    for (uint32_t k = 0; k < c->count; k += 4) {
        least = ooze_f32x4_min(least, ooze_candidate_squares(c, k, at));
    }
    return ooze_min(ooze_min(least[0], least[1]), ooze_min(least[2], least[3])) < reach2;
}

/* slot: 0 of a particle near the surface or with such a neighbour, OOZE_SURFACE_SHARED elsewhere:
   there only the sum of the kernels matters. */
static void mark_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    OozeCloud *cloud = context;
    OozeCloudWalk walk;
    ooze_cloud_walk_init(&walk, cloud);
    walk.outer = true;
    float reach = (float)(OOZE_SURFACE_NEAR * cloud->spacing);
    (void)worker;
    for (uint64_t i = begin; i < end; i++) {
        bool near = false;
        for (bool more = ooze_candidates_begin(&walk, i); more;
             more = ooze_candidates_next(&walk)) {
            near = near || has_near(&walk.candidates, cloud->x[i], reach * reach);
        }
        cloud->slot[i] = near ? 0 : OOZE_SURFACE_SHARED;
    }
}

/* Whether the candidates of a cell are of several materials. */
static bool has_labels(const OozeCloudWalk *walk)
{
    const uint8_t *label = walk->cloud->label;
    uint8_t difference = 0;
    for (int k = 0; k < walk->count; k++) {
        for (uint32_t j = walk->run[k].begin; j < walk->run[k].end; j++) {
            difference |= label[j] ^ label[walk->run[0].begin];
        }
    }
    return difference != 0;
}

static bool is_at_interface(const OozeCloudWalk *walk, uint64_t i, float reach2)
{
    const OozeCloud *cloud = walk->cloud;
    for (int k = 0; k < walk->count; k++) {
        for (uint32_t j = walk->run[k].begin; j < walk->run[k].end; j++) {
            float dx = cloud->x[j].x - cloud->x[i].x, dy = cloud->x[j].y - cloud->x[i].y;
            float dz = cloud->x[j].z - cloud->x[i].z;
            if (cloud->label[j] != cloud->label[i] && dx * dx + dy * dy + dz * dz < reach2) {
                return true;
            }
        }
    }
    return false;
}

/* Particles near another material. */
static void interface_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    OozeCloud *cloud = context;
    OozeCloudWalk walk;
    ooze_cloud_walk_init(&walk, cloud);
    float reach = (float)(OOZE_SURFACE_INTERFACE * cloud->spacing);
    bool several = false;
    (void)worker;
    for (uint64_t i = begin; i < end; i++) {
        several = ooze_cloud_walk_to(&walk, i) ? has_labels(&walk) : several;
        cloud->at_interface[i] = several && is_at_interface(&walk, i, reach * reach);
    }
}

/* ---- neighbourhoods ------------------------------------------------------------------------ */

static void measure_neighbourhood(OozeCloudWalk *walk, uint64_t i, OozeNeighbourhood *v)
{
    const OozeFloat4 *x = walk->cloud->x;
    const float scale = (float)(1.0 / walk->cloud->spacing);
    const float reach = (float)(1.0 / (OOZE_SURFACE_NEIGHBOURHOOD * walk->cloud->spacing));
    const OozeCandidates *c = &walk->candidates;
    OozeNeighbourSums sums = {0};
    OozeNear near;
    for (bool more = ooze_candidates_begin(walk, i); more; more = ooze_candidates_next(walk)) {
        ooze_near_candidates(&walk->candidates, x[i], 1.0f / (reach * reach), &near);
        ooze_near_weigh(&near, reach);
        for (uint32_t e = 0; e < near.count; e++) {
            const uint32_t n = near.index[e];
            const float d[3] = {(c->x[n] - x[i].x) * scale, (c->y[n] - x[i].y) * scale,
                                (c->z[n] - x[i].z) * scale};
            ooze_neighbour_add(&sums, d, near.r2[e]);
        }
    }
    *v = ooze_neighbour_mean(&sums);
}

static void neighbourhood_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Shaping *job = context;
    OozeCloudWalk walk;
    ooze_cloud_walk_init(&walk, job->cloud);
    (void)worker;
    for (uint64_t s = begin; s < end; s++) {
        measure_neighbourhood(&walk, job->particle[s], &job->neighbourhoods[s]);
    }
}

/* ---- centres ------------------------------------------------------------------------------- */

/* Mean offset of the neighbours whose offsets are like that of particle i; those deep inside have
   none. */
static void mean_offset(const Shaping *job, OozeCloudWalk *walk, uint64_t i, float mean[3])
{
    const float reach = (float)(1.0 / (OOZE_SURFACE_NEIGHBOURHOOD * job->cloud->spacing));
    const OozeCloud *cloud = job->cloud;
    const OozeFloat4 *x = cloud->x;
    const float *own = job->neighbourhoods[cloud->slot[i]].offset;
    float sum = 0.0f;
    mean[0] = mean[1] = mean[2] = 0.0f;
    OozeNear near;
    for (bool more = ooze_candidates_begin(walk, i); more; more = ooze_candidates_next(walk)) {
        ooze_near_candidates(&walk->candidates, x[i], 1.0f / (reach * reach), &near);
        ooze_near_weigh(&near, reach);
        for (uint32_t e = 0; e < near.count; e++) {
            const float *other = walk->candidates.offset[near.index[e]];
            float w = ooze_offset_weight(own, other, near.r2[e]);
            sum += w;
            mean[0] += w * other[0];
            mean[1] += w * other[1];
            mean[2] += w * other[2];
        }
    }
    for (int k = 0; k < 3; k++) {
        mean[k] /= sum;
    }
}

static void smooth_centre(const Shaping *job, OozeCloudWalk *walk, uint64_t i,
                          const OozeEigen3 *eigen, float shift[3])
{
    const float *own = job->neighbourhoods[job->cloud->slot[i]].offset;
    float mean[3];
    mean_offset(job, walk, i, mean);
    ooze_centre_shift(eigen, own, mean, (float)job->settings->smoothing, shift);
    for (int k = 0; k < 3; k++) {
        shift[k] *= (float)job->cloud->spacing;
    }
}

/* ---- kernels ------------------------------------------------------------------------------- */

void ooze_surface_shared_kernel(OozeSurfaceMethod method, double spacing, OozeSurfaceKernel *kernel)
{
    const double inner = OOZE_SURFACE_INNER;
    bool stretched = method == OOZE_SURFACE_ANISOTROPIC;
    double radius = stretched                       ? inner
                    : method == OOZE_SURFACE_CLAVET ? OOZE_SURFACE_CONE
                                                    : OOZE_SURFACE_ROUND;
    double weight = stretched ? 1.0 / (OOZE_SURFACE_KERNEL_VOLUME * inner * inner * inner) : 1.0;
    ooze_kernel_set_round(kernel, (float)(radius * spacing), (float)weight);
}

double ooze_surface_level(OozeSurfaceMethod method)
{
    return method == OOZE_SURFACE_CLAVET      ? sqrt(OOZE_SURFACE_CONE_ISO_SQUARED)
           : method == OOZE_SURFACE_ISOTROPIC ? OOZE_SURFACE_ROUND_ISO
                                              : OOZE_SURFACE_ISO;
}

static void shape_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Shaping *job = context;
    OozeCloud *cloud = job->cloud;
    OozeSurfaceMethod method = job->settings->method;
    OozeCloudWalk walk;
    ooze_cloud_walk_init(&walk, cloud);
    walk.offsets = job->neighbourhoods;
    (void)worker;
    for (uint64_t s = begin; s < end; s++) {
        OozeSurfaceKernel *kernel = &cloud->kernels[s];
        uint64_t i = job->particle[s];
        float shift[3] = {0};
        OozeEigen3 eigen = ooze_neighbour_axes(&job->neighbourhoods[s]);
        if (method != OOZE_SURFACE_CLAVET && job->settings->smoothing > 0.0 &&
            ooze_is_across(&eigen)) {
            smooth_centre(job, &walk, i, &eigen, shift);
        }
        *kernel = cloud->shared;
        kernel->centre[0] = cloud->x[i].x + shift[0];
        kernel->centre[1] = cloud->x[i].y + shift[1];
        kernel->centre[2] = cloud->x[i].z + shift[2];
        if (method == OOZE_SURFACE_ANISOTROPIC) {
            ooze_kernel_set_stretched(kernel, &eigen, cloud->fill[i], (float)cloud->spacing);
        }
        /* Until the boosts are known: how line-like the neighbourhood is. */
        job->boost[s] = ooze_surface_line_likeness(eigen.values);
    }
}

/* ---- thin fluid ---------------------------------------------------------------------------- */

/* Particles of a stretched sheet or thread lie farther apart than a spacing, so that the field
   between them would fall below the level and the sheet break into beads. Where a neighbourhood is
   thin, the field at the particle's own place is raised to a target. */
static void boost_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Shaping *job = context;
    const OozeCloud *cloud = job->cloud;
    OozeCloudWalk walk;
    ooze_cloud_walk_init(&walk, cloud);
    (void)worker;
    for (uint64_t s = begin; s < end; s++) {
        uint64_t i = job->particle[s];
        float target = ooze_surface_thin_target(cloud->fill[i], job->boost[s]), sum = 0.0f;
        if (target <= 0.0f) {
            job->boost[s] = 1.0f;
            continue;
        }
        ooze_cloud_walk_to(&walk, i);
        const float *at = cloud->kernels[s].centre;
        for (int k = 0; k < walk.count; k++) {
            for (uint32_t j = walk.run[k].begin; j < walk.run[k].end; j++) {
                OozeSurfaceKernel own;
                const OozeSurfaceKernel *o = ooze_cloud_kernel(cloud, j, &own);
                const float d[3] = {at[0] - o->centre[0], at[1] - o->centre[1],
                                    at[2] - o->centre[2]};
                float q2 = ooze_kernel_square(o, d);
                sum += o->weight * ooze_surface_kernel(q2);
            }
        }
        job->boost[s] = ooze_thin_boost(target, sum);
    }
}

/* ---- all ----------------------------------------------------------------------------------- */

static void find_largest(OozeCloud *cloud)
{
    float reach = cloud->shared.extent[0];
    for (int a = 0; a < 3; a++) {
        cloud->largest[a] = cloud->shared.extent[a];
    }
    for (uint64_t i = 0; i < cloud->n; i++) {
        if (cloud->slot[i] == OOZE_SURFACE_SHARED) {
            continue;
        }
        const OozeSurfaceKernel *k = &cloud->kernels[cloud->slot[i]];
        const float x[3] = {cloud->x[i].x, cloud->x[i].y, cloud->x[i].z};
        float shift = 0.0f;
        for (int a = 0; a < 3; a++) {
            float d = fabsf(k->centre[a] - x[a]);
            shift += d * d;
            cloud->largest[a] = fmaxf(cloud->largest[a], k->extent[a] + d);
        }
        reach = fmaxf(reach, sqrtf(shift) + cloud->shared.extent[0]);
    }
    for (int a = 0; a < 3; a++) {
        cloud->largest[a] *= 1.0001f;
    }
    /* No half axis is longer than that of the shared kernel. */
    cloud->reach2 = reach * reach * 1.001f;
}

/* Numbers the particles near the surface and reserves their kernels. */
static OozeStatus number_kernels(Shaping *job, OozeError *error)
{
    OozeCloud *cloud = job->cloud;
    for (uint64_t i = 0; i < cloud->n; i++) {
        cloud->kernel_count += cloud->slot[i] != OOZE_SURFACE_SHARED;
    }
    uint64_t count = cloud->kernel_count, next = 0;
    job->particle = ooze_alloc(count, sizeof *job->particle);
    job->neighbourhoods = ooze_alloc(count, sizeof *job->neighbourhoods);
    job->boost = ooze_alloc(count, sizeof *job->boost);
    cloud->kernels = ooze_alloc(count, sizeof *cloud->kernels);
    if (!job->particle || !job->neighbourhoods || !job->boost || !cloud->kernels) {
        return ooze_fail_memory(error, "the kernels of a surface",
                                count * (sizeof *job->neighbourhoods + sizeof *cloud->kernels + 8));
    }
    for (uint64_t i = 0; i < cloud->n; i++) {
        if (cloud->slot[i] != OOZE_SURFACE_SHARED) {
            job->particle[next] = (uint32_t)i;
            cloud->slot[i] = (uint32_t)next++;
        }
    }
    return OOZE_OK;
}

static void shape_kernels(Shaping *job, OozeThreads *threads)
{
    OozeCloud *cloud = job->cloud;
    ooze_parallel_for(threads, cloud->kernel_count, 256, neighbourhood_range, job);
    ooze_parallel_for(threads, cloud->kernel_count, 256, shape_range, job);
    if (job->settings->method == OOZE_SURFACE_ANISOTROPIC) {
        ooze_parallel_for(threads, cloud->kernel_count, 256, boost_range, job);
        for (uint64_t s = 0; s < cloud->kernel_count; s++) {
            cloud->kernels[s].weight *= job->boost[s];
        }
    }
}

OozeStatus ooze_cloud_shape(OozeCloud *cloud, const OozeSurfaceSettings *settings,
                            OozeThreads *threads, OozeError *error)
{
    Shaping job = {.cloud = cloud, .settings = settings};
    cloud->cones = settings->method == OOZE_SURFACE_CLAVET;
    cloud->iso = ooze_surface_level(settings->method);
    cloud->slot = ooze_alloc(cloud->n, sizeof *cloud->slot);
    cloud->fill = ooze_alloc(cloud->n, sizeof *cloud->fill);
    if (!cloud->slot || !cloud->fill) {
        return ooze_fail_memory(error, "the particles of a surface", cloud->n * 8);
    }
    ooze_surface_shared_kernel(settings->method, cloud->spacing, &cloud->shared);
    ooze_parallel_for(threads, cloud->n, 256, fill_range, cloud);
    ooze_parallel_for(threads, cloud->n, 256, mark_range, cloud);
    if (cloud->label) {
        ooze_parallel_for(threads, cloud->n, 256, interface_range, cloud);
    }
    OozeStatus status = number_kernels(&job, error);
    if (!status) {
        shape_kernels(&job, threads);
        find_largest(cloud);
    }
    ooze_free(job.particle);
    ooze_free(job.neighbourhoods);
    ooze_free(job.boost);
    return status;
}
