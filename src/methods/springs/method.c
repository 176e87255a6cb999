/* One step, in the order of the paper's algorithm 1. */
#include "methods/springs/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "methods/advice.h"
#include "methods/springs/sweep.h"

static const OozeParamInfo params[OOZE_SPRINGS_PARAM_COUNT] = {
    [OOZE_SPRINGS_UNIT] = {"unit", OOZE_PARAM_REAL, "s", 1e-6, 1e3, 1.0 / 30.0, NULL,
                           "the time unit of the method's numbers; the shorter, the stiffer: sound "
                           "goes a third of a support in it"},
    [OOZE_SPRINGS_ORDER] = {"order", OOZE_PARAM_CHOICE, "", 0, 1, 0, "parallel|sequential",
                            "in which particles push each other: cells that are far apart at once, "
                            "or one particle after the other as published"},
    [OOZE_SPRINGS_SEED] = {"order_seed", OOZE_PARAM_INTEGER, "", 0, 1e9, 0, NULL,
                           "another number is another random order of particles"},
    [OOZE_SPRINGS_START] =
        {"spring_start", OOZE_PARAM_CHOICE, "", 0, 1, 0, "support|distance",
         "rest length of springs that particles get when they come or when their material gets "
         "springs: the support, as published, or their distance, which keeps a shape; those who "
         "meet later always begin with the support"},
    [OOZE_SPRINGS_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0, 10, 0.5,
                                       NULL, "how near a particle's centre comes to a solid (R)"},
};

static const char *const material_keys[] = {"density",
                                            "stiffness",
                                            "near_stiffness",
                                            "rest_density",
                                            "linear_viscosity",
                                            "quadratic_viscosity",
                                            "spring_stiffness",
                                            "plasticity",
                                            "plasticity_compress",
                                            "yield_ratio",
                                            "yield_ratio_compress",
                                            NULL};

/* Fields that the sweep of viscosity reads at ghosts. */
static const char *const ghost_fields[] = {"velocity", "id", "material", "nozzle", NULL};

static const OozeFieldInfo fields[] = {
    {"spring_row", OOZE_FIELD_UINT32, 1, 1, "", OOZE_LINK_ROW_NONE, true,
     "number of its row of springs; 4294967295: it has none"},
};

/* ---- memory ---------------------------------------------------------------------------------- */

static OozeStatus create(void **data, OozeError *error)
{
    OozeSpringsMemory *memory = ooze_alloc_zero(1, sizeof *memory);
    if (memory) {
        ooze_spring_table_begin(&memory->table);
        memory->named.size = memory->received.size = sizeof(OozeLink);
        memory->grid = ooze_grid_create();
    }
    if (!memory || !memory->grid) {
        ooze_free(memory);
        return ooze_fail_memory(error, "the springs method", sizeof *memory);
    }
    *data = memory;
    return OOZE_OK;
}

static void destroy(void *data)
{
    OozeSpringsMemory *memory = data;
    if (memory) {
        ooze_spring_table_free(&memory->table);
        ooze_grid_destroy(memory->grid);
        ooze_neighbours_free(&memory->near);
        ooze_neighbours_free(&memory->store_lists);
        ooze_link_rows_free(&memory->named);
        ooze_link_rows_free(&memory->received);
        ooze_split_free(&memory->split);
        ooze_halo_destroy(memory->halo);
        ooze_free(memory);
    }
}

static uint64_t bytes(const void *data)
{
    const OozeSpringsMemory *memory = data;
    return ooze_spring_table_bytes(&memory->table) + ooze_grid_bytes(memory->grid) +
           ooze_neighbours_bytes(&memory->near) + ooze_neighbours_bytes(&memory->store_lists) +
           ooze_link_rows_bytes(&memory->named) + ooze_link_rows_bytes(&memory->received) +
           ooze_split_bytes(&memory->split) + ooze_halo_bytes(memory->halo);
}

static uint32_t *rows_of(OozeParticles *particles)
{
    return ooze_particles_data(particles, ooze_particles_find_field(particles, fields[0].name));
}

static OozeStatus save(void *data, OozeFieldView *views, OozeError *error)
{
    OozeSpringsMemory *memory = data;
    return ooze_spring_table_save(&memory->table, views, error);
}

