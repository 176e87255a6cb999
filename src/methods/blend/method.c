/* One step: reference shape, densities, forces of SPH, pulls of shape matching, movement. */
#include "methods/blend/method.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "methods/advice.h"
#include "methods/blend/reference_formula.h"
#include "methods/blend/step.h"

static const OozeParamInfo params[OOZE_BLEND_PARAM_COUNT] = {
    [OOZE_BLEND_REGION_RADIUS] = {"region_radius", OOZE_PARAM_REAL, "spacings", 1.01, 100, 3.0,
                                  NULL,
                                  "of the regions that keep their shape (sigma): the larger, the "
                                  "stiffer"},
    [OOZE_BLEND_REGIONS] = {"regions", OOZE_PARAM_CHOICE, "", 0, 2, 0, "auto|particles|cells",
                            "particles: a ball around each, as published; cells: smooth ones that "
                            "cost the same whatever their radius; auto: cells from a radius of 2.5 "
                            "on"},
    [OOZE_BLEND_UPDATE_INTERVAL] = {"update_interval", OOZE_PARAM_REAL, "s", 0, 1e9, 0.5, NULL,
                                    "time from one check of the reference shape to the next (m_u "
                                    "steps)"},
    [OOZE_BLEND_UPDATE_GRAVITY] = {"update_gravity", OOZE_PARAM_CHOICE, "", 0, 1, 0, "no|yes",
                                   "whether gravity counts among the external forces that are "
                                   "compared with `update_threshold`"},
    [OOZE_BLEND_SOUND_SPEED] = {"sound_speed", OOZE_PARAM_REAL, "m/s", 1e-6, 1e6, 10.0, NULL,
                                "stiffness of the fluid half against compression: ten times the "
                                "fastest flow keeps density within a percent"},
    [OOZE_BLEND_PRESSURE] =
        {"pressure", OOZE_PARAM_CHOICE, "", 0, 1, 0, "whole|blended",
         "whole: it keeps the volume of elastic bodies, too; blended: it counts "
         "by the fluid share, as published"},
    [OOZE_BLEND_KERNELS] = {"kernels", OOZE_PARAM_CHOICE, "", 0, 1, 0, "symmetric|printed",
                            "symmetric: spiky and viscosity kernels, forces that conserve "
                            "momentum; printed: the equations of the paper as they stand"},
    [OOZE_BLEND_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0, 10, 0.5,
                                     NULL, "how near a particle's centre comes to a solid"},
};

static const char *const material_keys[] = {
    "density",     "viscosity",        "modulus", "solvent_viscosity",
    "fluid_share", "update_threshold", NULL};

static const OozeFieldInfo fields[OOZE_BLEND_FIELD_COUNT] = {
    [OOZE_BLEND_FIELD_REFERENCE] = {"reference", OOZE_FIELD_FLOAT32, 3, 4, "m", 0, true,
                                    "its position in the reference shape"},
    [OOZE_BLEND_FIELD_STEP] = {"reference_step", OOZE_FIELD_UINT32, 1, 1, "", 0, true,
                               "number of the step in which that was taken, from 1; 0: it has "
                               "none"},
    [OOZE_BLEND_FIELD_ROTATION] =
        {"rotation", OOZE_FIELD_FLOAT32, 4, 4, "", 0, true,
         "of its region since then, a quaternion w, x, y, z; all 0: none"},
    [OOZE_BLEND_FIELD_EXTERNAL] = {"contact_acceleration", OOZE_FIELD_FLOAT32, 3, 4, "m/s2", 0,
                                   true,
                                   "by collisions, averaged over about a tenth of "
                                   "update_interval"},
    [OOZE_BLEND_FIELD_DENSITY] = {"density", OOZE_FIELD_FLOAT32, 1, 1, "", 1, true,
                                  "relative to rest; low at the surface"},
    [OOZE_BLEND_FIELD_ELASTIC] = {"elastic", OOZE_FIELD_UINT8, 1, 1, "", 0, true,
                                  "1: shape matching acts on it; 0: it is a fluid"},
    [OOZE_BLEND_FIELD_SLOT] = {"region_slot", OOZE_FIELD_UINT32, 1, 1, "", OOZE_BLEND_SLOT_NONE,
                               false, "its place among the particles of the regions"},
};

