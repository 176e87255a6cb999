/* Surface tension: forces that are the gradient of an energy (physics/surface_energy.h) at the
   positions of the beginning of the step. The energy does not change when the fluid moves or turns
   as a whole, so that forces conserve momentum and angular momentum. Two gathers along lists of
   their own reach: the sums (N, d), which give the slopes of the energy in them, and forces. For a
   pair with the slopes (P, p), x from i to j and w' = -2/h^2,

     f_i = k_n (w^2 I + 2 w w' x x^T) (P_i - P_j) - 2 w w' k_c (p_i + p_j) x. */
#include "methods/conformation/cpu/surface_tension.h"

#include <math.h>

#include "base/angle.h"
#include "base/fail.h"
#include "methods/conformation/cpu/step.h"
#include "methods/conformation/surface_tension_formula.h"
#include "physics/lattice.h"
#include "solvers/density/cpu/density_sweep.h"

/* Particles of the stage, in the order of the particle store; of several processes, in the order in
   which they were divided by the cells of the stage. */
typedef struct Stage {
    uint64_t n;
    const OozeF32x4 *position;
    const uint16_t *row, *material; /* of rheology, and in the scene */
    OozeF32x4 *wall_sum;            /* (N, d) of walls */
    float *adhesion;                /* to the walls that the particle sees */
    OozeF32x4 *force;
    OozeF32x4 *wall_slope; /* slope of the energy in the sums over walls */
} Stage;

/* Arrays are in the order of the grid, ghosts follow, and then an element of weight 0 with which
   lists are padded. */
typedef struct Tension {
    OozeConformationStep *step;
    OozeHalo *halo; /* of the stage; NULL: one process */
    Stage all;
    const OozeNeighbours *list;
    const uint32_t *order; /* to the order of `all` */
    OozeSurfaceEnergy e;
    OozeBox box;
    bool periodic, liquids, walls;       /* the last two: such kinds of neighbours exist */
    OozeF32x4 *x;                        /* positions; last lane 0, or OOZE_DENSITY_FAR */
    uint16_t *liquid;                    /* material, where there are several liquids */
    OozeF32x4 *slope[OOZE_SURFACE_WALL]; /* of the energy, in the sums over particles */
    float *solid_cosine;                 /* of the contact angle of a solid; NAN: not given */
} Tension;

void ooze_surface_memory_free(OozeSurfaceMemory *memory)
{
    ooze_grid_destroy(memory->grid);
    ooze_neighbours_free(&memory->near);
    ooze_split_free(&memory->split);
    ooze_halo_destroy(memory->halo);
    memory->grid = NULL;
    memory->halo = NULL;
}

uint64_t ooze_surface_memory_bytes(const OozeSurfaceMemory *memory)
{
    return memory->grid ? ooze_grid_bytes(memory->grid) + ooze_neighbours_bytes(&memory->near) +
                              ooze_split_bytes(&memory->split) + ooze_halo_bytes(memory->halo)
                        : 0;
}

/* ---- sums over walls ------------------------------------------------------------------------ */

static OozeF32x4 sample_delta(const OozeConformationStep *s, uint64_t i, uint32_t b)
{
    const OozeStepContext *c = s->context;
    OozeFloat4 p = c->boundary->position[b];
    OozeF32x4 d = ooze_f32x4(p.x, p.y, p.z, 0) - s->x0[i];
    d[3] = 0;
    return ooze_f32x4_nearest(d, &c->periodic);
}

/* (N, d) of walls, and the mean adhesion to those that the particle sees. */
static OozeF32x4 sum_walls(const Tension *t, uint64_t i, float *adhesion)
{
    const OozeConformationStep *s = t->step;
    const OozeStepContext *c = s->context;
    const OozeNeighbours *walls = c->fluid_boundary;
    const float cosine = s->rheology[s->material[i]].contact_cosine;
    OozeF32x4 sum = {0};
    float weighted = 0.0f;
    for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
        uint32_t b = walls->index[e];
        OozeF32x4 d = sample_delta(s, i, b);
        float w = ooze_surface_weight(ooze_f32x4_dot3(d, d), t->e.wall_inverse2);
        float v = c->boundary->volume[b] * w * w * w, filled = t->e.wall_deficit * v;
        sum += (t->e.wall_gradient * v) * d;
        sum[3] -= filled;
        weighted += filled * ooze_surface_adhesion(cosine, t->solid_cosine[c->boundary->solid[b]]);
    }
    *adhesion = sum[3] < 0.0f ? -weighted / sum[3] : 0.0f;
    return sum;
}