static OozeStatus restore(void *data, const OozeStepContext *c, const OozeFieldView *const *views,
                          OozeError *error)
{
    OozeSpringsMemory *memory = data;
    return ooze_spring_table_restore(&memory->table, views, rows_of(c->particles),
                                     ooze_particles_count(c->particles), error);
}

static OozeStatus keep_part(void *data, int part, int parts, OozeError *error)
{
    OozeSpringTable *table = &((OozeSpringsMemory *)data)->table;
    uint64_t rows = table->rows[0].n, begin = rows * (uint64_t)part / (uint64_t)parts,
             end = rows * ((uint64_t)part + 1) / (uint64_t)parts;
    return ooze_link_rows_keep(&table->rows[0], &table->rows[1], begin, end, error);
}

static bool may_link(const OozeStepContext *c)
{
    bool any = false;
    for (int m = 0; m < c->material_count; m++) {
        any = any || c->materials[m].values[OOZE_MATERIAL_SPRING_STIFFNESS] > 0.0;
    }
    return any;
}

/* ---- coefficients of a step ------------------------------------------------------------------ */

static OozeStatus set_coefficients(OozeSpringsStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    s->k = ooze_springs_constants(c);
    s->box = ooze_box(&c->periodic);
    s->periodic = ooze_periodic_any(&c->periodic) != 0;
    s->sequential = c->params[OOZE_SPRINGS_ORDER] == OOZE_SPRINGS_SEQUENTIAL;
    s->any_prescribed = c->prescribed != NULL;
    s->rule = ooze_springs_contact_rule(c);
    size_t materials = (size_t)c->material_count;
    s->coefficients = ooze_arena_alloc(c->arena, materials, sizeof *s->coefficients);
    if (!s->coefficients) {
        return ooze_fail_memory(error, "the springs step", materials * sizeof *s->coefficients);
    }
    s->any = ooze_springs_coefficients(c, s->coefficients);
    return OOZE_OK;
}

static OozeStatus allocate(OozeSpringsStep *s, OozeError *error)
{
    OozeArena *arena = s->context->arena;
    size_t n = s->local;
    s->x0 = ooze_arena_alloc(arena, n, sizeof *s->x0);
    s->u = ooze_arena_alloc(arena, n, sizeof *s->u);
    s->store_key = ooze_arena_alloc(arena, n, sizeof *s->store_key);
    return ooze_arena_failed(arena) ? ooze_fail_memory(error, "the springs step", n * 40) : OOZE_OK;
}

OozeStatus ooze_springs_allocate_sorted(OozeSpringsStep *s, OozeError *error)
{
    OozeArena *arena = s->context->arena;
    size_t n = s->local;
    s->p = ooze_arena_alloc(arena, n + 1, sizeof *s->p);
    s->point = ooze_arena_alloc(arena, n + 1, sizeof *s->point);
    s->material = ooze_arena_alloc(arena, n, sizeof *s->material);
    s->id = ooze_arena_alloc(arena, n, sizeof *s->id);
    s->key = ooze_arena_alloc(arena, n, sizeof *s->key);
    s->prescribed = ooze_arena_alloc(arena, n, sizeof *s->prescribed);
    s->old_row = ooze_arena_alloc(arena, n, sizeof *s->old_row);
    s->long_spring_count = ooze_arena_alloc(arena, n, sizeof *s->long_spring_count);
    return ooze_arena_failed(arena) ? ooze_fail_memory(error, "the springs step", n * 75) : OOZE_OK;
}

/* ---- prediction ------------------------------------------------------------------------------ */

static void load_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeSpringsStep *s = data;
    const OozeStepContext *c = s->context;
    const OozeFloat4 *x = s->start_x, *v = s->start_v;
    OozeF32x4 g = ooze_f32x4((float)c->gravity.x, (float)c->gravity.y, (float)c->gravity.z, 0);
    for (uint64_t i = begin; i < end; i++) {
        s->x0[i] = ooze_f32x4(x[i].x, x[i].y, x[i].z, 0);
        s->u[i] = ooze_f32x4(v[i].x, v[i].y, v[i].z, 0);
        if (!s->store_prescribed || !s->store_prescribed[i]) {
            s->u[i] += s->k.dt * g;
        }
        s->store_key[i] = ooze_springs_key(s->store_id[i], s->k.seed);
    }
}