static const char *const ghost_fields[] = {"velocity", NULL};

/* ---- memory --------------------------------------------------------------------------------- */

static OozeStatus create(void **data, OozeError *error)
{
    *data = ooze_alloc_zero(1, sizeof(OozeBlendMemory));
    return *data ? OOZE_OK : ooze_fail_memory(error, "the blend method", sizeof(OozeBlendMemory));
}

static void destroy(void *data)
{
    if (data) {
        ooze_regions_free(&((OozeBlendMemory *)data)->regions);
        ooze_free(data);
    }
}

static uint64_t bytes(const void *data)
{
    return ooze_regions_bytes(&((const OozeBlendMemory *)data)->regions);
}

static void *field_of(OozeParticles *particles, int field)
{
    return ooze_particles_data(particles, ooze_particles_find_field(particles, fields[field].name));
}

static OozeStatus allocate(OozeBlendStep *s, OozeError *error)
{
    OozeArena *arena = s->context->arena;
    size_t n = s->n, local = s->local;
    s->x = ooze_arena_alloc(arena, local + 1, sizeof *s->x);
    s->u = ooze_arena_alloc(arena, local + 1, sizeof *s->u);
    s->shape = ooze_arena_alloc(arena, local + 1, sizeof *s->shape);
    s->state = ooze_arena_alloc(arena, local + 1, sizeof *s->state);
    s->acceleration = ooze_arena_alloc(arena, n, sizeof *s->acceleration);
    s->wall = ooze_arena_alloc(arena, n, sizeof *s->wall);
    s->next_x = ooze_arena_alloc(arena, n, sizeof *s->next_x);
    s->next_u = ooze_arena_alloc(arena, n, sizeof *s->next_u);
    s->next_external = ooze_arena_alloc(arena, n, sizeof *s->next_external);
    return ooze_arena_failed(arena) ? ooze_fail_memory(error, "the blend step", n * 128) : OOZE_OK;
}

/* ---- parts of a step ------------------------------------------------------------------------ */

static OozeStatus set_materials(OozeBlendStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    size_t count = (size_t)c->material_count;
    OozeBlendMaterial *materials = ooze_arena_alloc(c->arena, count, sizeof *materials);
    if (!materials) {
        return ooze_fail_memory(error, "the blend step", count * sizeof *materials);
    }
    for (int m = 0; m < c->material_count; m++) {
        materials[m] = ooze_blend_material(c, m);
        bool fixed = !materials[m].melts && !materials[m].has_table;
        s->any_elastic = s->any_elastic || !fixed || materials[m].fluid_share < 1.0f;
        s->damped = s->damped || materials[m].damping > 0.0;
    }
    s->materials = materials;
    return OOZE_OK;
}

static void load_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeBlendStep *s = data;
    const OozeStepContext *c = s->context;
    const OozeFloat4 *x = ooze_particles_positions(c->particles);
    const OozeFloat4 *v = ooze_particles_velocities(c->particles);
    for (uint64_t i = begin; i < end; i++) {
        s->x[i] = ooze_f32x4(x[i].x, x[i].y, x[i].z, 0);
        s->u[i] = ooze_f32x4(v[i].x, v[i].y, v[i].z, 0);
        if (i >= s->n) {
            continue; /* the state of ghosts is that of their owners */
        }
        const OozeBlendMaterial *m = &s->materials[s->material[i]];
        const OozeMaterial *own = &c->materials[s->material[i]];
        float share = ooze_blend_share(m, own->table, own->table_count, c->phase ? c->phase[i] : 0,
                                       c->temperature ? c->temperature[i] : 0.0);
        s->state[i] = (OozeBlendState){0, 0, m->viscosity, share};
    }
}

/* The reference shape as neighbours compare it; particles without one share no region. */
static void shape_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeBlendStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        const OozeFloat4 *q = &s->reference[i];
        s->elastic[i] =
            ooze_blend_is_elastic(s->reference_step[i], s->state[i].fluid_share) ? 1 : 0;
        s->shape[i] = ooze_f32x4(q->x, q->y, q->z, ooze_blend_shape_tag(s->reference_step[i]));
    }
}

