#include "solvers/contact/dynamic_coupling.h"

#include <string.h>

#include "base/fail.h"
#include "solids/boundary_formula.h"

static OozeTwist join(OozeVec3 a, OozeVec3 b)
{
    OozeTwist twist = {{a.x, a.y, a.z, b.x, b.y, b.z}};
    return twist;
}

static const OozeSolid *solid_of(const OozeDynamicCoupling *c, const OozeDynamicSolid *solid)
{
    return &c->context->solids[solid->solid];
}

/* ---- the beginning of the step -------------------------------------------------------------- */

/* The inverse inertia tensor, in particles. */
static void invert_inertia(const OozeSolid *of, double particle_mass, double inverse[6])
{
    OozeVec3 x = ooze_dynamic_spin_change(of, &of->previous, vec3(particle_mass, 0, 0));
    OozeVec3 y = ooze_dynamic_spin_change(of, &of->previous, vec3(0, particle_mass, 0));
    OozeVec3 z = ooze_dynamic_spin_change(of, &of->previous, vec3(0, 0, particle_mass));
    inverse[0] = x.x;
    inverse[1] = y.y;
    inverse[2] = z.z;
    inverse[3] = 0.5 * (x.y + y.x);
    inverse[4] = 0.5 * (x.z + z.x);
    inverse[5] = 0.5 * (y.z + z.y);
}

static OozeDynamicSolid begin_solid(const OozeDynamicCoupling *c, int k)
{
    const OozeSolid *of = &c->context->solids[k];
    OozeDynamicSolid solid = {.solid = k,
                              .mass = of->mass.mass / c->particle_mass,
                              .centre = ooze_dynamic_centre(of, &of->previous)};
    invert_inertia(of, c->particle_mass, solid.inverse);
    OozeVec3 at = ooze_dynamic_centre(of, &of->pose);
    OozeVec3 momentum = ooze_dynamic_momentum(of, &of->pose, of->pose.spin);
    solid.free_motion = join(ooze_pose_velocity_at(&of->pose, at),
                             ooze_dynamic_spin_change(of, &of->previous, momentum));
    solid.motion = solid.motion_star = solid.free_motion;
    return solid;
}

typedef struct Spread {
    OozeDynamicCoupling *coupling;
    bool direction; /* false: motion */
} Spread;

static void view_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeDynamicCoupling *c = data;
    const OozeBoundary *from = c->context->boundary;
    const uint32_t *order = ooze_grid_order(from->grid);
    for (uint64_t b = begin; b < end; b++) {
        const OozeSolid *of = &c->context->solids[from->solid[b]];
        OozeFloat4 zero = {0, 0, 0, 0};
        c->view.position[b] = from->position[b];
        c->view.velocity[b] = from->velocity[b];
        c->view.normal[b] = from->normal[b];
        c->view.volume[b] = from->volume[b];
        c->direction_velocity[b] = zero;
        if (ooze_coupling_is_dynamic(c, from->solid[b])) {
            OozeFloat4 local = from->local[order[b]];
            OozeVec3 p = vec3((double)local.x, (double)local.y, (double)local.z);
            c->arm[b] = quat_rotate(of->previous.rotation, vec3_sub(p, of->mass.centre));
            c->view.position[b] = ooze_sample_position(&of->previous, local, &c->context->periodic);
        }
    }
}

