/* Decimation with meshoptimizer. Its simplifier collapses edges without checking whether the ends
   fraction more neighbours than those of the edge's two triangles, so that sometimes an edge has
   four triangles. Around such edges the triangles are kept and the rest is simplified again with
   its border locked, until the mesh is 2-manifold. */
#include <string.h>

#include "base/fail.h"
#include "surface/rings.h"

#ifndef OOZE_WITH_MESHOPT

OozeStatus ooze_mesh_decimate(OozeSurfaceMesh *mesh, double fraction, double tolerance,
                              OozeError *error)
{
    (void)mesh;
    (void)tolerance;
    return fraction < 1.0
               ? ooze_fail(error, OOZE_ERROR_UNSUPPORTED,
                           "install libmeshoptimizer-dev and build again, or keep all triangles",
                           "this build cannot decimate meshes: it was made without meshoptimizer")
               : OOZE_OK;
}

#else

#include <meshoptimizer.h>

enum { ROUNDS = 8, RINGS_KEPT = 3 };

typedef struct Decimation {
    const OozeSurfaceMesh *mesh;
    OozeRings rings;      /* of the mesh */
    uint8_t *bad, *grown; /* vertices around which triangles are kept */
    uint32_t *loose;      /* triangles that may be removed */
    float error;          /* allowed, over the extent of the mesh */
    OozeSurfaceMesh less; /* the mesh with fewer triangles, over the same vertices */
} Decimation;

static bool reserve(Decimation *job)
{
    const OozeSurfaceMesh *mesh = job->mesh;
    job->bad = ooze_alloc_zero(mesh->vertex_count, 1);
    job->grown = ooze_alloc_zero(mesh->vertex_count, 1);
    job->loose = ooze_alloc(mesh->triangle_count, 3 * sizeof *job->loose);
    job->less = (OozeSurfaceMesh){.vertex_count = mesh->vertex_count};
    job->less.triangles = ooze_alloc(mesh->triangle_count, 3 * sizeof *job->less.triangles);
    return job->bad && job->grown && job->loose && job->less.triangles;
}

static void release(Decimation *job)
{
    ooze_rings_free(&job->rings);
    ooze_free(job->bad);
    ooze_free(job->grown);
    ooze_free(job->loose);
    ooze_free(job->less.triangles);
}

/* Extends the bad vertices by a few rings of neighbours. */
static void spread(Decimation *job)
{
    for (int ring = 0; ring < RINGS_KEPT; ring++) {
        memcpy(job->grown, job->bad, job->mesh->vertex_count);
        for (uint64_t v = 0; v < job->mesh->vertex_count; v++) {
            for (uint64_t k = job->rings.first[v]; k < job->rings.first[v + 1]; k++) {
                job->grown[v] |= job->bad[job->rings.to[k]];
            }
        }
        memcpy(job->bad, job->grown, job->mesh->vertex_count);
    }
}

static void simplify(Decimation *job, uint64_t wanted)
{
    const OozeSurfaceMesh *mesh = job->mesh;
    uint64_t loose = 0, kept = 0;
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles + 3 * t;
        if (!job->bad[c[0]] && !job->bad[c[1]] && !job->bad[c[2]]) {
            memcpy(job->loose + 3 * loose++, c, 3 * sizeof *c);
        }
    }
    kept = mesh->triangle_count - loose;
    uint64_t target = wanted > kept ? wanted - kept : 0;
    size_t indices = meshopt_simplify(job->less.triangles, job->loose, 3 * loose, mesh->positions,
                                      mesh->vertex_count, 3 * sizeof *mesh->positions, 3 * target,
                                      job->error, meshopt_SimplifyLockBorder, NULL);
    job->less.triangle_count = indices / 3;
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles + 3 * t;
        if (job->bad[c[0]] || job->bad[c[1]] || job->bad[c[2]]) {
            memcpy(job->less.triangles + 3 * job->less.triangle_count++, c, 3 * sizeof *c);
        }
    }
}

/* Marks the vertices where the mesh is not 2-manifold. */
static OozeStatus mark_broken(Decimation *job, bool *broken, OozeError *error)
{
    OozeRings rings = {0};
    OozeStatus status = ooze_rings_build(&job->less, &rings, error);
    *broken = false;
    for (uint64_t v = 0; v < job->mesh->vertex_count && !status; v++) {
        if (!ooze_rings_closed(&rings, v)) {
            job->bad[v] = 1;
            *broken = true;
        }
    }
    ooze_rings_free(&rings);
    return status;
}

/* Copies the triangles and drops unused vertices, keeping the order. */
static OozeStatus adopt(Decimation *job, OozeSurfaceMesh *mesh, OozeError *error)
{
    uint32_t *new_index = ooze_alloc_zero(mesh->vertex_count, sizeof *new_index);
    if (!new_index) {
        return ooze_fail_memory(error, "decimation", mesh->vertex_count * sizeof *new_index);
    }
    for (uint64_t k = 0; k < 3 * job->less.triangle_count; k++) {
        new_index[job->less.triangles[k]] = 1;
    }
    uint32_t count = 0;
    for (uint64_t v = 0; v < mesh->vertex_count; v++) {
        if (new_index[v]) {
            memmove(mesh->positions + 3 * (uint64_t)count, mesh->positions + 3 * v,
                    3 * sizeof *mesh->positions);
            new_index[v] = count++;
        }
    }
    for (uint64_t k = 0; k < 3 * job->less.triangle_count; k++) {
        mesh->triangles[k] = new_index[job->less.triangles[k]];
    }
    mesh->vertex_count = count;
    mesh->triangle_count = job->less.triangle_count;
    ooze_free(new_index);
    return OOZE_OK;
}

OozeStatus ooze_mesh_decimate(OozeSurfaceMesh *mesh, double fraction, double tolerance,
                              OozeError *error)
{
    uint64_t wanted = (uint64_t)(fraction * (double)mesh->triangle_count);
    if (fraction >= 1.0 || mesh->triangle_count == 0) {
        return OOZE_OK;
    }
    Decimation job = {.mesh = mesh};
    OozeStatus status = ooze_rings_build(mesh, &job.rings, error);
    if (!status && !reserve(&job)) {
        status = ooze_fail_memory(error, "decimation", mesh->triangle_count * 24);
    }
    float extent =
        meshopt_simplifyScale(mesh->positions, mesh->vertex_count, 3 * sizeof *mesh->positions);
    job.error = extent > 0.0f ? (float)(tolerance / (double)extent) : 0.0f;
    bool broken = true;
    for (int round = 0; round < ROUNDS && broken && !status; round++) {
        simplify(&job, wanted);
        status = mark_broken(&job, &broken, error);
        if (broken) {
            spread(&job);
        }
    }
    if (!status && !broken) {
        status = adopt(&job, mesh, error);
    }
    release(&job);
    return status;
}

#endif
