/* Taubin, "A signal processing approach to fair surface design", SIGGRAPH 1995: a shrinking
   step and a slightly larger growing step keep long wavelengths and damp short ones. */
#include <string.h>

#include "base/fail.h"
#include "surface/rings.h"

/* Weights of the two steps: 1 / shrink + 1 / grow = 0.1 is the paper's pass band. */
#define SHRINK 0.5f
#define GROW   -0.526315789f

typedef struct Smoothing {
    const OozeRings *rings;
    const float *from;
    float *to;
    float weight;
} Smoothing;

static void smooth_range(void *context, uint64_t begin, uint64_t end, int worker)
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
            for (int a = 0; a < 3; a++) {
                sum[a] += other[a] - own[a];
            }
        }
        float scale = last > first ? job->weight / (float)(last - first) : 0.0f;
        for (int a = 0; a < 3; a++) {
            job->to[3 * v + (uint64_t)a] = own[a] + scale * sum[a];
        }
    }
}

OozeStatus ooze_mesh_smooth(OozeSurfaceMesh *mesh, int passes, OozeThreads *threads,
                            OozeError *error)
{
    OozeRings rings = {0};
    if (passes == 0 || mesh->vertex_count == 0) {
        return OOZE_OK;
    }
    float *other = ooze_alloc(mesh->vertex_count, 3 * sizeof *other);
    if (!other) {
        return ooze_fail_memory(error, "smoothing", mesh->vertex_count * 3 * sizeof *other);
    }
    OozeStatus status = ooze_rings_build(mesh, &rings, error);
    for (int pass = 0; pass < passes && !status; pass++) {
        Smoothing shrink = {&rings, mesh->positions, other, SHRINK};
        Smoothing grow = {&rings, other, mesh->positions, GROW};
        ooze_parallel_for(threads, mesh->vertex_count, 1024, smooth_range, &shrink);
        ooze_parallel_for(threads, mesh->vertex_count, 1024, smooth_range, &grow);
    }
    ooze_rings_free(&rings);
    ooze_free(other);
    return status;
}