/* Samples in the order of the lists, at the beginning of the step. */
static OozeStatus make_view(OozeDynamicCoupling *c, OozeError *error)
{
    const OozeStepContext *context = c->context;
    const OozeBoundary *from = context->boundary;
    OozeArena *arena = context->arena;
    const uint64_t pad = 16; /* as in the boundary of the world */
    c->view = *from;
    c->view.position = ooze_arena_alloc(arena, from->count + pad, sizeof *c->view.position);
    c->view.velocity = ooze_arena_alloc(arena, from->count + pad, sizeof *c->view.velocity);
    c->view.normal = ooze_arena_alloc(arena, from->count + pad, sizeof *c->view.normal);
    c->view.volume = ooze_arena_alloc(arena, from->count + pad, sizeof *c->view.volume);
    c->view.solid = ooze_arena_alloc(arena, from->count + pad, sizeof *c->view.solid);
    c->direction_velocity =
        ooze_arena_alloc(arena, from->count + pad, sizeof *c->direction_velocity);
    c->arm = ooze_arena_alloc(arena, from->count, sizeof *c->arm);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "samples of dynamic solids", from->count * 80);
    }
    if (from->count > 0) {
        memset(c->view.position + from->count, 0, pad * sizeof *c->view.position);
        memset(c->view.velocity + from->count, 0, pad * sizeof *c->view.velocity);
        memset(c->view.normal + from->count, 0, pad * sizeof *c->view.normal);
        memset(c->view.volume + from->count, 0, pad * sizeof *c->view.volume);
        memset(c->direction_velocity + from->count, 0, pad * sizeof *c->direction_velocity);
        memcpy(c->view.solid, from->solid, (from->count + pad) * sizeof *c->view.solid);
        ooze_parallel_for(context->threads, from->count, OOZE_COUPLING_GRAIN, view_range, c);
    }
    for (uint64_t b = 0; b < from->count; b++) {
        int k = c->index_of[from->solid[b]];
        if (k >= 0) {
            c->solids[k].reach = fmax(c->solids[k].reach, vec3_length(c->arm[b]));
        }
    }
    return OOZE_OK;
}

OozeStatus ooze_coupling_begin_solids(OozeDynamicCoupling *c, OozeStepContext *context,
                                      double particle_mass, OozeError *error)
{
    *c = (OozeDynamicCoupling){.context = context, .particle_mass = particle_mass};
    uint64_t count = (uint64_t)context->solid_count;
    c->index_of = ooze_arena_alloc(context->arena, count, sizeof *c->index_of);
    for (int k = 0; c->index_of && k < context->solid_count; k++) {
        c->index_of[k] = ooze_solid_is_dynamic(&context->solids[k]) ? c->count++ : -1;
    }
    c->solids = ooze_arena_alloc(context->arena, (size_t)c->count, sizeof *c->solids);
    if (ooze_arena_failed(context->arena)) {
        return ooze_fail_memory(error, "dynamic solids", count * sizeof *c->solids);
    }
    OozeStatus status = OOZE_OK;
    if (context->dynamic->dynamics) { /* with contacts and joints */
        status = ooze_dynamic_move(context->dynamic, error);
        context->dynamic->moved = false;
    }
    for (int k = 0; !status && k < context->solid_count; k++) {
        if (ooze_coupling_is_dynamic(c, k)) {
            c->solids[c->index_of[k]] = begin_solid(c, k);
        }
    }
    return status;
}

/* Room for the sums of the chunks of all processes. */
static OozeStatus allocate_shared(OozeDynamicCoupling *c, OozeError *error)
{
    OozeArena *arena = c->context->arena;
    uint64_t ranks = (uint64_t)ooze_halo_ranks(c->context->halo)->count;
    uint64_t chunks = ooze_halo_all(c->context->halo, 0) / OOZE_COUPLING_GRAIN + ranks;
    c->all_partial = ooze_arena_alloc(arena, chunks * (uint64_t)c->count, sizeof *c->all_partial);
    c->rank_bytes = ooze_arena_alloc(arena, ranks, sizeof *c->rank_bytes);
    return ooze_arena_failed(arena)
               ? ooze_fail_memory(error, "dynamic solids",
                                  chunks * (uint64_t)c->count * sizeof *c->all_partial)
               : OOZE_OK;
}

static OozeStatus allocate_chunks(OozeDynamicCoupling *c, OozeError *error)
{
    OozeArena *arena = c->context->arena;
    c->chunks = ooze_particles_count(c->context->particles) / OOZE_COUPLING_GRAIN + 1;
    c->used = ooze_arena_alloc(arena, c->chunks, 1);
    c->near = ooze_arena_alloc(arena, c->chunks, 1);
    c->partial = ooze_arena_alloc(arena, c->chunks * (uint64_t)c->count, sizeof *c->partial);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "dynamic solids",
                                c->chunks * (uint64_t)c->count * sizeof *c->partial);
    }
    memset(c->used, 0, c->chunks);
    memset(c->near, 0, c->chunks);
    return c->context->halo ? allocate_shared(c, error) : OOZE_OK;
}