static void sum_walls_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Tension *t = data;
    for (uint64_t i = begin; i < end; i++) {
        t->all.wall_sum[i] = sum_walls(t, i, &t->all.adhesion[i]);
    }
}

/* ---- sums over particles -------------------------------------------------------------------- */

/* w of four neighbours, and their places d. */
static inline OozeF32x4 weigh(const Tension *t, OozeF32x4 x, const uint32_t *j, OozeF32x4 d[4])
{
    for (int k = 0; k < 4; k++) {
        d[k] = t->x[j[k]] - x;
        d[k] = t->periodic ? ooze_f32x4_image(d[k], t->box) : d[k];
    }
    OozeF32x4 none = {0}, r2 = ooze_f32x4_dots(d, d);
    return ooze_f32x4_max(1.0f - r2 * t->e.inverse2, none);
}

/* 1 for neighbours of another liquid. */
static inline OozeF32x4 others(const Tension *t, uint16_t liquid, const uint32_t *j)
{
    OozeF32x4 other;
    for (int k = 0; k < 4; k++) {
        other[k] = t->liquid[j[k]] != liquid ? 1.0f : 0.0f;
    }
    return other;
}

static OozeF32x4 scaled(const Tension *t, OozeF32x4 places, OozeF32x4 weights)
{
    OozeF32x4 sum = places * t->e.gradient;
    sum[3] = -t->e.deficit * ooze_f32x4_sum(weights);
    return sum;
}

static void sum_particles(const Tension *t, uint64_t k, OozeF32x4 sums[2])
{
    const uint64_t first = t->list->first[k];
    const uint32_t *j = t->list->index + first, *last = j + t->list->first[k + 1] - first;
    const OozeF32x4 x = t->x[k], none = {0};
    OozeF32x4 places = none, weights = none, other_places = none, other_weights = none;
    for (; j < last; j += 4) {
        OozeF32x4 d[4], w = weigh(t, x, j, d);
        w *= w;
        weights += w;
        places = ooze_f32x4_add_weighted(w, d, places);
        if (t->liquids) {
            w *= others(t, t->liquid[k], j);
            other_weights += w;
            other_places = ooze_f32x4_add_weighted(w, d, other_places);
        }
    }
    sums[1] = scaled(t, other_places, other_weights);
    sums[0] = scaled(t, places, weights) - sums[1];
    sums[0][3] += 1.0f;
}

static void slopes_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Tension *t = data;
    const OozeConformationStep *s = t->step;
    for (uint64_t k = begin; k < end; k++) {
        const uint32_t i = t->order[k];
        OozeF32x4 sums[OOZE_SURFACE_KINDS] = {{0}};
        float adhesion = 0.0f;
        OozeSurfaceParts parts;
        sum_particles(t, k, sums);
        if (t->walls) {
            sums[OOZE_SURFACE_WALL] = t->all.wall_sum[i];
            adhesion = t->all.adhesion[i];
        }
        for (int kind = 0; kind < OOZE_SURFACE_KINDS; kind++) {
            ooze_f32x4_store(sums[kind], parts.kind[kind]);
        }
        parts = ooze_surface_slopes(&t->e, &s->rheology[t->all.row[i]], adhesion, &parts);
        t->slope[OOZE_SURFACE_OWN][k] = ooze_f32x4_load(parts.kind[OOZE_SURFACE_OWN]);
        if (t->liquids) {
            t->slope[OOZE_SURFACE_OTHER][k] = ooze_f32x4_load(parts.kind[OOZE_SURFACE_OTHER]);
        }
        if (t->walls) {
            t->all.wall_slope[i] = ooze_f32x4_load(parts.kind[OOZE_SURFACE_WALL]);
        }
    }
}

/* ---- forces --------------------------------------------------------------------------------- */

