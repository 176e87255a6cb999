/* The kernel of each particle: centre, half axes and weight. */
#include <math.h>

#include "base/fail.h"
#include "particles/neighbours.h"
#include "physics/eigen.h"
#include "physics/surface_field.h"
#include "surface/cloud.h"

/* The neighbourhood of a particle, in spacings. */
typedef struct Neighbourhood {
    float offset[3]; /* to the weighted mean of the neighbours */
    float fill;      /* filled fraction: 1 deep inside, 1/33 alone */
    OozeSym3 spread; /* covariance */
} Neighbourhood;

typedef struct Shaping {
    OozeCloud *cloud;
    const OozeSurfaceSettings *settings;
    OozeNeighbours lists;
    Neighbourhood *neighbourhoods;
} Shaping;

static void neighbourhood_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Shaping *job = context;
    const OozeFloat4 *x = job->cloud->x;
    float scale = (float)(1.0 / job->cloud->spacing);
    const float reach = (float)(1.0 / OOZE_SURFACE_NEIGHBOURHOOD);
    (void)worker;
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t *list = job->lists.index + job->lists.first[i];
        float sum = 1.0f, m[3] = {0}, s[6] = {0};
        for (uint32_t k = 0; k < job->lists.count[i]; k++) {
            OozeFloat4 o = x[list[k]];
            float dx = (o.x - x[i].x) * scale, dy = (o.y - x[i].y) * scale;
            float dz = (o.z - x[i].z) * scale;
            float w = ooze_surface_weight(sqrtf(dx * dx + dy * dy + dz * dz) * reach);
            sum += w;
            m[0] += w * dx;
            m[1] += w * dy;
            m[2] += w * dz;
            s[0] += w * dx * dx;
            s[1] += w * dy * dy;
            s[2] += w * dz * dz;
            s[3] += w * dx * dy;
            s[4] += w * dx * dz;
            s[5] += w * dy * dz;
        }
        Neighbourhood *v = &job->neighbourhoods[i];
        float a = 1.0f / sum;
        for (int k = 0; k < 3; k++) {
            v->offset[k] = m[k] * a;
        }
        const float *p = v->offset;
        v->fill = sum * (float)(1.0 / OOZE_SURFACE_FULL);
        v->spread =
            ooze_sym3(s[0] * a - p[0] * p[0], s[1] * a - p[1] * p[1], s[2] * a - p[2] * p[2],
                      s[3] * a - p[0] * p[1], s[4] * a - p[0] * p[2], s[5] * a - p[1] * p[2]);
    }
}

/* Laplacian smoothing moves the surface inwards, by half a spacing where it is flat, and makes thin
   threads vanish. The mean offset of the neighbours at the same depth is that systematic part, and
   it is subtracted; the rest is the unevenness of the particle itself. Neighbours whose offsets are
   alike are at the same depth. */
