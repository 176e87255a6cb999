#include "methods/coupled.h"

#include <string.h>

#include "base/fail.h"
#include "physics/rigid_motion.h"
#include "solids/boundary_formula.h"

static OozeVec3 linear(const OozeSix *six)
{
    return vec3(six->v[0], six->v[1], six->v[2]);
}

static OozeVec3 angular(const OozeSix *six)
{
    return vec3(six->v[3], six->v[4], six->v[5]);
}

static OozeSix join(OozeVec3 a, OozeVec3 b)
{
    OozeSix six = {{a.x, a.y, a.z, b.x, b.y, b.z}};
    return six;
}

static const OozeSolid *solid_of(const OozeCoupled *c, const OozeCoupledSolid *solid)
{
    return &c->context->solids[solid->solid];
}

/* ---- the beginning of the step ------------------------------------------------------------------ */

/* The inverse inertia as a matrix, which is what many arms ask for. */
static void invert_inertia(const OozeSolid *of, double unit, double inverse[6])
{
    OozeVec3 x = ooze_dynamic_spin_by(of, &of->previous, vec3(unit, 0, 0));
    OozeVec3 y = ooze_dynamic_spin_by(of, &of->previous, vec3(0, unit, 0));
    OozeVec3 z = ooze_dynamic_spin_by(of, &of->previous, vec3(0, 0, unit));
    inverse[0] = x.x;
    inverse[1] = y.y;
    inverse[2] = z.z;
    inverse[3] = 0.5 * (x.y + y.x);
    inverse[4] = 0.5 * (x.z + z.x);
    inverse[5] = 0.5 * (y.z + z.y);
}

static OozeCoupledSolid begin_solid(const OozeCoupled *c, int k)
{
    const OozeSolid *of = &c->context->solids[k];
    OozeCoupledSolid solid = {.solid = k,
                              .mass = of->mass.mass / c->unit,
                              .centre = ooze_dynamic_centre(of, &of->previous)};
    invert_inertia(of, c->unit, solid.inverse);
    OozeVec3 at = ooze_dynamic_centre(of, &of->pose);
    OozeVec3 momentum = ooze_dynamic_momentum(of, &of->pose, of->pose.spin);
    solid.given = join(ooze_pose_velocity_at(&of->pose, at),
                       ooze_dynamic_spin_by(of, &of->previous, momentum));
    solid.motion = solid.star = solid.given;
    return solid;
}

typedef struct Spread {
    OozeCoupled *coupled;
    bool direction; /* or motion */
} Spread;

static void view_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCoupled *c = data;
    const OozeBoundary *from = c->context->boundary;
    const uint32_t *order = ooze_grid_order(from->grid);
    for (uint64_t b = begin; b < end; b++) {
        const OozeSolid *of = &c->context->solids[from->solid[b]];
        OozeFloat4 zero = {0, 0, 0, 0};
        c->view.position[b] = from->position[b];
        c->view.velocity[b] = from->velocity[b];
        c->view.volume[b] = from->volume[b];
        c->way[b] = zero;
        if (ooze_coupled_is_dynamic(c, from->solid[b])) {
            OozeFloat4 local = from->local[order[b]];
            OozeVec3 p = vec3((double)local.x, (double)local.y, (double)local.z);
            c->arm[b] = quat_rotate(of->previous.rotation, vec3_sub(p, of->mass.centre));
            c->view.position[b] = ooze_sample_place(&of->previous, local, &c->context->periodic);
        }
    }
}

/* Samples as the lists name them, where the step began. */
static OozeStatus make_view(OozeCoupled *c, OozeError *error)
{
    const OozeStepContext *context = c->context;
    const OozeBoundary *from = context->boundary;
    OozeArena *arena = context->arena;
    const uint64_t pad = 16; /* as that of the world */
    c->view = *from;
    c->view.position = ooze_arena_alloc(arena, from->count + pad, sizeof *c->view.position);
    c->view.velocity = ooze_arena_alloc(arena, from->count + pad, sizeof *c->view.velocity);
    c->view.volume = ooze_arena_alloc(arena, from->count + pad, sizeof *c->view.volume);
    c->view.solid = ooze_arena_alloc(arena, from->count + pad, sizeof *c->view.solid);
    c->way = ooze_arena_alloc(arena, from->count + pad, sizeof *c->way);
    c->arm = ooze_arena_alloc(arena, from->count, sizeof *c->arm);
    if (!c->view.position || !c->view.velocity || !c->view.volume || !c->view.solid || !c->way ||
        !c->arm) {
        return ooze_fail_memory(error, "samples of dynamic solids", from->count * 80);
    }
    if (from->count > 0) {
        memset(c->view.position + from->count, 0, pad * sizeof *c->view.position);
        memset(c->view.velocity + from->count, 0, pad * sizeof *c->view.velocity);
        memset(c->view.volume + from->count, 0, pad * sizeof *c->view.volume);
        memset(c->way + from->count, 0, pad * sizeof *c->way);
        memcpy(c->view.solid, from->solid, (from->count + pad) * sizeof *c->view.solid);
        ooze_parallel_for(context->threads, from->count, OOZE_COUPLED_GRAIN, view_range, c);
    }
    for (uint64_t b = 0; b < from->count; b++) {
        int k = c->number[from->solid[b]];
        if (k >= 0) {
            c->solids[k].reach = fmax(c->solids[k].reach, vec3_length(c->arm[b]));
        }
    }
    return OOZE_OK;
}

