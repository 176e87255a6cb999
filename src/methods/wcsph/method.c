/* One explicit step: density, pressure by the equation of state, pressure and viscous forces,
   velocities, positions.

   Forces along an edge are equal and opposite to the last bit: both ends evaluate the same
   expression with opposite signs, so that linear momentum is conserved to the rounding of
   velocities. */
#include "methods/wcsph/method.h"

#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/derive.h"
#include "methods/wcsph/force_formula.h"
#include "solvers/vectors/periodic_f32x4.h"

static const OozeParamInfo params[OOZE_WCSPH_PARAM_COUNT] = {
    [OOZE_WCSPH_SOUND_SPEED] = {"sound_speed", OOZE_PARAM_REAL, "m/s", 1e-6, 1e6, 20.0, NULL,
                                "stiffness against compression: ten times the fastest flow keeps "
                                "density within a percent"},
    [OOZE_WCSPH_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0, 10, 0.25,
                                     NULL, "how near a particle's centre comes to a solid"},
};

static const char *const material_keys[] = {"density", "viscosity", NULL};
static const char *const ghost_fields[] = {"velocity", NULL};

typedef struct Step {
    OozeStepContext *context;
    uint64_t n;
    OozeWcsphConstants constants;
    OozeBox box;
    const OozeWcsphMaterial *materials;
    const uint16_t *material;
    OozeF32x4 *edge;   /* per list entry: x_ji and its length */
    OozeF32x4 *x, *u;  /* at the beginning of the step */
    OozeF32x4 *next_u; /* velocities at its end */
    OozeF32x4 *next_x; /* positions at its end */
    float *density;    /* relative to rest */
    OozeWcsphState *state;
} Step;

enum { GRAIN = 128 };

static OozeF32x4 edge_of(const Step *s, OozeF32x4 from, OozeF32x4 to)
{
    return ooze_f32x4_image(to - from, s->box);
}

static OozeF32x4 sample_at(const OozeFloat4 *values, uint32_t k)
{
    return ooze_f32x4(values[k].x, values[k].y, values[k].z, 0);
}

/* ---- density and pressure ------------------------------------------------------------------- */

static float density_of(const Step *s, uint64_t i)
{
    const OozeStepContext *c = s->context;
    const OozeNeighbours *list = c->fluid, *walls = c->fluid_boundary;
    const uint32_t *index = list->index + list->first[i];
    OozeF32x4 *edge = s->edge + list->first[i];
    float h = s->constants.support, sum = ooze_cubic_value(0.0f, h), wall_sum = 0.0f;
    for (uint32_t e = 0; e < list->count[i]; e++) {
        OozeF32x4 d = edge_of(s, s->x[i], s->x[index[e]]);
        float r = sqrtf(ooze_f32x4_dot3(d, d));
        edge[e] = ooze_f32x4(d[0], d[1], d[2], r);
        sum += ooze_cubic_value(r, h);
    }
    uint32_t wall_count = c->boundary->count ? walls->count[i] : 0;
    for (uint32_t w = 0; w < wall_count; w++) {
        uint32_t k = walls->index[walls->first[i] + w];
        OozeF32x4 d = edge_of(s, s->x[i], sample_at(c->boundary->position, k));
        wall_sum += c->boundary->volume[k] * ooze_cubic_value(sqrtf(ooze_f32x4_dot3(d, d)), h);
    }
    return s->constants.volume * sum + s->constants.wall_volume * wall_sum;
}

static void density_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Step *s = data;
    for (uint64_t i = begin; i < end; i++) {
        s->density[i] = density_of(s, i);
        s->state[i] = ooze_wcsph_state(&s->constants, &s->materials[s->material[i]], s->density[i]);
    }
}

/* ---- forces --------------------------------------------------------------------------------- */