/* Force of the neighbours whose weights are w, along the slopes of one kind. */
static inline OozeF32x4 add_forces(const Tension *t, const OozeF32x4 *slope, uint64_t k,
                                   const uint32_t *j, const OozeF32x4 d[4], OozeF32x4 w)
{
    const OozeF32x4 flip = {-1, -1, -1, 1}, flat = {1, 1, 1, 0}, none = {0};
    OozeF32x4 p[4], along[4], last;
    for (int n = 0; n < 4; n++) {
        p[n] = slope[k] + flip * slope[j[n]];
        last[n] = p[n][3];
        along[n] = p[n] * flat;
    }
    OozeF32x4 dot = ooze_f32x4_dots(along, d);
    OozeF32x4 central = 4.0f * t->e.inverse2 * w * (t->e.deficit * last - t->e.gradient * dot);
    return ooze_f32x4_add_weighted(central, d,
                                   ooze_f32x4_add_weighted(t->e.gradient * w * w, along, none));
}

static void forces_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Tension *t = data;
    for (uint64_t k = begin; k < end; k++) {
        const uint64_t first = t->list->first[k];
        const uint32_t i = t->order[k], *j = t->list->index + first,
                       *last = j + t->list->first[k + 1] - first;
        OozeF32x4 force = {0};
        for (; j < last; j += 4) {
            OozeF32x4 d[4], w = weigh(t, t->x[k], j, d);
            if (t->liquids) {
                OozeF32x4 other = others(t, t->liquid[k], j);
                force += add_forces(t, t->slope[OOZE_SURFACE_OTHER], k, j, d, other * w);
                w *= 1.0f - other;
            }
            force += add_forces(t, t->slope[OOZE_SURFACE_OWN], k, j, d, w);
        }
        t->all.force[i] = force;
    }
}

/* From forces to the velocities that they add. */
static void impulses_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeConformationStep *s = ((const Tension *)data)->step;
    for (uint64_t i = begin; i < end; i++) {
        s->surface_impulse[i] *= s->dt * s->mobility[i];
    }
}

/* Forces of walls; dynamic solids take the opposite ones. */
static void walls_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Tension *t = data;
    OozeConformationStep *s = t->step;
    OozeDynamicCoupling *coupling = s->own->coupling;
    const OozeStepContext *c = s->context;
    const OozeNeighbours *walls = c->fluid_boundary;
    bool near = coupling && coupling->near[begin / OOZE_COUPLING_GRAIN];
    OozeTwist *sum = near ? ooze_coupling_chunk(coupling, begin) : NULL;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 p = t->all.wall_slope[i], all = {0};
        for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
            uint32_t b = walls->index[e];
            OozeF32x4 d = sample_delta(s, i, b);
            float w = ooze_surface_weight(ooze_f32x4_dot3(d, d), t->e.wall_inverse2), central;
            float straight = ooze_surface_wall_force(&t->e, w, c->boundary->volume[b],
                                                     ooze_f32x4_dot3(d, p), p[3], &central);
            OozeF32x4 force = straight * p + central * d;
            int solid = near ? coupling->index_of[coupling->view.solid[b]] : -1;
            all += force;
            if (solid >= 0) {
                ooze_coupling_add(&sum[solid], coupling->arm[b],
                                  vec3((double)force[0], (double)force[1], (double)force[2]));
            }
        }
        s->surface_impulse[i] += (s->dt * s->mobility[i]) * all;
    }
}

static void apply_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Tension *t = data;
    OozeConformationStep *s = t->step;
    for (uint64_t i = begin; i < end; i++) {
        s->surface_impulse[i][3] = 0;
        s->u[i] += s->surface_impulse[i];
    }
}

/* ---- the stage ------------------------------------------------------------------------------ */

static void load_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Tension *t = data;
    for (uint64_t k = begin; k < end; k++) {
        t->x[k] = t->all.position[t->order[k]] * ooze_f32x4(1, 1, 1, 0);
        if (t->liquids) {
            t->liquid[k] = t->all.material[t->order[k]];
        }
    }
}

static OozeStatus allocate(Tension *t, OozeError *error)
{
    OozeArena *arena = t->step->context->arena;
    uint64_t local = ooze_halo_local(t->halo, t->all.n), others = t->liquids ? local : 0;
    t->x = ooze_gathered_alloc(arena, local, sizeof *t->x);
    t->slope[OOZE_SURFACE_OWN] = ooze_gathered_alloc(arena, local, sizeof *t->x);
    t->slope[OOZE_SURFACE_OTHER] = ooze_gathered_alloc(arena, others, sizeof *t->x);
    t->liquid = ooze_gathered_alloc(arena, others, sizeof *t->liquid);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "surface tension", local * 48);
    }
    return OOZE_OK;
}