static OozeStatus allocate(OozeCoupled *c, OozeError *error)
{
    const OozeStepContext *context = c->context;
    OozeArena *arena = context->arena;
    uint64_t n = ooze_particles_count(context->particles), count = (uint64_t)context->solid_count;
    c->chunks = n / OOZE_COUPLED_GRAIN + 1;
    c->number = ooze_arena_alloc(arena, count, sizeof *c->number);
    for (int k = 0; c->number && k < context->solid_count; k++) {
        c->number[k] = ooze_solid_is_dynamic(&context->solids[k]) ? c->count++ : -1;
    }
    c->solids = ooze_arena_alloc(arena, (size_t)c->count, sizeof *c->solids);
    c->live = ooze_arena_alloc(arena, c->chunks, 1);
    c->near = ooze_arena_alloc(arena, c->chunks, 1);
    c->partial = ooze_arena_alloc(arena, c->chunks * (uint64_t)c->count, sizeof *c->partial);
    if (!c->number || !c->solids || !c->live || !c->near || !c->partial) {
        return ooze_fail_memory(error, "dynamic solids",
                                c->chunks * (uint64_t)c->count * sizeof *c->partial);
    }
    memset(c->live, 0, c->chunks);
    memset(c->near, 0, c->chunks);
    return OOZE_OK;
}

OozeStatus ooze_coupled_begin(OozeCoupled *c, OozeStepContext *context, double unit,
                              OozeError *error)
{
    *c = (OozeCoupled){.context = context, .unit = unit};
    OozeStatus status = allocate(c, error);
    if (!status && context->dynamic->dynamics) { /* as contacts and joints let them go */
        status = ooze_dynamic_move(context->dynamic, error);
        context->dynamic->moved = false;
    }
    for (int k = 0; !status && k < context->solid_count; k++) {
        if (ooze_coupled_is_dynamic(c, k)) {
            c->solids[c->number[k]] = begin_solid(c, k);
        }
    }
    status = status ? status : make_view(c, error);
    if (!status) {
        ooze_coupled_spread_motion(c);
    }
    return status;
}

OozeSix ooze_coupled_respond(const OozeCoupledSolid *solid, const OozeSix *momentum)
{
    OozeSix y;
    for (int c = 0; c < 3; c++) {
        y.v[c] = momentum->v[c] / solid->mass;
    }
    ooze_rigid_apply(solid->inverse, momentum->v + 3, y.v + 3);
    return y;
}

double ooze_coupled_yield(const OozeCoupledSolid *solid, OozeVec3 arm, OozeVec3 push)
{
    OozeVec3 turn = vec3_cross(arm, push);
    double t[3] = {turn.x, turn.y, turn.z}, spin[3];
    ooze_rigid_apply(solid->inverse, t, spin);
    return vec3_dot(push, push) / solid->mass + t[0] * spin[0] + t[1] * spin[1] + t[2] * spin[2];
}

OozeSix ooze_coupled_momentum(const OozeCoupled *c, const OozeCoupledSolid *solid,
                              const OozeSix *motion)
{
    const OozeSolid *of = solid_of(c, solid);
    OozeVec3 spin = ooze_dynamic_momentum(of, &of->previous, angular(motion));
    return join(vec3_scale(linear(motion), solid->mass), vec3_scale(spin, 1.0 / c->unit));
}

/* ---- to the samples ------------------------------------------------------------------------------ */

static void spread_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Spread *job = data;
    OozeCoupled *c = job->coupled;
    OozeFloat4 *to = job->direction ? c->way : c->view.velocity;
    for (uint64_t b = begin; b < end; b++) {
        int k = c->number[c->view.solid[b]];
        if (k >= 0) {
            const OozeSix *y = job->direction ? &c->solids[k].direction : &c->solids[k].motion;
            to[b] = ooze_sample_narrow(vec3_add(linear(y), vec3_cross(angular(y), c->arm[b])));
        }
    }
}

static void spread(OozeCoupled *c, bool direction)
{
    Spread job = {.coupled = c, .direction = direction};
    ooze_parallel_for(c->context->threads, c->view.count, OOZE_COUPLED_GRAIN, spread_range, &job);
}

void ooze_coupled_spread_motion(OozeCoupled *c)
{
    spread(c, false);
}

