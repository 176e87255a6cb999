#include "mesh/revolve.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "mesh/build.h"

enum { AROUND_MIN = 8, QUARTER_MIN = 2 };

static const double pi = 3.14159265358979323846;

static void append(OozeProfile *profile, double radius, double height)
{
    if (profile->failed) {
        return;
    }
    if (profile->count == profile->capacity) {
        uint64_t wanted = 2 * profile->capacity + 64;
        OozeProfilePoint *grown = ooze_grow(profile->points, profile->count, wanted, sizeof *grown);
        if (!grown) {
            profile->failed = true;
            return;
        }
        profile->points = grown;
        profile->capacity = wanted;
    }
    profile->points[profile->count++] = (OozeProfilePoint){radius, height};
}

void ooze_profile_begin(OozeProfile *profile, double radius, double height)
{
    append(profile, radius, height);
}

static uint64_t steps_for(double length, double step, uint64_t min)
{
    double steps = ceil(length / step * (1.0 - 1e-12));
    return steps > (double)min ? (uint64_t)steps : min;
}

void ooze_profile_line(OozeProfile *profile, double radius, double height, double step)
{
    if (profile->failed) {
        return;
    }
    OozeProfilePoint from = profile->points[profile->count - 1];
    uint64_t n = steps_for(hypot(radius - from.radius, height - from.height), step, 1);
    for (uint64_t i = 1; i < n; i++) {
        double s = (double)i / (double)n;
        append(profile, from.radius + s * (radius - from.radius),
               from.height + s * (height - from.height));
    }
    append(profile, radius, height);
}

void ooze_profile_arc(OozeProfile *profile, OozeProfilePoint centre, double radius, double from,
                      double end, double step)
{
    double turn = end - from;
    uint64_t min = (uint64_t)ceil(fabs(turn) / (0.5 * pi) * QUARTER_MIN - 1e-9);
    uint64_t n = steps_for(radius * fabs(turn), step, min);
    for (uint64_t i = profile->count == 0 ? 0 : 1; i <= n; i++) {
        double angle = from + turn * (double)i / (double)n;
        double away = centre.radius + radius * cos(angle);
        append(profile, away > 1e-12 * radius ? away : 0.0, centre.height + radius * sin(angle));
    }
}

void ooze_profile_free(OozeProfile *profile)
{
    ooze_free(profile->points);
    *profile = (OozeProfile){0};
}

typedef struct Ring {
    uint32_t first;
    uint64_t count; /* 1 on the axis */
} Ring;

static OozeStatus add_ring(OozeMeshBuild *build, OozeProfilePoint point, OozeAxis up, double edge,
                           Ring *ring, OozeError *error)
{
    ring->first = (uint32_t)build->vertex_count;
    ring->count = point.radius > 0.0 ? steps_for(2.0 * pi * point.radius, edge, AROUND_MIN) : 1;
    OozeStatus status = OOZE_OK;
    for (uint64_t i = 0; !status && i < ring->count; i++) {
        double angle = 2.0 * pi * (double)i / (double)ring->count;
        OozeVec3 position =
            vec3(point.radius * cos(angle), point.radius * sin(angle), point.height);
        status = ooze_mesh_build_vertex(build, ooze_from_upright(up, position), error);
    }
    return status;
}

/* Joins two rings by advancing on both at once, always along the one whose next edge has its
   midpoint at the smaller angle: no diagonal spans much more than half an edge. */
static OozeStatus stitch(OozeMeshBuild *build, Ring a, Ring b, OozeError *error)
{
    uint64_t i = 0, j = 0;
    OozeStatus status = OOZE_OK;
    while (!status && (i < a.count || j < b.count)) {
        uint32_t at_a = a.first + (uint32_t)(i % a.count), at_b = b.first + (uint32_t)(j % b.count);
        bool along_a =
            j == b.count || (i < a.count && (2 * i + 1) * b.count <= (2 * j + 1) * a.count);
        if (along_a) {
            i++;
            if (a.count > 1) {
                uint32_t next = a.first + (uint32_t)(i % a.count);
                status = ooze_mesh_build_triangle(build, at_a, next, at_b, error);
            }
        } else {
            j++;
            if (b.count > 1) {
                uint32_t next = b.first + (uint32_t)(j % b.count);
                status = ooze_mesh_build_triangle(build, at_a, next, at_b, error);
            }
        }
    }
    return status;
}

OozeStatus ooze_mesh_revolve(const OozeProfile *profile, OozeAxis up, double edge, OozeMesh **mesh,
                             OozeError *error)
{
    *mesh = NULL;
    if (profile->failed) {
        return ooze_fail_memory(error, "the profile of a shape",
                                profile->capacity * sizeof *profile->points);
    }
    OozeMeshBuild build = {.name = "the shape"};
    Ring first = {0}, previous = {0};
    OozeStatus status = OOZE_OK;
    for (uint64_t i = 0; !status && i < profile->count; i++) {
        Ring ring;
        status = add_ring(&build, profile->points[i], up, edge, &ring, error);
        if (!status && i > 0) {
            status = stitch(&build, previous, ring, error);
        }
        first = i == 0 ? ring : first;
        previous = ring;
    }
    if (!status && profile->closed) {
        status = stitch(&build, previous, first, error);
    }
    if (status) {
        ooze_mesh_build_free(&build);
        return status;
    }
    return ooze_mesh_build_finish(&build, mesh, error);
}