/* Algorithm 5. The store is sorted by cells of one support. */
static OozeStatus apply_viscosity(OozeSpringsStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    OozeGridAxis axis[3];
    OozeF32x4 low = {0}, high = {0};
    if (s->local > 0) {
        low = high = s->x0[0];
    }
    for (uint64_t i = 1; i < s->local; i++) {
        low = ooze_f32x4_min(s->x0[i], low);
        high = ooze_f32x4_max(s->x0[i], high);
    }
    OozeStatus status = OOZE_OK;
    const OozeGridColumns columns = {c->support, 1, OOZE_GRID_CELLS_MAX};
    for (int k = 0; k < 3 && !status; k++) {
        status = ooze_grid_axis(&axis[k], k, &c->periodic, &columns, low[k], high[k], error);
    }
    const OozeSpringsScheduleInput input = {s->x0, s->store_key,  s->local,
                                            axis,  s->sequential, c->halo};
    status = status ? status : ooze_springs_schedule(&s->store_schedule, c, &input, error);
    if (!status) {
        ooze_springs_run(&s->store_schedule, c->threads, ooze_springs_loops()->apply_viscosity, s,
                         &s->first, (OozeSpringsValues){s->u, sizeof *s->u});
    }
    return status;
}

/* Predicted positions, wrapped into the periodic box for the sort. */
static void predict_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeSpringsStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 p = s->x0[i] + s->k.dt * s->u[i];
        OozeFloat4 wrapped =
            ooze_point_wrap((OozeFloat4){p[0], p[1], p[2], 0}, &s->context->periodic);
        s->predicted[i] = ooze_f32x4(wrapped.x, wrapped.y, wrapped.z, 0);
    }
}

static void gather_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeSpringsStep *s = data;
    for (uint64_t k = begin + s->below; k < end + s->below; k++) {
        uint32_t i = s->order[k];
        s->p[k] = s->predicted[i];
        s->material[k] = s->store_material[i];
        s->id[k] = s->store_id[i];
        s->key[k] = s->store_key[i];
        s->prescribed[k] = s->store_prescribed && s->store_prescribed[i];
        s->old_row[k] = s->row[i];
    }
}

static void reset_points_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeSpringsStep *s = data;
    for (uint64_t k = begin; k < end; k++) {
        s->point[k] = (OozeSpringsPoint){s->p[k], ooze_f32x4(0, 0, 0, 0)};
    }
}

void ooze_springs_gather(OozeSpringsStep *s)
{
    ooze_parallel_for(s->context->threads, s->n, OOZE_SPRINGS_GRAIN, gather_range, s);
}

static OozeStatus sort_particles(OozeSpringsStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    OozeStatus status =
        ooze_grid_sort(s->memory->grid, c->threads, (const OozeFloat4 *)s->predicted, s->n,
                       c->support, &c->periodic, error);
    if (!status) {
        s->order = ooze_grid_order(s->memory->grid);
        ooze_springs_gather(s);
    }
    return status;
}

static OozeStatus find_neighbours(OozeSpringsStep *s, OozeError *error)
{
    OozeSpringsMemory *memory = s->memory;
    OozeStatus status = OOZE_OK;
    if (s->context->halo) {
        ooze_springs_drop_ghosts(s);
        s->predicted = ooze_arena_alloc(s->context->arena, s->n, sizeof *s->predicted);
        status = s->predicted ? OOZE_OK : ooze_fail_memory(error, "the springs step", s->n * 16);
    } else {
        status = ooze_springs_allocate_sorted(s, error);
        s->predicted = (OozeF32x4 *)s->point; /* packed; points are reset after the sort */
    }
    if (status) {
        return status;
    }
    ooze_parallel_for(s->context->threads, s->n, OOZE_SPRINGS_GRAIN, predict_range, s);
    status = s->context->halo ? ooze_springs_enter_ranks(s, error) : sort_particles(s, error);
    if (status) {
        return status;
    }
    OozeStepContext *c = s->context;
    ooze_parallel_for(c->threads, s->local, OOZE_SPRINGS_GRAIN, reset_points_range, s);
    s->point[s->local].x = s->p[s->local] = ooze_f32x4(0, 0, 0, OOZE_SPRINGS_FAR);
    ooze_timer_lap(c->timer, "sort");
    const OozeFloat4 *p = (const OozeFloat4 *)s->p;
    status = ooze_neighbours_build(&memory->near, memory->grid, c->threads,
                                   &(OozeNeighbourQuery){p, s->local, p, c->support, true}, error);
    const OozeSpringsScheduleInput input = {s->p,          s->key, s->local, memory->grid->axis,
                                            s->sequential, c->halo};
    status = status ? status : ooze_springs_schedule(&s->predicted_schedule, c, &input, error);
    ooze_timer_lap(c->timer, "lists");
    return status;
}