OozeStatus ooze_coupling_begin(OozeDynamicCoupling *c, OozeStepContext *context,
                               double particle_mass, OozeError *error)
{
    OozeStatus status = ooze_coupling_begin_solids(c, context, particle_mass, error);
    status = status ? status : allocate_chunks(c, error);
    status = status ? status : make_view(c, error);
    if (!status) {
        ooze_coupling_spread_motion(c);
    }
    return status;
}

OozeTwist ooze_coupling_momentum(const OozeDynamicCoupling *c, const OozeDynamicSolid *solid,
                                 const OozeTwist *motion)
{
    const OozeSolid *of = solid_of(c, solid);
    OozeVec3 spin = ooze_dynamic_momentum(of, &of->previous, ooze_twist_angular(motion));
    return join(vec3_scale(ooze_twist_linear(motion), solid->mass),
                vec3_scale(spin, 1.0 / c->particle_mass));
}

/* ---- velocities of samples ------------------------------------------------------------------ */

static void spread_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Spread *job = data;
    OozeDynamicCoupling *c = job->coupling;
    OozeFloat4 *to = job->direction ? c->direction_velocity : c->view.velocity;
    for (uint64_t b = begin; b < end; b++) {
        int k = c->index_of[c->view.solid[b]];
        if (k >= 0) {
            const OozeTwist *y = job->direction ? &c->solids[k].direction : &c->solids[k].motion;
            to[b] = ooze_to_float4(ooze_twist_velocity_at(y, c->arm[b]));
        }
    }
}

static void spread(OozeDynamicCoupling *c, bool direction)
{
    Spread job = {.coupling = c, .direction = direction};
    ooze_parallel_for(c->context->threads, c->view.count, OOZE_COUPLING_GRAIN, spread_range, &job);
}

void ooze_coupling_remember_motion(OozeDynamicCoupling *c)
{
    for (int k = 0; k < c->count; k++) {
        c->solids[k].remembered = c->solids[k].motion;
    }
}

void ooze_coupling_spread_motion(OozeDynamicCoupling *c)
{
    spread(c, false);
}

void ooze_coupling_spread_direction(OozeDynamicCoupling *c)
{
    spread(c, true);
}

/* ---- sums over particles -------------------------------------------------------------------- */

typedef struct FindJob {
    OozeDynamicCoupling *coupling;
    const OozeNeighbours *lists;
    const OozeBoundary *boundary;
} FindJob;

static void find_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const FindJob *job = data;
    bool near = false;
    for (uint64_t i = begin; i < end && !near; i++) {
        for (uint64_t e = job->lists->first[i], last = e + job->lists->count[i]; e < last; e++) {
            near = near || ooze_coupling_is_dynamic(job->coupling,
                                                    job->boundary->solid[job->lists->index[e]]);
        }
    }
    job->coupling->near[begin / OOZE_COUPLING_GRAIN] = near;
}

void ooze_coupling_find_chunks(OozeDynamicCoupling *c, const OozeNeighbours *lists, uint64_t n,
                               const OozeBoundary *boundary)
{
    FindJob job = {.coupling = c, .lists = lists, .boundary = boundary};
    memset(c->near, 0, c->chunks);
    if (boundary->count > 0) {
        ooze_parallel_for(c->context->threads, n, OOZE_COUPLING_GRAIN, find_range, &job);
    }
}

OozeTwist *ooze_coupling_chunk(OozeDynamicCoupling *c, uint64_t begin)
{
    uint64_t chunk = begin / OOZE_COUPLING_GRAIN;
    OozeTwist *row = c->partial + chunk * (uint64_t)c->count;
    if (!c->used[chunk]) {
        memset(row, 0, (size_t)c->count * sizeof *row);
        c->used[chunk] = 1;
    }
    return row;
}

/* Moves the sums of used chunks together, and gathers those of all processes; returns the number of
   chunks. */