/* Ghosts of the sorted particles. The order outlives the grid's, which finds lists too. */
static OozeStatus find_ghosts(Tension *t, OozeError *error)
{
    const OozeStepContext *c = t->step->context;
    OozeSurfaceMemory *own = &t->step->memory->surface;
    uint64_t n = t->all.n;
    uint32_t *order = ooze_arena_alloc(c->arena, n, sizeof *order);
    OozeF32x4 *sorted = ooze_arena_alloc(c->arena, n, sizeof *sorted);
    if (!order || !sorted) {
        return ooze_fail_memory(error, "surface tension", n * sizeof *sorted);
    }
    for (uint64_t k = 0; k < n; k++) {
        order[k] = t->order[k];
        sorted[k] = t->all.position[order[k]];
    }
    t->order = order;
    return ooze_halo_find(t->halo, &own->split, (const OozeFloat4 *)sorted, error);
}

/* Lists of the reach of the energy, at the positions of the beginning of the step. */
static OozeStatus find_neighbours(Tension *t, OozeError *error)
{
    const OozeStepContext *c = t->step->context;
    OozeSurfaceMemory *own = &t->step->memory->surface;
    const double reach = OOZE_SURFACE_REACH * c->support;
    uint64_t n = t->all.n;
    OozeStatus status = ooze_grid_sort(own->grid, c->threads, (const OozeFloat4 *)t->all.position,
                                       n, reach, &c->periodic, error);
    t->order = ooze_grid_order(own->grid);
    status = status || !t->halo ? status : find_ghosts(t, error);
    status = status ? status : allocate(t, error);
    if (status) {
        return status;
    }
    ooze_parallel_for(c->threads, n, OOZE_CONFORMATION_GRAIN, load_range, t);
    ooze_halo_refresh(t->halo, t->x, sizeof *t->x);
    if (t->liquids) {
        ooze_halo_refresh(t->halo, t->liquid, sizeof *t->liquid);
    }
    t->x[ooze_halo_local(t->halo, n)] = ooze_f32x4(0, 0, 0, OOZE_DENSITY_FAR);
    t->list = &own->near;
    const OozeFloat4 *x = (const OozeFloat4 *)t->x;
    OozeNeighbourQuery query = {x, n, x, reach, true};
    return t->halo ? ooze_halo_lists(t->halo, &own->near, own->grid, c->threads, &query,
                                     &c->periodic, error)
                   : ooze_neighbours_build(&own->near, own->grid, c->threads, &query, error);
}

static OozeStatus find_forces(Tension *t, OozeError *error)
{
    OozeThreads *threads = t->step->context->threads;
    OozeStatus status = find_neighbours(t, error);
    if (status) {
        return status;
    }
    ooze_parallel_for(threads, t->all.n, OOZE_CONFORMATION_GRAIN, slopes_range, t);
    for (int kind = 0; kind <= (t->liquids ? OOZE_SURFACE_OTHER : OOZE_SURFACE_OWN); kind++) {
        ooze_halo_refresh(t->halo, t->slope[kind], sizeof *t->slope[kind]);
    }
    ooze_parallel_for(threads, t->all.n, OOZE_CONFORMATION_GRAIN, forces_range, t);
    return OOZE_OK;
}

/* The stage of several processes: particles are divided among them in the order of its grid, and
   forces are brought back. */