typedef struct MatchJob {
    OozeBlendStep *step;
    OozeMatching *matching;
} MatchJob;

static void fill_slots_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const MatchJob *job = data;
    for (uint64_t i = begin; i < end; i++) {
        if (job->step->slot[i] != OOZE_BLEND_SLOT_NONE) {
            OozeBlendPoint point = ooze_blend_point(job->step, i);
            ooze_blend_place_point(job->step, job->matching, &point);
        }
    }
}

static void keep_rotation_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const MatchJob *job = data;
    const OozeRegions *r = job->matching->regions;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t slot = job->step->slot[i];
        if (slot != OOZE_BLEND_SLOT_NONE) {
            job->step->rotation[i] =
                ooze_match_write_rotation(job->matching->rotation[r->region_of[slot]]);
        }
    }
}

static OozeStatus match_shapes(OozeBlendStep *s, OozeMatching *matching, OozeError *error)
{
    OozeStepContext *c = s->context;
    OozeStatus status =
        ooze_matching_begin(matching, &s->memory->regions, s->damped, c->arena, error);
    if (status || s->memory->regions.n == 0) {
        return status;
    }
    MatchJob job = {s, matching};
    ooze_parallel_for(c->threads, s->n, OOZE_BLEND_GRAIN, fill_slots_range, &job);
    status = c->halo ? ooze_blend_share_points(s, matching, error) : OOZE_OK;
    ooze_timer_lap(c->timer, "slots");
    if (!status) {
        ooze_matching_run(matching, c->threads, c->timer);
    }
    return status;
}

static void store(const OozeBlendStep *s, OozeMatching *matching)
{
    OozeStepContext *c = s->context;
    OozeFloat4 *x = ooze_particles_positions(c->particles);
    OozeFloat4 *v = ooze_particles_velocities(c->particles);
    memcpy(x, s->next_x, s->n * sizeof *x);
    memcpy(v, s->next_u, s->n * sizeof *v);
    memcpy(s->external, s->next_external, s->n * sizeof *s->external);
    MatchJob job = {(OozeBlendStep *)s, matching};
    ooze_parallel_for(c->threads, s->n, OOZE_BLEND_GRAIN, keep_rotation_range, &job);
    ooze_step_report_density(c, s->density, s->n);
    ooze_timer_lap(c->timer, "store");
}

static OozeStatus start(OozeBlendStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    OozeStatus status = allocate(s, error);
    status = status ? status : set_materials(s, error);
    if (status) {
        return status;
    }
    s->smoothing = ooze_blend_smoothing(c);
    ooze_parallel_for(c->threads, s->local, OOZE_BLEND_GRAIN, load_range, s);
    const float far = 1e18f; /* padding of lists */
    s->x[s->local] = ooze_f32x4(far, far, far, 0);
    s->u[s->local] = s->shape[s->local] = ooze_f32x4(0, 0, 0, 0);
    s->state[s->local] = (OozeBlendState){0, 0, 0, 0};
    status = ooze_blend_update(s, error);
    ooze_parallel_for(c->threads, s->n, OOZE_BLEND_GRAIN, shape_range, s);
    ooze_halo_refresh(c->halo, s->shape, sizeof *s->shape);
    ooze_timer_lap(c->timer, "reference");
    return status;
}

/* ---- checks --------------------------------------------------------------------------------- */

static OozeStatus check(const OozeStepContext *c, OozeError *error)
{
    if (ooze_periodic_any(&c->periodic)) {
        return ooze_fail(error, OOZE_ERROR_UNSUPPORTED,
                         "leave `periodic` out, or use another method",
                         "method 'blend' has no periodic boundaries: a reference shape cannot "
                         "cross them");
    }
    for (int k = 0; k < c->body_count; k++) {
        if (c->bodies[k].kind == OOZE_BODY_RIGID) {
            return ooze_fail(error, OOZE_ERROR_UNSUPPORTED,
                             "use body: soft, a dynamic solid, or method: conformation",
                             "method 'blend' has no rigid particle bodies");
        }
    }
    return OOZE_OK;
}