static uint64_t gather_chunks(OozeDynamicCoupling *c)
{
    OozeRanks *ranks = ooze_halo_ranks(c->context->halo);
    size_t row = (size_t)c->count * sizeof *c->partial;
    uint64_t used = 0, total = 0;
    for (uint64_t chunk = 0; chunk < c->chunks; chunk++) {
        if (c->used[chunk] && used++ != chunk) {
            memcpy(c->partial + (used - 1) * (uint64_t)c->count,
                   c->partial + chunk * (uint64_t)c->count, row);
        }
        c->used[chunk] = 0;
    }
    ranks->gather(ranks, &used, sizeof used, c->rank_bytes);
    for (int r = 0; r < ranks->count; r++) {
        total += c->rank_bytes[r];
        c->rank_bytes[r] *= row;
    }
    ranks->gather_varied(ranks, c->partial, c->rank_bytes, c->all_partial);
    return total;
}

static void add_row(OozeDynamicCoupling *c, const OozeTwist *row)
{
    for (int k = 0; k < c->count; k++) {
        ooze_twist_add(&c->solids[k].collected, 1.0, &row[k]);
    }
}

void ooze_coupling_collect(OozeDynamicCoupling *c)
{
    for (int k = 0; k < c->count; k++) {
        c->solids[k].collected = (OozeTwist){{0}};
    }
    uint64_t shared = c->all_partial ? gather_chunks(c) : 0;
    for (uint64_t chunk = 0; chunk < shared; chunk++) {
        add_row(c, c->all_partial + chunk * (uint64_t)c->count);
    }
    for (uint64_t chunk = 0; chunk < c->chunks; chunk++) {
        if (c->used[chunk]) {
            add_row(c, c->partial + chunk * (uint64_t)c->count);
        }
        c->used[chunk] = 0;
    }
}

/* ---- new poses --------------------------------------------------------------------------- */

void ooze_coupling_update_poses(OozeDynamicCoupling *c)
{
    for (int k = 0; k < c->count; k++) {
        const OozeDynamicSolid *solid = &c->solids[k];
        OozeSolid *of = &c->context->dynamic->solids[solid->solid];
        of->pose = ooze_coupling_pose(solid, of, c->context->dt);
    }
}

OozeStatus ooze_coupling_place_samples(OozeDynamicCoupling *c, OozeError *error)
{
    const OozeStepContext *context = c->context;
    ooze_coupling_update_poses(c);
    return ooze_boundary_update(context->boundary, context->threads, context->solids,
                                context->support, &context->periodic, error);
}

static void move_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeDynamicCoupling *c = data;
    OozeBoundary *b = c->context->boundary;
    const uint32_t *order = ooze_grid_order(b->grid);
    for (uint64_t k = begin; k < end; k++) {
        if (ooze_coupling_is_dynamic(c, b->solid[k])) {
            const OozePose *pose = &c->context->solids[b->solid[k]].pose;
            b->position[k] = ooze_sample_position(pose, b->local[order[k]], &c->context->periodic);
        }
    }
}

void ooze_coupling_move_samples(OozeDynamicCoupling *c)
{
    OozeBoundary *b = c->context->boundary;
    ooze_coupling_update_poses(c);
    if (b->count > 0) {
        for (int k = 0; k < c->count; k++) { /* marks the poses of the last sort as out of date */
            int solid = c->solids[k].solid;
            if (solid < b->pose_count) {
                b->poses[solid].velocity = vec3(NAN, NAN, NAN);
            }
        }
        ooze_parallel_for(c->context->threads, b->count, OOZE_COUPLING_GRAIN, move_range, c);
    }
}

void ooze_coupling_load(OozeDynamicCoupling *c)
{
    for (int k = 0; k < c->count; k++) {
        const OozeDynamicSolid *solid = &c->solids[k];
        OozeLoad *load = &c->context->dynamic->loads[solid->solid];
        OozeTwist change = solid->motion;
        ooze_twist_add(&change, -1.0, &solid->free_motion);
        OozeTwist momentum = ooze_coupling_momentum(c, solid, &change);
        load->impulse = vec3_madd(load->impulse, c->particle_mass, ooze_twist_linear(&momentum));
        load->moment = vec3_madd(load->moment, c->particle_mass, ooze_twist_angular(&momentum));
    }
}
