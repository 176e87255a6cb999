/* Stages of the springs method on the processor. */
#include "base/fail.h"
#include "methods/springs/cpu/loops.h"

/* Position of the padding particle of neighbour lists, along the fourth axis. */
#define FAR 1e18f

static void run(OozeSpringsStep *s, uint64_t count, OozeRangeBody body)
{
    ooze_parallel_for(s->machine->context->threads, count, OOZE_SPRINGS_GRAIN, body, s);
}

/* ---- beginning ------------------------------------------------------------------------------- */

static void load_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeSpringsStep *s = data;
    const OozeFloat4 *x = s->end.x, *v = s->end.u;
    const OozeVec3 gravity = s->machine->context->gravity;
    OozeF32x4 g = ooze_f32x4((float)gravity.x, (float)gravity.y, (float)gravity.z, 0);
    for (uint64_t i = begin; i < end; i++) {
        s->x0[i] = ooze_f32x4(x[i].x, x[i].y, x[i].z, 0);
        s->u[i] = ooze_f32x4(v[i].x, v[i].y, v[i].z, 0);
        if (!s->store_prescribed || !s->store_prescribed[i]) {
            s->u[i] += s->k.dt * g;
        }
        s->store_key[i] = ooze_springs_key(s->store_id[i], s->k.seed);
    }
}

static OozeStatus load(OozeSpringsStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const OozeStepContext *c = machine->context;
    s->end.x = ooze_particles_positions(c->particles);
    s->end.u = ooze_particles_velocities(c->particles);
    s->below = ooze_halo_below(c->halo);
    s->store_lists = c->fluid;
    s->x0 = ooze_machine_alloc(machine, machine->local, sizeof *s->x0);
    OozeStatus status = ooze_machine_status(machine, "the springs step", error);
    status = !status && c->halo ? ooze_springs_load_ranks(s, error) : status;
    if (!status) {
        run(s, machine->local, load_range);
    }
    return status;
}

/* Algorithm 5. The store is sorted by cells of one support. */
static OozeStatus apply_viscosity(OozeSpringsStep *s, OozeError *error)
{
    OozeStepContext *c = s->machine->context;
    OozeGridAxis axis[3];
    OozeF32x4 low = {0}, high = {0};
    if (s->machine->local > 0) {
        low = high = s->x0[0];
    }
    for (uint64_t i = 1; i < s->machine->local; i++) {
        low = ooze_f32x4_min(s->x0[i], low);
        high = ooze_f32x4_max(s->x0[i], high);
    }
    OozeStatus status = OOZE_OK;
    const OozeGridColumns columns = {c->support, 1, OOZE_GRID_CELLS_MAX};
    for (int k = 0; k < 3 && !status; k++) {
        status = ooze_grid_axis(&axis[k], k, &c->periodic, &columns, low[k], high[k], error);
    }
    OozeSpringsSchedule *schedule = &s->memory->store_schedule;
    status = status ? status : ooze_springs_schedule(s, schedule, s->x0, s->store_key, axis, error);
    if (!status) {
        ooze_springs_run(s, schedule, ooze_springs_loops()->apply_viscosity, s->u, sizeof *s->u);
    }
    return status;
}

/* ---- predicted positions -------------------------------------------------------------------- */

/* Predicted positions, wrapped into the periodic box for the sort. */
static void predict_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeSpringsStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 p = s->x0[i] + s->k.dt * s->u[i];
        OozeFloat4 wrapped = ooze_point_wrap((OozeFloat4){p[0], p[1], p[2], 0}, &s->periodic);
        s->memory->predicted[i] = ooze_f32x4(wrapped.x, wrapped.y, wrapped.z, 0);
    }
}

/* The stage `sort` finds ghosts and rows of the predicted positions. */
static OozeStatus follow(OozeSpringsStep *s, bool *complete, OozeError *error)
{
    (void)s;
    (void)error;
    *complete = true;
    return OOZE_OK;
}