static OozeStatus find_forces_on_ranks(Tension *t, OozeError *error)
{
    const OozeStepContext *c = t->step->context;
    OozeSurfaceMemory *own = &t->step->memory->surface;
    OozeSplitPoints points = {(const OozeFloat4 *)t->all.position, t->all.n,
                              OOZE_SURFACE_REACH * c->support, &c->periodic};
    own->split.ranks = ooze_halo_ranks(c->halo);
    own->halo = own->halo ? own->halo : ooze_halo_create(own->split.ranks);
    double *shares = ooze_arena_alloc(c->arena, (uint64_t)own->split.ranks->count + 1, 8);
    if (!own->halo || !shares) {
        return ooze_fail_memory(error, "surface tension", sizeof *own);
    }
    ooze_halo_shares(c->halo, shares);
    OozeStatus status = ooze_split_find(&own->split, c->threads, &points, shares, error);
    uint64_t n = own->split.after;
    OozeF32x4 *position = ooze_arena_alloc(c->arena, n, sizeof *position);
    uint16_t *row = ooze_arena_alloc(c->arena, 2 * n, sizeof *row), *material = row + n;
    Stage before = t->all, after = {.n = n, .position = position, .row = row};
    after.material = material;
    after.wall_sum = ooze_arena_alloc(c->arena, n, sizeof *after.wall_sum);
    after.adhesion = ooze_arena_alloc(c->arena, n, sizeof *after.adhesion);
    after.force = ooze_arena_alloc(c->arena, n, sizeof *after.force);
    after.wall_slope = ooze_arena_alloc(c->arena, n, sizeof *after.wall_slope);
    if (!status && ooze_arena_failed(c->arena)) {
        status = ooze_fail_memory(error, "surface tension", n * 80);
    }
    const OozeColumn there[] = {{(void *)before.position, position, sizeof *position},
                                {(void *)before.row, row, sizeof *row},
                                {(void *)before.material, material, sizeof *material},
                                {before.wall_sum, after.wall_sum, sizeof *after.wall_sum},
                                {before.adhesion, after.adhesion, sizeof *after.adhesion}};
    const OozeColumn back[] = {{after.force, before.force, sizeof *after.force},
                               {after.wall_slope, before.wall_slope, sizeof *after.wall_slope}};
    t->halo = own->halo;
    t->all = after;
    status = status ? status : ooze_split_move(&own->split, there, t->walls ? 5 : 3, error);
    status = status ? status : find_forces(t, error);
    status = status ? status : ooze_split_move_back(&own->split, back, t->walls ? 2 : 1, error);
    t->all = before;
    return status;
}

/* Arrays of the stage, and the sums over walls. */
static OozeStatus begin(Tension *t, OozeError *error)
{
    OozeConformationStep *s = t->step;
    const OozeStepContext *c = s->context;
    OozeSurfaceMemory *own = &s->memory->surface;
    uint64_t walls = t->walls ? s->n : 0;
    own->grid = own->grid ? own->grid : ooze_grid_create();
    t->all = (Stage){
        .n = s->n,
        .position = s->x0,
        .row = s->material,
        .material = ooze_particles_materials(c->particles),
        .wall_sum = ooze_arena_alloc(c->arena, walls, sizeof *t->all.wall_sum),
        .adhesion = ooze_arena_alloc(c->arena, walls, sizeof *t->all.adhesion),
        .force = s->surface_impulse,
        .wall_slope = ooze_arena_alloc(c->arena, walls, sizeof *t->all.wall_slope),
    };
    t->solid_cosine = ooze_arena_alloc(c->arena, (uint64_t)c->solid_count, sizeof *t->solid_cosine);
    if (!own->grid || ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "surface tension", s->n * 36);
    }
    for (int k = 0; k < c->solid_count; k++) {
        double angle = c->solids[k].params[OOZE_SOLID_CONTACT_ANGLE];
        t->solid_cosine[k] = (float)cos(ooze_radians(angle));
    }
    if (t->walls) {
        ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN, sum_walls_range, t);
    }
    return OOZE_OK;
}

OozeStatus ooze_conformation_tension(OozeConformationStep *s, OozeError *error)
{
    const OozeStepContext *c = s->context;
    if (!(s->plan->largest_surface_tension > 0.0f)) {
        return OOZE_OK;
    }
    s->surface_impulse = ooze_arena_alloc(c->arena, s->n, sizeof *s->surface_impulse);
    OozeArenaMark mark = ooze_arena_mark(c->arena);
    Tension t = {.step = s,
                 .e = ooze_surface_energy(c->spacing, c->support,
                                          ooze_lattice_sample_volume(c->spacing, c->support)),
                 .box = ooze_box(&c->periodic),
                 .periodic = ooze_periodic_any(&c->periodic),
                 .liquids = s->plan->interfaces,
                 .walls = c->boundary->count > 0};
    OozeStatus status = begin(&t, error);
    if (!status) {
        status = c->halo ? find_forces_on_ranks(&t, error) : find_forces(&t, error);
    }
    if (status) {
        return status;
    }
    ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN, impulses_range, &t);
    if (t.walls) {
        ooze_parallel_for(c->threads, s->n, OOZE_COUPLING_GRAIN, walls_range, &t);
        ooze_lodge_solids_pull(s);
    }
    ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN, apply_range, &t);
    ooze_arena_rewind(c->arena, mark);
    ooze_timer_lap(c->timer, "surface_tension");
    return OOZE_OK;
}
