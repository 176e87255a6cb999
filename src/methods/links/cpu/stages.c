/* Stages of the links method on the processor. */
#include <math.h>
#include <string.h>

#include "methods/links/cpu/loops.h"
#include "methods/links/particle_formula.h"

static const char name[] = "the links step";

/* ---- beginning ------------------------------------------------------------------------------- */

void ooze_links_update_solids(OozeLinksStep *s)
{
    const OozeStepContext *c = s->machine->context;
    OozeLinksSolid *solids = s->poses;
    for (int k = 0; k < c->solid_count; k++) {
        const OozePose *pose = &c->solids[k].pose;
        OozeVec3 o = pose->position;
        solids[k].origin = ooze_f32x4((float)o.x, (float)o.y, (float)o.z, 0);
        for (int m = 0; m < 3; m++) {
            OozeVec3 axis = quat_rotate(pose->rotation, vec3(m == 0, m == 1, m == 2));
            solids[k].axes[m] = ooze_f32x4((float)axis.x, (float)axis.y, (float)axis.z, 0);
        }
        solids[k].has_friction = ooze_solid_fluid_friction(&c->solids[k]) > 0.0;
        solids[k].smooths = solids[k].has_friction && !ooze_solid_is_dynamic(&c->solids[k]);
    }
}

/* Of ghosts x0 alone. */
static void load_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    const OozeFloat4 *x = s->end.x, *v = s->end.u;
    for (uint64_t i = begin; i < end; i++) {
        s->x0[i] = ooze_f32x4(x[i].x, x[i].y, x[i].z, 0);
        if (i >= s->machine->n) {
            continue;
        }
        const OozeLinksMaterial *own = &s->materials[s->store_material[i]];
        s->u[i] = ooze_f32x4(v[i].x, v[i].y, v[i].z, 0);
        s->elastic[i] = ooze_links_is_elastic(own, s->phase, i);
        s->store_inverse_mass[i] = s->prescribed && s->prescribed[i] ? 0.0f : own->inverse_mass;
    }
}

/* What loops may leave out. */
static void find_kind(OozeLinksStep *s)
{
    const OozeStepContext *c = s->machine->context;
    s->even = s->same_extension = true;
    for (int m = 0; m < c->material_count; m++) {
        s->even = s->even && s->materials[m].inverse_mass == 1.0f;
        s->same_extension = s->same_extension &&
                            !(c->temperature && c->materials[m].table_count > 0) &&
                            s->materials[m].extension == s->materials[0].extension;
    }
    for (uint64_t i = 0; s->prescribed && s->even && i < s->machine->n; i++) {
        s->even = !s->prescribed[i];
    }
    s->even = !ooze_halo_any(c->halo, !s->even);
    s->any_elastic = memchr(s->elastic, 1, s->machine->n) != NULL;
}

static OozeStatus load(OozeLinksStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const OozeStepContext *c = machine->context;
    s->end.x = ooze_particles_positions(c->particles);
    s->end.u = ooze_particles_velocities(c->particles);
    s->wraps = ooze_periodic_any(&s->periodic) != 0;
    s->x0 = ooze_machine_alloc(machine, machine->local, sizeof *s->x0);
    s->poses = ooze_machine_alloc(machine, (uint64_t)c->solid_count, sizeof *s->poses);
    OozeStatus status = ooze_machine_status(machine, name, error);
    if (!status) {
        ooze_links_update_solids(s);
        s->x0[machine->local] = ooze_f32x4(0, 0, 0, OOZE_LINKS_FAR);
        ooze_parallel_for(c->threads, machine->local, OOZE_LINKS_GRAIN, load_range, s);
        find_kind(s);
    }
    return status;
}

/* ---- XSPH ------------------------------------------------------------------------------------ */

static OozeStatus find_densities(OozeLinksStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const uint64_t pairs = machine->context->fluid->first[machine->n];
    s->value = ooze_machine_alloc(machine, pairs, sizeof *s->value);
    OozeStatus status = ooze_machine_status(machine, "smoothed velocities", error);
    if (!status) {
        s->store_inverse_mass[machine->local] = 1.0f;
        s->moving[machine->local] = ooze_f32x4(0, 0, 0, 1);
        ooze_links_run(s, ooze_links_smooth_loops()->densities);
    }
    return status;
}

static void smooth(OozeLinksStep *s)
{
    ooze_links_run(s, ooze_links_smooth_loops()->smooth);
}

/* ---- predicted positions -------------------------------------------------------------------- */

static void predict_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    const OozeVec3 gravity = s->machine->context->gravity;
    const OozeF32x4 g = ooze_f32x4((float)gravity.x, (float)gravity.y, (float)gravity.z, 0);
    for (uint64_t i = begin; i < end; i++) {
        if (!s->prescribed || !s->prescribed[i]) {
            s->u[i] += s->k.dt * g;
        }
        s->change[i] = ooze_links_predicted(s->x0[i], s->u[i], s->k.dt, &s->periodic);
    }
}

static void predict(OozeLinksStep *s)
{
    ooze_links_run(s, predict_range);
}

/* The extension of a particle at its temperature. */
static float extension_at(const OozeLinksStep *s, uint32_t i)
{
    const OozeStepContext *c = s->machine->context;
    const OozeMaterial *own = &c->materials[s->store_material[i]];
    if (!c->temperature || own->table_count == 0) {
        return s->materials[s->store_material[i]].extension;
    }
    double per_step, rate;
    ooze_material_extension_at(own, s->temperature[i], &per_step, &rate);
    return (float)ooze_links_extension(c->dt, c->whole_step, per_step, rate);
}