static void gather_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeSpringsStep *s = data;
    for (uint64_t k = begin + s->below; k < end + s->below; k++) {
        uint32_t i = s->order[k];
        s->p[k] = s->memory->predicted[i];
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
    run(s, s->machine->n, gather_range);
}

static OozeStatus sort_particles(OozeSpringsStep *s, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    const OozeFloat4 *predicted = (const OozeFloat4 *)s->memory->predicted;
    OozeStatus status = ooze_grid_sort(s->memory->grid, c->threads, predicted, s->machine->n,
                                       c->support, &c->periodic, error);
    if (!status) {
        s->order = ooze_grid_order(s->memory->grid);
        ooze_springs_gather(s);
    }
    return status;
}

static OozeStatus sort(OozeSpringsStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const bool shared = machine->context->halo != NULL;
    OozeStatus status = shared ? OOZE_OK : ooze_springs_allocate_sorted(s, error);
    if (shared) {
        ooze_springs_drop_ghosts(s);
        s->memory->predicted = ooze_machine_alloc(machine, machine->n, sizeof(OozeF32x4));
        status = ooze_machine_status(machine, "the springs step", error);
    } else {
        s->memory->predicted = (OozeF32x4 *)s->point; /* packed; points are reset after the sort */
    }
    if (status) {
        return status;
    }
    run(s, machine->n, predict_range);
    status = shared ? ooze_springs_enter_ranks(s, error) : sort_particles(s, error);
    if (!status) {
        run(s, machine->local, reset_points_range);
        s->point[machine->local].x = s->p[machine->local] = ooze_f32x4(0, 0, 0, FAR);
    }
    return status;
}

static OozeStatus find_neighbours(OozeSpringsStep *s, OozeError *error)
{
    OozeSpringsMemory *memory = s->memory;
    const OozeStepContext *c = s->machine->context;
    const uint64_t local = s->machine->local;
    const OozeFloat4 *p = (const OozeFloat4 *)s->p;
    OozeStatus status =
        ooze_neighbours_build(&memory->near, memory->grid, c->threads,
                              &(OozeNeighbourQuery){p, local, p, c->support, true}, error);
    return status ? status
                  : ooze_springs_schedule(s, &memory->predicted_schedule, s->p, s->key,
                                          memory->grid->axis, error);
}

/* ---- sweeps --------------------------------------------------------------------------------- */

static void sweep_points(OozeSpringsStep *s, OozeRangeBody body)
{
    ooze_springs_run(s, &s->memory->predicted_schedule, body, s->point, sizeof *s->point);
}

static OozeStatus pull(OozeSpringsStep *s, OozeError *error)
{
    OozeStatus status =
        s->machine->context->halo ? ooze_springs_fetch_ghost_rows(s, error) : OOZE_OK;
    if (!status) {
        sweep_points(s, ooze_springs_loops()->pull);
    }
    return status;
}

static void relax(OozeSpringsStep *s)
{
    sweep_points(s, ooze_springs_loops()->relax);
}

const OozeSpringsStages ooze_springs_stages = {
    .load = load,
    .apply_viscosity = apply_viscosity,
    .follow = follow,
    .sort = sort,
    .find_neighbours = find_neighbours,
    .update_springs = ooze_springs_update,
    .clear_springs = ooze_springs_clear,
    .number_rows = ooze_springs_number_rows,
    .pull = pull,
    .pull_long = ooze_springs_pull_long,
    .relax = relax,
    .find_near = ooze_springs_find_near,
    .collide_near = ooze_springs_collide_near,
    .solve_bodies = ooze_springs_solve_bodies,
    .collide = ooze_springs_collide_particles,
    .sum_lost = ooze_springs_sum_lost,
    .change_velocities = ooze_springs_change_velocities,
    .leave = ooze_springs_leave_ranks,
};