static OozeF32x4 force_of_fluid(const Step *s, uint64_t i)
{
    const OozeNeighbours *list = s->context->fluid;
    const uint32_t *index = list->index + list->first[i];
    const OozeF32x4 *edge = s->edge + list->first[i];
    OozeF32x4 force = {0}, u = s->u[i];
    OozeWcsphState own = s->state[i];
    for (uint32_t e = 0; e < list->count[i]; e++) {
        OozeWcsphState other = s->state[index[e]];
        float r = edge[e][3];
        float along = ooze_wcsph_push(&s->constants, own.pressure_term, other.pressure_term, r);
        float drag = ooze_wcsph_drag(&s->constants, own, other, r);
        force += along * edge[e] + drag * (s->u[index[e]] - u);
    }
    return force;
}

/* Boundary samples have the pressure of the particle; those of no-slip solids exert viscous
   drag. */
static OozeF32x4 force_of_walls(const Step *s, uint64_t i)
{
    const OozeStepContext *c = s->context;
    const OozeNeighbours *walls = c->fluid_boundary;
    const OozeBoundary *boundary = c->boundary;
    OozeF32x4 force = {0};
    OozeWcsphState own = s->state[i];
    uint32_t count = boundary->count ? walls->count[i] : 0;
    for (uint32_t w = 0; w < count; w++) {
        uint32_t k = walls->index[walls->first[i] + w];
        OozeF32x4 d = edge_of(s, s->x[i], sample_at(boundary->position, k));
        float r = sqrtf(ooze_f32x4_dot3(d, d)), volume = boundary->volume[k];
        bool clings = isinf(ooze_solid_fluid_friction(&c->solids[boundary->solid[k]]));
        float drag = clings ? ooze_wcsph_wall_drag(&s->constants, own, volume, r) : 0.0f;
        float along = ooze_wcsph_wall_push(&s->constants, own.pressure_term, volume, r);
        force += along * d + drag * (sample_at(boundary->velocity, k) - s->u[i]);
    }
    return force;
}

static void kick_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Step *s = data;
    const OozeStepContext *c = s->context;
    OozeF32x4 g = ooze_f32x4((float)c->gravity.x, (float)c->gravity.y, (float)c->gravity.z, 0);
    for (uint64_t i = begin; i < end; i++) {
        bool prescribed = c->prescribed && c->prescribed[i];
        OozeF32x4 force =
            prescribed ? ooze_f32x4(0, 0, 0, 0) : force_of_fluid(s, i) + force_of_walls(s, i);
        OozeF32x4 a = prescribed ? force : g + force / s->materials[s->material[i]].relative_mass;
        a[3] = 0;
        s->next_u[i] = s->u[i] + s->constants.dt * a;
    }
}

/* ---- positions ------------------------------------------------------------------------------ */

/* Moves particles to the end of the step, with collisions: pressure alone does not keep fast or
   isolated particles out of solids. */
static void advect_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Step *s = data;
    const OozeStepContext *c = s->context;
    const OozeContactRule rule = ooze_wcsph_contact_rule(c);
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 x0 = s->x[i], u = s->next_u[i];
        s->next_x[i] = x0 + s->constants.dt * u;
        if (c->solid_count > 0) {
            OozeVec3 to = vec3(x0[0], x0[1], x0[2]), v = vec3(u[0], u[1], u[2]);
            if (ooze_contact_advance(c->solids, c->solid_count, &rule, &to, &v)) {
                s->next_x[i] = ooze_f32x4((float)to.x, (float)to.y, (float)to.z, 0);
                s->next_u[i] = ooze_f32x4((float)v.x, (float)v.y, (float)v.z, 0);
            }
        }
    }
}

/* ---- the step ------------------------------------------------------------------------------- */