static void smooth_centre(const Shaping *job, uint64_t i, const OozeEigen3 *eigen, float shift[3])
{
    const float likeness = (float)(1.0 / (OOZE_SURFACE_OFFSET_LIKE * OOZE_SURFACE_OFFSET_LIKE));
    const float reach = (float)(1.0 / (OOZE_SURFACE_NEIGHBOURHOOD * job->cloud->spacing));
    const OozeFloat4 *x = job->cloud->x;
    const Neighbourhood *own = &job->neighbourhoods[i];
    const uint32_t *list = job->lists.index + job->lists.first[i];
    float sum = 1.0f, mean[3] = {own->offset[0], own->offset[1], own->offset[2]};
    for (uint32_t k = 0; k < job->lists.count[i]; k++) {
        OozeFloat4 o = x[list[k]];
        const Neighbourhood *other = &job->neighbourhoods[list[k]];
        float dx = o.x - x[i].x, dy = o.y - x[i].y, dz = o.z - x[i].z;
        float ax = other->offset[0] - own->offset[0], ay = other->offset[1] - own->offset[1];
        float az = other->offset[2] - own->offset[2];
        float alike = ooze_max(1.0f - (ax * ax + ay * ay + az * az) * likeness, 0.0f);
        float w = alike * alike * ooze_surface_weight(sqrtf(dx * dx + dy * dy + dz * dz) * reach);
        sum += w;
        mean[0] += w * other->offset[0];
        mean[1] += w * other->offset[1];
        mean[2] += w * other->offset[2];
    }
    float off[3], length2 = 0.0f;
    for (int k = 0; k < 3; k++) {
        off[k] = (float)job->settings->smoothing * (own->offset[k] - mean[k] / sum);
        shift[k] = 0.0f;
    }
    /* Along the surface the shift would only increase uneven spacing. */
    for (int k = 0; k < 3; k++) {
        const float e[3] = {eigen->vectors.m[k], eigen->vectors.m[3 + k], eigen->vectors.m[6 + k]};
        float component =
            ooze_surface_across(eigen->values[k]) * (e[0] * off[0] + e[1] * off[1] + e[2] * off[2]);
        length2 += component * component;
        for (int a = 0; a < 3; a++) {
            shift[a] += component * e[a];
        }
    }
    float max = (float)OOZE_SURFACE_SHIFT_MAX;
    float scale = length2 > max * max ? max / sqrtf(length2) : 1.0f;
    for (int k = 0; k < 3; k++) {
        shift[k] *= scale * (float)job->cloud->spacing;
    }
}

static void set_round(OozeSurfaceKernel *kernel, float radius, float weight)
{
    float g = 1.0f / (radius * radius);
    kernel->weight = weight;
    kernel->xx = kernel->yy = kernel->zz = g;
    kernel->xy = kernel->xz = kernel->yz = 0.0f;
    kernel->extent[0] = kernel->extent[1] = kernel->extent[2] = radius;
}

static void set_stretched(OozeSurfaceKernel *kernel, const OozeEigen3 *e, float fill, float spacing)
{
    float axes[3], metric[3], square[3], weight;
    ooze_surface_axes(e->values, fill, axes, &weight);
    for (int k = 0; k < 3; k++) {
        float length = axes[k] * spacing;
        square[k] = length * length;
        metric[k] = 1.0f / square[k];
    }
    OozeSym3 g = ooze_eigen3_compose(e, metric), box = ooze_eigen3_compose(e, square);
    kernel->weight = weight;
    kernel->xx = g.xx;
    kernel->yy = g.yy;
    kernel->zz = g.zz;
    kernel->xy = g.xy;
    kernel->xz = g.xz;
    kernel->yz = g.yz;
    /* Larger than the box by more than rounding. */
    kernel->extent[0] = sqrtf(box.xx) * 1.0001f;
    kernel->extent[1] = sqrtf(box.yy) * 1.0001f;
    kernel->extent[2] = sqrtf(box.zz) * 1.0001f;
}

/* Whether no neighbour is near the surface: then only the sum of the kernels matters. */
static bool is_deep(const Shaping *job, uint64_t i)
{
    const uint32_t *list = job->lists.index + job->lists.first[i];
    bool deep = job->neighbourhoods[i].fill >= (float)OOZE_SURFACE_OUTER_FILL;
    for (uint32_t k = 0; k < job->lists.count[i] && deep; k++) {
        deep = job->neighbourhoods[list[k]].fill >= (float)OOZE_SURFACE_OUTER_FILL;
    }
    return deep;
}

