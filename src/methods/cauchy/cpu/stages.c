/* Stages of the method cauchy on the processor: the beginning of a step, walls, forces and the
   end. */
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/cauchy/cpu/operators.h"

/* ---- the beginning -------------------------------------------------------------------------- */

static void prepare(OozeCauchyStep *s)
{
    const uint64_t blocks = s->machine->n / OOZE_CAUCHY_GRAIN + 1;
    s->own = ooze_machine_alloc(s->machine, 1, sizeof *s->own);
    s->x = ooze_cauchy_gathered(s, sizeof *s->x);
    *s->solves = (OozeCauchySolves){0};
    if (s->own) {
        *s->own = (OozeCauchyOwn){0};
        s->own->partial = ooze_machine_alloc(s->machine, 3 * blocks, sizeof(double));
    }
}

static void find_rows(OozeCauchyStep *s, const OozeCauchyTable *tables, uint16_t *row)
{
    const double *temperature = s->machine->context->temperature;
    for (uint64_t i = 0; i < s->machine->local; i++) {
        row[i] = (uint16_t)ooze_cauchy_row(tables, s->material[i], temperature[i]);
    }
}

static void load_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyStep *s = data;
    const OozeStepContext *c = s->machine->context;
    const OozeFloat4 *x = ooze_particles_positions(c->particles);
    const OozeFloat4 *v = ooze_particles_velocities(c->particles);
    OozeF32x4 gravity = {(float)c->gravity.x, (float)c->gravity.y, (float)c->gravity.z, 0};
    for (uint64_t i = begin; i < end; i++) {
        s->x[i] = ooze_f32x4(x[i].x, x[i].y, x[i].z, 1);
        ooze_cauchy_load(s, i, ooze_f32x4(v[i].x, v[i].y, v[i].z, 0), gravity);
    }
}

static void load(OozeCauchyStep *s)
{
    const OozeMachine *machine = s->machine;
    ooze_parallel_for(machine->context->threads, machine->local, OOZE_CAUCHY_GRAIN, load_range, s);
}

/* ---- walls and edges ------------------------------------------------------------------------ */

enum { GROUP = OOZE_BROAD_PHASE_GROUP };

static OozeCauchyWall walls_of(const OozeCauchyStep *s, uint64_t i, uint64_t near)
{
    const OozeStepContext *c = s->machine->context;
    OozeContact surfaces[OOZE_ALL_SURFACES_MAX];
    OozeVec3 x = vec3((double)s->x[i][0], (double)s->x[i][1], (double)s->x[i][2]);
    int count = 0;
    for (int k = 0; near && k < c->solid_count; k++) {
        if (ooze_broad_phase_has(near, k) && s->own->nearby.items[k].collides) {
            const OozeSolid *solid = &c->solids[k];
            count += ooze_cauchy_surfaces(solid->shape, &solid->pose, x, s->spacing, c->support,
                                          surfaces + count, OOZE_ALL_SURFACES_MAX - count);
        }
    }
    return ooze_cauchy_wall(&s->k, surfaces, count);
}

static void walls_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyStep *s = data;
    uint64_t near = 0, around = ooze_broad_phase_find(&s->own->nearby, s->x, begin, end,
                                                      s->k.support, true, UINT64_MAX);
    for (uint64_t i = begin; i < end; i++) {
        uint64_t last = i + GROUP < end ? i + GROUP : end;
        if (i % GROUP == 0) {
            near = around ? ooze_broad_phase_find(&s->own->nearby, s->x, i, last, s->k.support,
                                                  true, around)
                          : 0;
        }
        s->wall[i] = walls_of(s, i, near);
    }
}

static OozeStatus find_walls(OozeCauchyStep *s, OozeError *error)
{
    const OozeMachine *machine = s->machine;
    const OozeStepContext *c = machine->context;
    OozeStatus status = ooze_broad_phase_begin(&s->own->nearby, c->solids, c->solid_count,
                                               c->spacing, c->dt, c->arena, error);
    if (!status) {
        ooze_parallel_for(c->threads, machine->local, OOZE_CAUCHY_GRAIN, walls_range, s);
    }
    return status;
}

static OozeStatus gather(OozeCauchyStep *s, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    OozeCauchyMemory *memory = s->memory;
    OozeCauchyOwn *own = s->own;
    uint64_t edges = c->fluid->first[s->machine->n];
    uint64_t wall_edges = c->boundary->count ? c->fluid_boundary->first[s->machine->n] : 0;
    own->wall_edge = ooze_machine_alloc(s->machine, wall_edges, sizeof *own->wall_edge);
    own->wall_no_slip = ooze_machine_alloc(s->machine, wall_edges, 1);
    own->edges = (OozeEdges){.list = c->fluid,
                             .x = s->x,
                             .weight = ooze_edge_values(&memory->edges, c->arena, edges),
                             .box = ooze_box(&c->periodic),
                             .periodic = ooze_periodic_any(&c->periodic)};
    own->mps = own->edges;
    own->mps.weight = ooze_edge_values(&memory->mps, c->arena, edges);
    if (!own->edges.weight || !own->mps.weight || ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "weights of neighbours", edges * 2 * sizeof(float));
    }
    ooze_cauchy_run(s, ooze_cauchy_loops()->gather, s);
    return OOZE_OK;
}

