/* Walls and movement on the processor: sums over the solids near each particle, then velocities and
   positions at the end of the step, with collisions. */
#include <math.h>

#include "methods/blend/cpu/loops.h"
#include "solids/broad_phase.h"

typedef struct OozeBlendNearby {
    OozeBroadPhase solids;
    uint64_t *sets; /* per group of particles: solids that it may touch in this step */
} OozeBlendNearby;

enum { GROUP = OOZE_BROAD_PHASE_GROUP, GROUPS = OOZE_BLEND_GRAIN / GROUP };

static OozeVec3 widen(OozeF32x4 x)
{
    return vec3((double)x[0], (double)x[1], (double)x[2]);
}

static OozeF32x4 narrow(OozeVec3 x)
{
    return ooze_f32x4((float)x.x, (float)x.y, (float)x.z, 0);
}

/* Whether solid k may touch particle i in this step. */
static bool is_near(const OozeBlendStep *s, uint64_t i, int k)
{
    return ooze_broad_phase_has(s->nearby->sets[i / GROUP], k) &&
           s->nearby->solids.items[k].collides;
}

/* Finds the solids of each group of particles, and sums over the half spaces behind them. */
static void walls_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeBlendStep *s = data;
    const OozeStepContext *c = s->machine->context;
    const OozeBroadPhase *solids = &s->nearby->solids;
    uint64_t *sets = s->nearby->sets;
    float h = s->k.support, reach = h + (float)c->spacing;
    uint64_t around = ooze_broad_phase_find(solids, s->x, begin, end, reach, true, UINT64_MAX);
    for (uint64_t i = begin; i < end; i++) {
        uint64_t last = i + GROUP < end ? i + GROUP : end;
        if (i % GROUP == 0) {
            sets[i / GROUP] =
                around ? ooze_broad_phase_find(solids, s->x, i, last, reach, true, around) : 0;
        }
        OozeF32x4 sum = {0, 0, 0, 0};
        for (int k = 0; sets[i / GROUP] && k < c->solid_count; k++) {
            OozeVec3 normal;
            if (!is_near(s, i, k)) {
                continue;
            }
            double distance = ooze_solid_distance(&c->solids[k], widen(s->x[i]), &normal);
            OozeF32x4 term = ooze_blend_wall_gradient(distance, h) * narrow(normal);
            term[3] = ooze_blend_wall_density(distance, h);
            sum += term;
        }
        s->wall[i] = sum;
    }
}

OozeStatus ooze_blend_find_walls(OozeBlendStep *s, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    const uint64_t n = s->machine->n, groups = (n / OOZE_BLEND_GRAIN + 1) * GROUPS;
    s->nearby = ooze_machine_alloc(s->machine, 1, sizeof *s->nearby);
    uint64_t *sets = ooze_machine_alloc(s->machine, groups, sizeof *sets);
    OozeStatus status = ooze_machine_status(s->machine, "solids near particles", error);
    if (status) {
        return status;
    }
    s->nearby->sets = sets;
    status = ooze_broad_phase_begin(&s->nearby->solids, c->solids, c->solid_count, c->spacing,
                                    c->dt, c->arena, error);
    if (!status) {
        ooze_parallel_for(c->threads, n, OOZE_BLEND_GRAIN, walls_range, s);
    }
    return status;
}

/* ---- movement ------------------------------------------------------------------------------- */

/* Velocity change by the pressure of one wall. */
static OozeVec3 wall_change(const OozeBlendStep *s, uint64_t i, const OozeSolid *solid)
{
    OozeVec3 normal;
    double distance = ooze_solid_distance(solid, widen(s->x[i]), &normal);
    float size = ooze_blend_wall_change(&s->k, &s->state[i],
                                        s->materials[s->material[i]].relative_mass, distance);
    return vec3_scale(normal, (double)size);
}