static void shape_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Shaping *job = context;
    OozeCloud *cloud = job->cloud;
    OozeSurfaceMethod method = job->settings->method;
    float spacing = (float)cloud->spacing;
    const float inner_weight = (float)(1.0 / (OOZE_SURFACE_KERNEL_VOLUME * OOZE_SURFACE_INNER *
                                              OOZE_SURFACE_INNER * OOZE_SURFACE_INNER));
    (void)worker;
    for (uint64_t i = begin; i < end; i++) {
        OozeSurfaceKernel *kernel = &cloud->kernels[i];
        float shift[3] = {0};
        bool deep = is_deep(job, i);
        OozeEigen3 eigen;
        if (!deep) {
            eigen = ooze_sym3_eigen(job->neighbourhoods[i].spread);
        }
        if (!deep && method != OOZE_SURFACE_CLAVET && job->settings->smoothing > 0.0) {
            smooth_centre(job, i, &eigen, shift);
        }
        kernel->centre[0] = cloud->x[i].x + shift[0];
        kernel->centre[1] = cloud->x[i].y + shift[1];
        kernel->centre[2] = cloud->x[i].z + shift[2];
        if (method == OOZE_SURFACE_ANISOTROPIC && deep) {
            set_round(kernel, (float)OOZE_SURFACE_INNER * spacing, inner_weight);
        } else if (method == OOZE_SURFACE_ANISOTROPIC) {
            set_stretched(kernel, &eigen, job->neighbourhoods[i].fill, spacing);
        } else {
            double h = method == OOZE_SURFACE_CLAVET ? OOZE_SURFACE_CONE : OOZE_SURFACE_ROUND;
            set_round(kernel, (float)h * spacing, 1.0f);
        }
        cloud->fill[i] = job->neighbourhoods[i].fill;
    }
}

static void find_largest(OozeCloud *cloud)
{
    for (uint64_t i = 0; i < cloud->n; i++) {
        const OozeSurfaceKernel *k = &cloud->kernels[i];
        const float x[3] = {cloud->x[i].x, cloud->x[i].y, cloud->x[i].z};
        for (int a = 0; a < 3; a++) {
            cloud->largest[a] = fmaxf(cloud->largest[a], k->extent[a] + fabsf(k->centre[a] - x[a]));
        }
    }
    for (int a = 0; a < 3; a++) {
        cloud->largest[a] *= 1.0001f;
    }
}

OozeStatus ooze_cloud_shape(OozeCloud *cloud, const OozeSurfaceSettings *settings,
                            OozeThreads *threads, OozeError *error)
{
    Shaping job = {.cloud = cloud, .settings = settings};
    cloud->cones = settings->method == OOZE_SURFACE_CLAVET;
    cloud->iso = cloud->cones                                 ? sqrt(OOZE_SURFACE_CONE_ISO_SQUARED)
                 : settings->method == OOZE_SURFACE_ISOTROPIC ? OOZE_SURFACE_ROUND_ISO
                                                              : OOZE_SURFACE_ISO;
    job.neighbourhoods = ooze_alloc_zero(cloud->n, sizeof *job.neighbourhoods);
    cloud->kernels = ooze_alloc_zero(cloud->n, sizeof *cloud->kernels);
    cloud->fill = ooze_alloc_zero(cloud->n, sizeof *cloud->fill);
    OozeStatus status = OOZE_OK;
    if (!job.neighbourhoods || !cloud->kernels || !cloud->fill) {
        status =
            ooze_fail_memory(error, "the kernels of a surface",
                             cloud->n * (sizeof *job.neighbourhoods + sizeof *cloud->kernels + 4));
    }
    if (!status) {
        status = ooze_neighbours_build(
            &job.lists, cloud->grid, threads,
            &(OozeNeighbourQuery){cloud->x, cloud->n, cloud->x,
                                  OOZE_SURFACE_NEIGHBOURHOOD * cloud->spacing, true},
            error);
    }
    if (!status) {
        ooze_parallel_for(threads, cloud->n, 256, neighbourhood_range, &job);
        ooze_parallel_for(threads, cloud->n, 256, shape_range, &job);
        find_largest(cloud);
    }
    ooze_neighbours_free(&job.lists);
    ooze_free(job.neighbourhoods);
    return status;
}