/* ---- forces --------------------------------------------------------------------------------- */

/* Surface tension as a stress along free surfaces, and cohesion: see physics/surface_stress.h.
   Walls count as fluid, so that a surface meets them at 90 degrees; wetting adds the work of
   adhesion. */
static void surface_stress_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeCauchyTension *t = data;
    const OozeCauchyStep *s = t->step;
    const OozeNeighbours *list = s->own->edges.list;
    float inverse = 1.0f / s->k.strain_scale;
    for (uint64_t i = begin; i < end; i++) {
        bool acts = ooze_cauchy_material_of(s, i)->surface_tension > 0.0f;
        float filled = 0.0f;
        for (uint64_t e = list->first[i], last = e + list->count[i]; acts && e < last; e++) {
            float f = s->own->edges.weight[e] * inverse;
            filled += t->numbers.filled * f * f;
        }
        ooze_cauchy_set_surface_stress(s, t, i, filled);
    }
}

static void add_stress_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeCauchyTension *t = data;
    OozeCauchyStep *s = t->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 force =
            t->base[i] + ooze_edges_flux(&s->own->edges, (const OozeRows *)t->flux, i);
        float wetting[3] = {0, 0, 0};
        ooze_cauchy_add_wetting(&s->k, ooze_cauchy_material_of(s, i), &s->wall[i], wetting);
        force += ooze_f32x4(wetting[0], wetting[1], wetting[2], 0);
        force[3] = 0;
        s->force[i] += force;
    }
}

static void find_surface_stress(OozeCauchyTension *t)
{
    ooze_cauchy_run(t->step, surface_stress_range, t);
}

static void add_surface_stress(OozeCauchyTension *t)
{
    ooze_cauchy_run(t->step, add_stress_range, t);
}

static void add_cohesion(OozeCauchyStep *s)
{
    ooze_cauchy_run(s, ooze_cauchy_loops()->cohesion, s);
}

static void accelerate(OozeCauchyStep *s, const float *pressure, OozeF32x4 *to)
{
    OozeCauchyAcceleration loop = {s, pressure, to};
    ooze_cauchy_run(s, ooze_cauchy_loops()->accelerate, &loop);
}

static void force_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeCauchyAcceleration *a = data;
    const OozeCauchyStep *s = a->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 force = s->force[i];
        if (a->to) {
            force += ooze_cauchy_material_of(s, i)->relative_mass * a->to[i];
        }
        s->u[i] += (s->k.dt * s->mobility[i]) * force;
    }
}

static void apply_forces(OozeCauchyStep *s, OozeF32x4 *acceleration)
{
    OozeCauchyAcceleration loop = {s, NULL, acceleration};
    ooze_cauchy_run(s, force_range, &loop);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void strain_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyStep *s = data;
    float reference = 1.0f / s->inverse_reference;
    for (uint64_t i = begin; i < end; i++) {
        OozeMat3 l = ooze_cauchy_gradient(s, s->u, i);
        ooze_cauchy_carry_strain(s, i, l);
        if (s->machine->context->stress) {
            OozeSym3 d = ooze_mat3_symmetric(l);
            OozeSym3 stress =
                ooze_sym3_add(s->explicit_stress[i], ooze_lodge_stress(d, s->stiffness[i], 0.0f));
            s->machine->context->stress[i] = ooze_sym3_scale(stress, reference);
        }
    }
}

static void carry_strain(OozeCauchyStep *s)
{
    ooze_cauchy_run(s, strain_range, s);
}

static void store(OozeCauchyStep *s)
{
    OozeParticles *particles = s->machine->context->particles;
    const uint64_t n = s->machine->n;
    memcpy(ooze_particles_positions(particles), s->next_x, n * sizeof(OozeFloat4));
    memcpy(ooze_particles_velocities(particles), s->u, n * sizeof(OozeFloat4));
    memcpy(s->pressure, s->next_pressure, n * sizeof *s->pressure);
}

const OozeCauchyStages ooze_cauchy_stages = {
    .prepare = prepare,
    .find_rows = find_rows,
    .load = load,
    .find_walls = find_walls,
    .gather = gather,
    .add_cohesion = add_cohesion,
    .find_surface_stress = find_surface_stress,
    .add_surface_stress = add_surface_stress,
    .accelerate = accelerate,
    .apply_forces = apply_forces,
    .carry_strain = carry_strain,
    .store = store,
    .velocity = &ooze_cauchy_velocity_stages,
    .pressure = &ooze_cauchy_pressure_stages,
    .motion = &ooze_cauchy_motion_stages,
};