/* Collisions of a particle; returns the sum of their velocity changes. */
static OozeVec3 collide(OozeBlendStep *s, uint64_t i, OozeVec3 *x, OozeVec3 *v)
{
    const OozeStepContext *c = s->machine->context;
    OozeVec3 all = vec3(0, 0, 0);
    for (int k = 0; s->nearby->sets[i / GROUP] && k < c->solid_count; k++) {
        const OozeSolid *solid = &c->solids[k];
        if (!is_near(s, i, k)) {
            continue;
        }
        OozeContact contact = ooze_solid_contact(solid, *x);
        OozeVec3 change = ooze_contact_collide(&contact, (double)s->k.contact,
                                               solid->params[OOZE_SOLID_RESTITUTION],
                                               ooze_solid_fluid_friction(solid), x, v);
        all = vec3_add(all, change);
        if (s->impulses && ooze_solid_is_dynamic(solid)) {
            change = vec3_add(change, wall_change(s, i, solid));
            if (vec3_dot(change, change) > 0.0) { /* others do not share the solid's mass */
                ooze_impulses_add(&s->impulses[i], k, *x, change);
            }
        }
    }
    return all;
}

/* Velocity before collisions. */
static OozeF32x4 velocity_of(const OozeBlendStep *s, uint64_t i)
{
    if (s->pin && s->pin[i]) { /* moves with the solid that it is fixed to */
        const OozeSolid *solid = &s->machine->context->solids[s->pin[i] - 1];
        return narrow(ooze_pose_carry(&solid->previous, &solid->pose, widen(s->x[i]), s->dt));
    }
    if (s->prescribed && s->prescribed[i]) {
        return s->u[i];
    }
    const double *pull = s->slot[i] != OOZE_BLEND_SLOT_NONE ? s->matching.pull[s->slot[i]] : NULL;
    return narrow(ooze_blend_velocity(widen(s->u[i]), s->gravity, widen(s->acceleration[i]), pull,
                                      s->materials[s->material[i]].mass, s->dt));
}

typedef struct MoveJob {
    OozeBlendStep *step;
    float *fastest2; /* per chunk: largest squared speed */
} MoveJob;

static void move_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const MoveJob *job = data;
    OozeBlendStep *s = job->step;
    float fastest2 = 0.0f;
    for (uint64_t i = begin; i < end; i++) {
        bool free = !(s->prescribed && s->prescribed[i]) && !(s->pin && s->pin[i]);
        OozeF32x4 u = velocity_of(s, i);
        OozeVec3 v = widen(u), x = vec3_madd(widen(s->x[i]), s->dt, v);
        if (s->impulses) {
            s->impulses[i].count = 0;
        }
        fastest2 = fmaxf(fastest2, ooze_f32x4_dot3(u, u));
        OozeVec3 change = free ? collide(s, i, &x, &v) : vec3(0, 0, 0);
        const OozeF32x4 now = narrow(vec3_scale(change, 1.0 / s->dt));
        const OozeFloat4 *before = &s->external[i];
        s->next_external[i] = ooze_f32x4(ooze_blend_average(s->smoothing, now[0], before->x),
                                         ooze_blend_average(s->smoothing, now[1], before->y),
                                         ooze_blend_average(s->smoothing, now[2], before->z), 0);
        s->next_x[i] = narrow(x);
        s->next_u[i] = narrow(v);
    }
    job->fastest2[begin / OOZE_BLEND_GRAIN] = fastest2;
}

float ooze_blend_move(OozeBlendStep *s)
{
    const OozeStepContext *c = s->machine->context;
    const uint64_t n = s->machine->n, chunks = n / OOZE_BLEND_GRAIN + 1;
    MoveJob job = {s, ooze_machine_alloc(s->machine, chunks, sizeof *job.fastest2)};
    if (!job.fastest2) {
        return 0.0f;
    }
    ooze_parallel_for(c->threads, n, OOZE_BLEND_GRAIN, move_range, &job);
    double fastest2 = 0.0;
    for (uint64_t k = 0; k * OOZE_BLEND_GRAIN < n; k++) {
        fastest2 = fmax(fastest2, (double)job.fastest2[k]);
    }
    ooze_halo_max(c->halo, &fastest2, 1);
    ooze_machine_report_density(s->machine, s->density);
    return (float)fastest2;
}

OozeStatus ooze_blend_load_solids(OozeBlendStep *s, OozeError *error)
{
    return ooze_impulses_share(s->machine->context, s->impulses, (OozeFloat4 *)s->next_u, error);
}
