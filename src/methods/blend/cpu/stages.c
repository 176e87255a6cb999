/* Stages of the blend method on the processor. */
#include <string.h>

#include "methods/blend/cpu/loops.h"

static void run(OozeBlendStep *s, OozeRangeBody body)
{
    ooze_parallel_for(s->machine->context->threads, s->machine->n, OOZE_BLEND_GRAIN, body, s);
}

/* ---- particles ------------------------------------------------------------------------------ */

static void load_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeBlendStep *s = data;
    const OozeStepContext *c = s->machine->context;
    const OozeFloat4 *x = ooze_particles_positions(c->particles);
    const OozeFloat4 *v = ooze_particles_velocities(c->particles);
    for (uint64_t i = begin; i < end; i++) {
        s->x[i] = ooze_f32x4(x[i].x, x[i].y, x[i].z, 0);
        s->u[i] = ooze_f32x4(v[i].x, v[i].y, v[i].z, 0);
        if (i >= s->machine->n) {
            continue; /* the state of ghosts is that of their owners */
        }
        const OozeBlendMaterial *m = &s->materials[s->material[i]];
        const OozeMaterial *own = &c->materials[s->material[i]];
        float share = ooze_blend_share(m, own->table, own->table_count, s->phase ? s->phase[i] : 0,
                                       s->temperature ? s->temperature[i] : 0.0);
        s->state[i] = (OozeBlendState){0, 0, m->viscosity, share};
    }
}

static OozeStatus load(OozeBlendStep *s, OozeError *error)
{
    const float far = 1e18f; /* padding of lists */
    const uint64_t local = s->machine->local;
    s->x = ooze_machine_alloc(s->machine, local, sizeof *s->x);
    s->u = ooze_machine_alloc(s->machine, local, sizeof *s->u);
    OozeStatus status = ooze_machine_status(s->machine, "the blend step", error);
    if (status) {
        return status;
    }
    ooze_parallel_for(s->machine->context->threads, local, OOZE_BLEND_GRAIN, load_range, s);
    s->x[local] = ooze_f32x4(far, far, far, 0);
    s->u[local] = s->shape[local] = ooze_f32x4(0, 0, 0, 0);
    s->state[local] = (OozeBlendState){0, 0, 0, 0};
    return OOZE_OK;
}

/* The reference shape as neighbours compare it; particles without one share no region. */
static void shape_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeBlendStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        const OozeFloat4 *q = &s->reference[i];
        s->elastic[i] = ooze_blend_is_elastic(s->reference_step[i], s->state[i].fluid_share);
        s->shape[i] = ooze_f32x4(q->x, q->y, q->z, ooze_blend_shape_tag(s->reference_step[i]));
    }
}

static void set_shapes(OozeBlendStep *s)
{
    run(s, shape_range);
}

static void sum_densities(OozeBlendStep *s)
{
    run(s, ooze_blend_loops()->sum_density);
}

static void sum_forces(OozeBlendStep *s)
{
    run(s, ooze_blend_loops()->sum_forces);
}

static void rotation_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeBlendStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        if (s->slot[i] != OOZE_BLEND_SLOT_NONE) {
            const uint32_t region = s->regions->region_of[s->slot[i]];
            s->rotation[i] = ooze_match_write_rotation(s->matching.rotation[region]);
        }
    }
}

static void store(OozeBlendStep *s)
{
    const uint64_t n = s->machine->n;
    OozeParticles *particles = s->machine->context->particles;
    memcpy(ooze_particles_positions(particles), s->next_x, n * sizeof *s->next_x);
    memcpy(ooze_particles_velocities(particles), s->next_u, n * sizeof *s->next_u);
    memcpy(s->external, s->next_external, n * sizeof *s->external);
    run(s, rotation_range);
}

/* ---- regions -------------------------------------------------------------------------------- */

static void run_cells(OozeBlendStep *s, OozeRangeBody body)
{
    enum { GRAIN = 16 };
    ooze_parallel_for(s->machine->context->threads, s->regions->cells, GRAIN, body, &s->matching);
}

static void run_slots(OozeBlendStep *s, OozeRangeBody body)
{
    enum { GRAIN = 128 };
    ooze_parallel_for(s->machine->context->threads, s->regions->n, GRAIN, body, &s->matching);
}

static void fit_cells(OozeBlendStep *s)
{
    run_cells(s, ooze_matching_loops()->sum_cells);
    run_cells(s, ooze_matching_loops()->fit_cells);
}

static void fit_cell_velocities(OozeBlendStep *s)
{
    run_cells(s, ooze_matching_loops()->sum_cell_velocities);
    run_cells(s, ooze_matching_loops()->fit_cell_velocities);
}

static void pull_cells(OozeBlendStep *s)
{
    run_cells(s, ooze_matching_loops()->pull_cells);
}

static void fit_particles(OozeBlendStep *s)
{
    run_slots(s, ooze_matching_loops()->fit_particles);
}

static void pull_particles(OozeBlendStep *s)
{
    run_slots(s, ooze_matching_loops()->pull_particles);
}

const OozeBlendStages ooze_blend_stages = {
    .load = load,
    .measure_gate = ooze_blend_measure_gate,
    .take_positions = ooze_blend_take_positions,
    .regions_fit = ooze_blend_regions_fit,
    .build_regions = ooze_blend_build_regions,
    .set_shapes = set_shapes,
    .find_walls = ooze_blend_find_walls,
    .sum_densities = sum_densities,
    .sum_forces = sum_forces,
    .place_points = ooze_blend_place_points,
    .sharing = &ooze_blend_sharing_stages,
    .fit_cells = fit_cells,
    .fit_cell_velocities = fit_cell_velocities,
    .pull_cells = pull_cells,
    .fit_particles = fit_particles,
    .pull_particles = pull_particles,
    .move = ooze_blend_move,
    .load_solids = ooze_blend_load_solids,
    .store = store,
    .sums_per_cell = OOZE_BLEND_NEAR,
};