/* ---- the step -------------------------------------------------------------------------------- */

static OozeStatus pull(OozeSpringsStep *s, OozeSpringsValues points, OozeError *error)
{
    OozeHalo *halo = s->context->halo;
    OozeStatus status = halo ? ooze_springs_fetch_ghost_rows(s, error) : OOZE_OK;
    if (status) {
        return status;
    }
    ooze_springs_run(&s->predicted_schedule, s->context->threads, ooze_springs_loops()->pull, s,
                     &s->first, points);
    if (halo) {
        return ooze_springs_apply_long_on_ranks(s, error);
    }
    ooze_springs_apply_long_springs(s);
    return OOZE_OK;
}

static OozeStatus step(void *data, OozeStepContext *c, OozeError *error)
{
    OozeSpringsStep s = {
        .context = c,
        .memory = data,
        .n = ooze_particles_count(c->particles),
        .row = rows_of(c->particles),
        .store_material = ooze_particles_materials(c->particles),
        .store_id = ooze_particles_ids(c->particles),
        .store_prescribed = c->prescribed,
        .store_lists = c->fluid,
        .end_x = ooze_particles_positions(c->particles),
        .end_v = ooze_particles_velocities(c->particles),
    };
    s.local = ooze_halo_local(c->halo, s.n);
    s.below = ooze_halo_below(c->halo);
    if (ooze_halo_all(c->halo, s.n) == 0) {
        ooze_spring_table_clear(&s.memory->table);
        return OOZE_OK;
    }
    OozeStatus status = set_coefficients(&s, error);
    status = status ? status : allocate(&s, error);
    if (status) {
        return status;
    }
    if (c->halo) {
        status = ooze_springs_load_ranks(&s, error);
    } else {
        s.start_x = s.end_x;
        s.start_v = s.end_v;
    }
    if (!status) {
        ooze_parallel_for(c->threads, s.local, OOZE_SPRINGS_GRAIN, load_range, &s);
    }
    ooze_timer_lap(c->timer, "load");
    status = !status && s.any.viscosity ? apply_viscosity(&s, error) : status;
    ooze_timer_lap(c->timer, "viscosity");
    status = status ? status : find_neighbours(&s, error);
    status = status ? status : ooze_springs_adjust(&s, error);
    ooze_timer_lap(c->timer, "predict");
    if (status) {
        return status;
    }
    const OozeSpringsValues points = {s.point, sizeof *s.point};
    if (s.any.springs) {
        status = pull(&s, points, error);
        ooze_timer_lap(c->timer, "springs");
    }
    if (status) {
        return status;
    }
    ooze_springs_run(&s.predicted_schedule, c->threads, ooze_springs_loops()->relax, &s, &s.first,
                     points);
    ooze_timer_lap(c->timer, "double_density");
    status = ooze_springs_collide(&s, error);
    status = status || !c->halo ? status : ooze_springs_leave_ranks(&s, c, error);
    ooze_timer_lap(c->timer, "collisions");
    return status;
}

/* ---- before a run ---------------------------------------------------------------------------- */

static const char *refuses_ranks(const OozeStepContext *c)
{
    return c->params[OOZE_SPRINGS_ORDER] == OOZE_SPRINGS_SEQUENTIAL
               ? "'order: sequential' of springs needs one process"
               : NULL;
}