static void gather_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    for (uint64_t k = begin; k < end; k++) {
        uint32_t i = s->order[k];
        s->x[k] = s->change[i];
        s->shift[k] = ooze_f32x4(0, 0, 0, 0);
        s->effective_inverse_mass[k] = s->materials[s->store_material[i]].inverse_mass;
        s->inverse_mass[k] = s->store_inverse_mass[i];
        s->extension[k] = extension_at(s, i);
        s->is_elastic[k] = s->elastic[i];
        s->old_row[k] = s->row[i];
        s->is_new[k] = s->row[i] == OOZE_LINK_ROW_NONE;
        s->material[k] = s->store_material[i];
    }
}

void ooze_links_gather(OozeLinksStep *s)
{
    ooze_links_run(s, gather_range);
}

static OozeStatus sort_particles(OozeLinksStep *s, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    OozeGrid *grid = s->memory->grid;
    OozeStatus status = ooze_links_allocate_sorted(s, error);
    status = status ? status
                    : ooze_grid_sort(grid, c->threads, (const OozeFloat4 *)s->change, s->machine->n,
                                     c->support, &c->periodic, error);
    if (!status) {
        s->order = ooze_grid_order(grid);
        ooze_links_gather(s);
    }
    return status;
}

static OozeStatus sort(OozeLinksStep *s, OozeError *error)
{
    OozeStatus status =
        s->machine->context->halo ? ooze_links_enter_ranks(s, error) : sort_particles(s, error);
    if (status) {
        return status;
    }
    const uint64_t padding = s->machine->local;
    s->x[padding] = ooze_f32x4(0, 0, 0, OOZE_LINKS_FAR);
    s->x_lambda[padding] = ooze_f32x4(0, 0, 0, 0);
    s->inverse_mass[padding] = s->effective_inverse_mass[padding] = s->share[padding] = 0.0f;
    s->extension[padding] = 1.0f;
    s->is_elastic[padding] = 0;
    return OOZE_OK;
}

/* The stage `sort` finds ghosts and rows of the predicted positions. */
static OozeStatus follow(OozeLinksStep *s, bool *complete, OozeError *error)
{
    (void)s;
    (void)error;
    *complete = true;
    return OOZE_OK;
}

/* Particles are divided in that order already. */
static void order_excess(OozeLinksStep *s)
{
    (void)s;
}

static OozeStatus find_neighbours(OozeLinksStep *s, OozeError *error)
{
    OozeLinksMemory *memory = s->memory;
    const OozeStepContext *c = s->machine->context;
    const uint64_t n = s->machine->n;
    const OozeFloat4 *x = (const OozeFloat4 *)s->x;
    const OozeNeighbourQuery query = {x, n, x, c->support, true};
    OozeStatus status = c->halo ? ooze_halo_lists(c->halo, &memory->table.near[1], memory->grid,
                                                  c->threads, &query, &c->periodic, error)
                                : ooze_neighbours_build(&memory->table.near[1], memory->grid,
                                                        c->threads, &query, error);
    if (!status && s->k.samples) {
        status = ooze_neighbours_build(
            &memory->near_walls, c->boundary->grid, c->threads,
            &(OozeNeighbourQuery){x, n, c->boundary->position, c->support, false}, error);
        if (!status) { /* samples may have other neighbours than at the beginning */
            status = ooze_boundary_measure(c->boundary, c->threads, &memory->near_walls, error);
        }
    }
    return status;
}

/* ---- links ----------------------------------------------------------------------------------- */

static OozeStatus control_walls(OozeLinksStep *s, OozeError *error)
{
    OozeStatus status = ooze_links_control_walls(s, error);
    if (!status) {
        ooze_link_table_swap(&s->memory->table);
    }
    return status;
}

static void clear_links(OozeLinksStep *s)
{
    ooze_link_table_clear(&s->memory->table);
}

static void number_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    for (uint64_t k = begin; k < end; k++) {
        uint64_t number = ooze_halo_index(s->machine->context->halo, k);
        s->row[s->order[k]] = s->lost ? OOZE_LINK_ROW_NONE : (uint32_t)number;
    }
}

static void number_rows(OozeLinksStep *s)
{
    ooze_links_run(s, number_range);
}

/* ---- end ------------------------------------------------------------------------------------- */

static void store_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    OozeFloat4 *end_x = s->end.x, *end_u = s->end.u;
    for (uint64_t k = begin; k < end; k++) {
        uint32_t i = s->order[k];
        OozeF32x4 u = s->u[i] + s->shift[k] / s->k.dt,
                  p = s->x0[i] + (s->k.dt * s->u[i] + s->shift[k]);
        end_x[i] = (OozeFloat4){p[0], p[1], p[2], 0};
        end_u[i] = (OozeFloat4){u[0], u[1], u[2], 0};
    }
}

static void store(OozeLinksStep *s)
{
    ooze_links_run(s, store_range);
}

const OozeLinksStages ooze_links_stages = {
    .couple = ooze_links_couple,
    .load = load,
    .find_densities = find_densities,
    .smooth = smooth,
    .predict = predict,
    .follow = follow,
    .sort = sort,
    .find_neighbours = find_neighbours,
    .control_links = ooze_links_control,
    .control_walls = control_walls,
    .clear_links = clear_links,
    .number_rows = number_rows,
    .begin_solve = ooze_links_begin_solve,
    .find_near = ooze_links_find_near,
    .find_multipliers = ooze_links_find_multipliers,
    .push_solids = ooze_links_push_solids,
    .correct = ooze_links_correct,
    .push_out = ooze_links_push_out,
    .push_back = ooze_links_move_solids,
    .hold = ooze_links_hold,
    .order_excess = order_excess,
    .store = store,
    .leave = ooze_links_leave_ranks,
    .load_solids = ooze_links_load_solids,
};