static OozeStatus step(void *data, OozeStepContext *c, OozeError *error)
{
    OozeBlendStep s = {
        .context = c,
        .memory = data,
        .n = ooze_particles_count(c->particles),
        .k = ooze_blend_constants(c),
        .material = ooze_particles_materials(c->particles),
        .reference = field_of(c->particles, OOZE_BLEND_FIELD_REFERENCE),
        .reference_step = field_of(c->particles, OOZE_BLEND_FIELD_STEP),
        .rotation = field_of(c->particles, OOZE_BLEND_FIELD_ROTATION),
        .external = field_of(c->particles, OOZE_BLEND_FIELD_EXTERNAL),
        .density = field_of(c->particles, OOZE_BLEND_FIELD_DENSITY),
        .elastic = field_of(c->particles, OOZE_BLEND_FIELD_ELASTIC),
        .slot = field_of(c->particles, OOZE_BLEND_FIELD_SLOT),
    };
    if (ooze_halo_all(c->halo, s.n) == 0) {
        return OOZE_OK;
    }
    s.local = ooze_halo_local(c->halo, s.n);
    OozeMatching matching;
    OozeStatus status = check(c, error);
    status = status ? status : start(&s, error);
    status = status ? status : ooze_blend_find_walls(&s, error);
    if (status) {
        return status;
    }
    ooze_timer_lap(c->timer, "walls");
    ooze_parallel_for(c->threads, s.n, OOZE_BLEND_GRAIN, ooze_blend_loops()->sum_density, &s);
    ooze_halo_refresh(c->halo, s.state, sizeof *s.state);
    ooze_timer_lap(c->timer, "density");
    ooze_parallel_for(c->threads, s.n, OOZE_BLEND_GRAIN, ooze_blend_loops()->sum_forces, &s);
    ooze_timer_lap(c->timer, "forces");
    status = match_shapes(&s, &matching, error);
    status = status ? status : ooze_blend_move(&s, &matching, error);
    ooze_timer_lap(c->timer, "contact");
    if (!status && !c->report->too_far) {
        store(&s, &matching);
    }
    return status;
}

/* Warns of elastic numbers that the step cannot resolve. */
static void advise(const OozeStepContext *c, const OozeAdvice *advice)
{
    for (int m = 0; m < c->material_count; m++) {
        OozeBlendMaterial own = ooze_blend_material(c, m);
        const double *v = c->materials[m].values;
        if (!isnan(v[OOZE_MATERIAL_MODULUS]) && own.response_time < c->dt) {
            OozeBlendConstants k = ooze_blend_constants(c);
            double sigma = ooze_blend_matching_radius(k.kind, k.radius, c->spacing);
            double most = ooze_match_modulus(v[OOZE_MATERIAL_DENSITY], sigma, c->dt);
            ooze_advise(advice, m, "modulus", "shorten the step, or use larger regions",
                        "a step of %g s resolves a modulus up to %.3g Pa with these regions; '%s' "
                        "has %.3g Pa and will be softer",
                        c->dt, most, c->materials[m].name, v[OOZE_MATERIAL_MODULUS]);
        }
    }
}

const OozeMethod ooze_method_blend = {
    .info = {.name = "blend",
             .summary = "bodies between jelly and fluid: velocities of SPH blended with those of "
                        "shape matching, with splitting and merging; fast; shape matching is "
                        "stable at any step, and steps that sound limits are divided",
             .reference = "Takamatsu and Kanai 2011, A fast and practical method for animating "
                          "particle-based viscoelastic fluids",
             .params = params,
             .param_count = OOZE_BLEND_PARAM_COUNT},
    .fields = fields,
    .field_count = OOZE_BLEND_FIELD_COUNT,
    .material_keys = material_keys,
    .ghost_fields = ghost_fields,
    .support_ratio = 2.0,
    .unbounded_field = "elastic",
    .uses_fluid_neighbours = true,
    .takes_bodies = true,
    .pushes_solids = true,
    .uses_tables = true,
    .divides_unstable_steps = true,
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .step = step,
    .check = check,
    .stable_step = ooze_blend_stable_step,
    .advise = advise,
    .derive_params = ooze_blend_derive_params,
    .derive_material = ooze_blend_derive_material,
    .measured_material = ooze_blend_measured_material,
};