/* Largest stable step in time units for the published constants. A fluid at rest stays at rest with
   steps up to 2 units and diverges at 2.8. Displacements scale with stiffness and dt^2. */
static const double LONGEST_STEP = 1.5;

static double stable_step(const OozeStepContext *c)
{
    double most = 0.0;
    for (int m = 0; m < c->material_count; m++) {
        const double *v = c->materials[m].values;
        most = fmax(most, v[OOZE_MATERIAL_STIFFNESS] / 0.004);
        most = fmax(most, v[OOZE_MATERIAL_NEAR_STIFFNESS] / 0.01);
        most = fmax(most, v[OOZE_MATERIAL_SPRING_STIFFNESS] / OOZE_SPRINGS_STIFFEST);
    }
    return most > 0.0 ? LONGEST_STEP * c->params[OOZE_SPRINGS_UNIT] / sqrt(most) : INFINITY;
}

static void advise(const OozeStepContext *c, const OozeAdvice *advice)
{
    double g = sqrt(c->gravity.x * c->gravity.x + c->gravity.y * c->gravity.y +
                    c->gravity.z * c->gravity.z);
    double unit = c->params[OOZE_SPRINGS_UNIT], ratio = c->support / c->spacing;
    for (int m = 0; m < c->material_count; m++) {
        double stiffness = c->materials[m].values[OOZE_MATERIAL_STIFFNESS] / 0.004;
        double speed = c->support / unit, sound2 = OOZE_SPRINGS_SOUND2 * stiffness * speed * speed;
        double compression = g * advice->extent / sound2;
        if (compression > OOZE_SPRINGS_COMPRESSION && stiffness > 0.0) {
            double enough = unit * sqrt(OOZE_SPRINGS_COMPRESSION / compression);
            char hint[96];
            snprintf(hint, sizeof hint, "a unit of %.2g s and steps of no more hold it", enough);
            ooze_advise(advice, -1, "unit", hint,
                        "'%s' is too soft for gravity: %.3g m of it press themselves together by a "
                        "factor of about %.2g",
                        c->materials[m].name, advice->extent, 1.0 + compression);
            break;
        }
    }
    if (fabs(ratio * OOZE_SPRINGS_BULK_SPACING - 1.0) > 0.1) {
        ooze_advise(advice, -1, "order", "leave support_ratio out",
                    "fluid of the published constants comes to rest %.3g spacings apart with a "
                    "support_ratio of %.3g: it will shrink or swell",
                    ratio * OOZE_SPRINGS_BULK_SPACING, ratio);
    }
}

/* From 1 on, all tangential velocity is lost: see ooze_contact_wet_fraction. */
static double wall_friction(const OozeSolid *solid)
{
    double friction = ooze_solid_fluid_friction(solid);
    return friction >= 1.0 ? INFINITY : friction;
}

const OozeMethod ooze_method_springs = {
    .info = {.name = "springs",
             .summary = "drops, sheets and filaments of thin fluid, clay and gel by double density "
                        "relaxation and plastic springs: fast, for splashes and play, with numbers "
                        "of the paper's own",
             .reference = "Clavet, Beaudoin and Poulin 2005, Particle-based viscoelastic fluid "
                          "simulation",
             .params = params,
             .param_count = OOZE_SPRINGS_PARAM_COUNT},
    .fields = fields,
    .field_count = 1,
    .arrays = ooze_spring_arrays,
    .array_count = OOZE_SPRING_ARRAYS,
    .material_keys = material_keys,
    .support_ratio = 1.0 / OOZE_SPRINGS_BULK_SPACING,
    .ghost_fields = ghost_fields,
    .ghost_layers = 2,
    .refuses_ranks = refuses_ranks,
    .uses_fluid_neighbours = true,
    .sticks_to_solids = true,
    .wall_friction = wall_friction,
    .pushes_solids = true,
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .save = save,
    .restore = restore,
    .keep_part = keep_part,
    .step = step,
    .stable_step = stable_step,
    .mark_linked = ooze_springs_mark_linked,
    .may_link = may_link,
    .advise = advise,
    .derive_params = ooze_springs_derive_params,
    .derive_material = ooze_springs_derive_material,
    .measured_material = ooze_springs_measured_material,
};