void ooze_coupled_spread_direction(OozeCoupled *c)
{
    spread(c, true);
}

/* ---- sums over particles -------------------------------------------------------------------------- */

typedef struct Look {
    OozeCoupled *coupled;
    const OozeNeighbours *lists;
    const OozeBoundary *boundary;
} Look;

static void look_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Look *job = data;
    bool near = false;
    for (uint64_t i = begin; i < end && !near; i++) {
        for (uint64_t e = job->lists->first[i], last = e + job->lists->count[i]; e < last; e++) {
            near = near || ooze_coupled_is_dynamic(job->coupled,
                                                   job->boundary->solid[job->lists->index[e]]);
        }
    }
    job->coupled->near[begin / OOZE_COUPLED_GRAIN] = near;
}

void ooze_coupled_look(OozeCoupled *c, const OozeNeighbours *lists, uint64_t n,
                       const OozeBoundary *boundary)
{
    Look job = {.coupled = c, .lists = lists, .boundary = boundary};
    memset(c->near, 0, c->chunks);
    if (boundary->count > 0) {
        ooze_parallel_for(c->context->threads, n, OOZE_COUPLED_GRAIN, look_range, &job);
    }
}

OozeSix *ooze_coupled_chunk(OozeCoupled *c, uint64_t begin)
{
    uint64_t chunk = begin / OOZE_COUPLED_GRAIN;
    OozeSix *row = c->partial + chunk * (uint64_t)c->count;
    if (!c->live[chunk]) {
        memset(row, 0, (size_t)c->count * sizeof *row);
        c->live[chunk] = 1;
    }
    return row;
}

void ooze_coupled_collect(OozeCoupled *c)
{
    for (int k = 0; k < c->count; k++) {
        c->solids[k].sum = (OozeSix){{0}};
    }
    for (uint64_t chunk = 0; chunk < c->chunks; chunk++) {
        for (int k = 0; c->live[chunk] && k < c->count; k++) {
            ooze_six_add(&c->solids[k].sum, 1.0,
                         &c->partial[chunk * (uint64_t)c->count + (uint64_t)k]);
        }
        c->live[chunk] = 0;
    }
}

/* ---- where they come to --------------------------------------------------------------------------- */

void ooze_coupled_place(OozeCoupled *c)
{
    double dt = c->context->dt;
    for (int k = 0; k < c->count; k++) {
        const OozeCoupledSolid *solid = &c->solids[k];
        OozeSolid *of = &c->context->dynamic->solids[solid->solid];
        OozePose from = of->previous;
        OozeVec3 arm = vec3_sub(from.position, solid->centre), spin = angular(&solid->motion);
        from.spin = spin;
        from.velocity = vec3_add(linear(&solid->motion), vec3_cross(spin, arm));
        of->pose = ooze_dynamic_fly(of, &from, vec3(0, 0, 0), dt);
    }
}

OozeStatus ooze_coupled_place_samples(OozeCoupled *c, OozeError *error)
{
    const OozeStepContext *context = c->context;
    ooze_coupled_place(c);
    return ooze_boundary_update(context->boundary, context->threads, context->solids,
                                context->support, &context->periodic, error);
}

static void move_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeCoupled *c = data;
    OozeBoundary *b = c->context->boundary;
    const uint32_t *order = ooze_grid_order(b->grid);
    for (uint64_t k = begin; k < end; k++) {
        if (ooze_coupled_is_dynamic(c, b->solid[k])) {
            const OozePose *pose = &c->context->solids[b->solid[k]].pose;
            b->position[k] = ooze_sample_place(pose, b->local[order[k]], &c->context->periodic);
        }
    }
}

void ooze_coupled_move_samples(OozeCoupled *c)
{
    OozeBoundary *b = c->context->boundary;
    ooze_coupled_place(c);
    if (b->count > 0) {
        for (int k = 0; k < c->count; k++) { /* they no longer stand where they were sorted */
            int solid = c->solids[k].solid;
            if (solid < b->pose_count) {
                b->poses[solid].velocity = vec3(NAN, NAN, NAN);
            }
        }
        ooze_parallel_for(c->context->threads, b->count, OOZE_COUPLED_GRAIN, move_range, c);
    }
}

void ooze_coupled_load(OozeCoupled *c)
{
    for (int k = 0; k < c->count; k++) {
        const OozeCoupledSolid *solid = &c->solids[k];
        OozeLoad *load = &c->context->dynamic->loads[solid->solid];
        OozeSix change = solid->motion;
        ooze_six_add(&change, -1.0, &solid->given);
        OozeSix momentum = ooze_coupled_momentum(c, solid, &change);
        load->impulse = vec3_madd(load->impulse, c->unit, linear(&momentum));
        load->moment = vec3_madd(load->moment, c->unit, angular(&momentum));
    }
}