static OozeStatus start(Step *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    OozeArena *arena = c->arena;
    uint64_t local = ooze_halo_local(c->halo, s->n);
    OozeWcsphMaterial *materials =
        ooze_arena_alloc(arena, (size_t)c->material_count, sizeof *materials);
    uint64_t edges = c->fluid->first[s->n];
    s->edge = ooze_arena_alloc(arena, edges, sizeof *s->edge);
    s->x = ooze_arena_alloc(arena, local, sizeof *s->x);
    s->u = ooze_arena_alloc(arena, local, sizeof *s->u);
    s->next_u = ooze_arena_alloc(arena, s->n, sizeof *s->next_u);
    s->next_x = ooze_arena_alloc(arena, s->n, sizeof *s->next_x);
    s->density = ooze_arena_alloc(arena, s->n, sizeof *s->density);
    s->state = ooze_arena_alloc(arena, local, sizeof *s->state);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the wcsph step", s->n * 80 + edges * sizeof *s->edge);
    }
    for (int m = 0; m < c->material_count; m++) {
        materials[m] = ooze_wcsph_material(c, m);
    }
    s->materials = materials;
    const OozeFloat4 *x = ooze_particles_positions(c->particles);
    const OozeFloat4 *v = ooze_particles_velocities(c->particles);
    for (uint64_t i = 0; i < local; i++) {
        s->x[i] = ooze_f32x4(x[i].x, x[i].y, x[i].z, 0);
        s->u[i] = ooze_f32x4(v[i].x, v[i].y, v[i].z, 0);
    }
    ooze_timer_lap(c->timer, "load");
    return OOZE_OK;
}

static void store(const Step *s)
{
    OozeFloat4 *x = ooze_particles_positions(s->context->particles);
    OozeFloat4 *v = ooze_particles_velocities(s->context->particles);
    for (uint64_t i = 0; i < s->n; i++) {
        x[i] = (OozeFloat4){s->next_x[i][0], s->next_x[i][1], s->next_x[i][2], 0};
        v[i] = (OozeFloat4){s->next_u[i][0], s->next_u[i][1], s->next_u[i][2], 0};
    }
}

static OozeStatus step(void *data, OozeStepContext *c, OozeError *error)
{
    (void)data;
    Step s = {
        .context = c,
        .n = ooze_particles_count(c->particles),
        .constants = ooze_wcsph_constants(c),
        .box = ooze_box(&c->periodic),
        .material = ooze_particles_materials(c->particles),
    };
    if (ooze_halo_all(c->halo, s.n) == 0) {
        return OOZE_OK;
    }
    OozeStatus status = start(&s, error);
    if (status) {
        return status;
    }
    ooze_parallel_for(c->threads, s.n, GRAIN, density_range, &s);
    ooze_halo_refresh(c->halo, s.state, sizeof *s.state);
    ooze_step_report_density(c, s.density, s.n);
    ooze_timer_lap(c->timer, "density");
    ooze_parallel_for(c->threads, s.n, GRAIN, kick_range, &s);
    ooze_timer_lap(c->timer, "forces");
    ooze_parallel_for(c->threads, s.n, GRAIN, advect_range, &s);
    ooze_timer_lap(c->timer, "contact");
    store(&s);
    ooze_timer_lap(c->timer, "store");
    return OOZE_OK;
}

const OozeMethod ooze_method_wcsph = {
    .info = {.name = "wcsph",
             .summary = "Newtonian fluids by weakly compressible SPH with explicit viscosity: a "
                        "baseline, stable only for short steps",
             .reference = "Mueller, Charypar and Gross 2003, Particle-based fluid simulation for "
                          "interactive applications; Becker and Teschner 2007, Weakly compressible "
                          "SPH for free surface flows",
             .params = params,
             .param_count = OOZE_WCSPH_PARAM_COUNT},
    .material_keys = material_keys,
    .ghost_fields = ghost_fields,
    .uses_fluid_neighbours = true,
    .uses_boundary_neighbours = true,
    .step = step,
    .stable_step = ooze_wcsph_stable_step,
    .derive_material = ooze_derive_newtonian,
    .advise = ooze_wcsph_advise,
};
