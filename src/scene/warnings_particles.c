/* Warnings that depend on the particles: fluid inside solids or sinks, overlapping fluids,
   particles outside the periodic box, fluids without particles. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "particles/neighbours.h"
#include "scene/scene.h"
#include "solids/fill.h"
#include "solids/shape_formula.h"
#include "world/world.h"

/* The particles of a freshly built world, and which fluid each belongs to. */
typedef struct Particles {
    uint64_t count;
    const OozeFloat4 *position;
    const uint64_t *id;
    uint64_t first_id;
    const uint64_t *filled; /* particles of each fluid, in order of their ids */
    int fluid_count;
    double spacing; /* of the particles: larger than the scene's where they are a sample */
} Particles;

/* The fluid of a particle; -1: it was not added by the scene. */
static int fluid_of(const Particles *p, uint64_t i)
{
    uint64_t rank = p->id[i] - p->first_id;
    for (int fluid = 0; fluid < p->fluid_count; fluid++) {
        if (rank < p->filled[fluid]) {
            return fluid;
        }
        rank -= p->filled[fluid];
    }
    return -1;
}

static void check_empty(OozeScene *scene)
{
    for (int i = 0; i < scene->def.fluid_count; i++) {
        if (scene->filled[i] == 0) {
            ooze_scene_warn(
                scene, ooze_scene_item_node(scene, "fluids", i),
                "enlarge the shape, or make the spacing smaller",
                "fluid '%s' holds no particle: its shape is thinner than the spacing of "
                "%g m",
                scene->def.fluids[i].def.name, scene->def.world.spacing);
        }
    }
}

static void check_solid(OozeScene *scene, const Particles *p, const OozeSolid *solid,
                        uint64_t *inside)
{
    double tolerance = 1e-3 * p->spacing; /* rounding of positions kept as floats */
    memset(inside, 0, (size_t)p->fluid_count * sizeof *inside);
    for (uint64_t i = 0; i < p->count; i++) {
        OozeVec3 x = vec3(p->position[i].x, p->position[i].y, p->position[i].z);
        int fluid = fluid_of(p, i);
        if (fluid >= 0 && ooze_solid_contact(solid, x).distance < -tolerance) {
            inside[fluid]++;
        }
    }
    for (int fluid = 0; fluid < p->fluid_count; fluid++) {
        bool meant = scene->def.fluids[fluid].def.body == OOZE_BODY_SOFT; /* fixed to the solid */
        if (inside[fluid] > 0 && !meant && scene->counted) {
            ooze_scene_warn(scene, ooze_scene_item_node(scene, "fluids", fluid),
                            "move one of them, or make the fluid smaller",
                            "about %.2g %% of fluid '%s' stand inside solid '%s'",
                            100.0 * (double)inside[fluid] / (double)p->filled[fluid],
                            scene->def.fluids[fluid].def.name, solid->name);
        } else if (inside[fluid] > 0 && !meant) {
            ooze_scene_warn(scene, ooze_scene_item_node(scene, "fluids", fluid),
                            "move one of them, or make the fluid smaller",
                            "%llu of the %llu particles of fluid '%s' stand inside solid '%s'",
                            (unsigned long long)inside[fluid], (unsigned long long)p->filled[fluid],
                            scene->def.fluids[fluid].def.name, solid->name);
        }
    }
}

static double total_count(const OozeScene *scene)
{
    double total = 0.0;
    for (int i = 0; i < scene->def.fluid_count; i++) {
        total += (double)scene->filled[i];
    }
    return total;
}

static void check_box(OozeScene *scene, const Particles *p, const OozePeriodic *periodic)
{
    uint64_t outside = 0;
    for (uint64_t i = 0; i < p->count; i++) {
        const float x[3] = {p->position[i].x, p->position[i].y, p->position[i].z};
        bool out = false;
        for (int axis = 0; axis < 3; axis++) {
            float low = periodic->min[axis], length = periodic->length[axis];
            out = out || (length > 0.0f && !(x[axis] >= low && x[axis] <= low + length));
        }
        outside += out;
    }
    if (outside > 0) {
        double share = (double)outside / (double)p->count;
        ooze_scene_warn(scene, ooze_node_find(scene->root, "periodic"),
                        "they enter again at the other side, perhaps into other fluid",
                        "%.0f particles stand outside the periodic box",
                        scene->counted ? share * total_count(scene) : (double)outside);
    }
}

/* ---- overlap --------------------------------------------------------------------------------- */

/* For each fluid, the number of its particles within half a spacing of a particle of an earlier
   fluid, and the index of that fluid. */
static void count_overlaps(const Particles *p, const uint32_t *order, const OozeNeighbours *near,
                           uint64_t *count, int *other)
{
    for (uint64_t k = 0; k < near->n; k++) {
        int fluid = fluid_of(p, order[k]);
        for (uint32_t j = 0; fluid >= 0 && j < near->count[k]; j++) {
            int neighbour = fluid_of(p, order[near->index[near->first[k] + j]]);
            if (neighbour >= 0 && neighbour < fluid) {
                count[fluid]++;
                other[fluid] = neighbour;
                break;
            }
        }
    }
}

static OozeStatus find_overlaps(OozeScene *scene, OozeWorld *world, const Particles *p,
                                OozeFloat4 *sorted, OozeGrid *grid, OozeError *error)
{
    double reach = 0.5 * p->spacing;
    OozePeriodic open = {0};
    OozeStatus status =
        ooze_grid_sort(grid, world->threads, p->position, p->count, reach, &open, error);
    if (status) {
        return status;
    }
    const uint32_t *order = ooze_grid_order(grid);
    for (uint64_t k = 0; k < p->count; k++) {
        sorted[k] = p->position[order[k]];
    }
    OozeNeighbours near = {0};
    status =
        ooze_neighbours_build(&near, grid, world->threads,
                              &(OozeNeighbourQuery){sorted, p->count, sorted, reach, true}, error);
    uint64_t *count = ooze_scene_alloc(scene, (size_t)p->fluid_count, sizeof *count);
    int *other = ooze_scene_alloc(scene, (size_t)p->fluid_count, sizeof *other);
    if (!status && count && other) {
        count_overlaps(p, order, &near, count, other);
        for (int fluid = 0; fluid < p->fluid_count; fluid++) {
            if (count[fluid] > 0) {
                ooze_scene_warn(
                    scene, ooze_scene_item_node(scene, "fluids", fluid),
                    "move one of them: particles this close push apart violently",
                    "fluid '%s' overlaps fluid '%s': %s%.0f particles are nearer than "
                    "half a spacing",
                    scene->def.fluids[fluid].def.name, scene->def.fluids[other[fluid]].def.name,
                    scene->counted ? "about " : "",
                    (double)count[fluid] * (double)scene->filled[fluid] / (double)p->filled[fluid]);
            }
        }
    }
    ooze_neighbours_free(&near);
    return status;
}

static OozeStatus check_overlaps(OozeScene *scene, OozeWorld *world, const Particles *p,
                                 OozeError *error)
{
    if (p->fluid_count < 2 || p->count < 2) {
        return OOZE_OK;
    }
    enum { PADDING = 16 }; /* elements past the end that vector loads may read */
    OozeFloat4 *sorted = ooze_alloc_zero(p->count + PADDING, sizeof *sorted);
    OozeGrid *grid = ooze_grid_create();
    OozeStatus status = sorted && grid
                            ? find_overlaps(scene, world, p, sorted, grid, error)
                            : ooze_fail_memory(error, "looking for overlaps", p->count * 16);
    ooze_grid_destroy(grid);
    ooze_free(sorted);
    return status;
}

/* ---- sample ---------------------------------------------------------------------------------- */

/* Lattices of a larger spacing in all fluids of a scene that was counted; owns its arrays. */
typedef struct Sample {
    OozeFloat4 *position;
    uint64_t *id, *filled;
    uint64_t count;
    double spacing;
} Sample;

static void free_sample(Sample *sample)
{
    ooze_free(sample->position);
    ooze_free(sample->id);
    ooze_free(sample->filled);
}

static OozeStatus append_points(Sample *sample, const OozeVec3 *points, uint64_t n,
                                OozeError *error)
{
    enum { PADDING = 16 }; /* elements past the end that vector loads may read */
    uint64_t count = sample->count + n;
    OozeFloat4 *position =
        ooze_grow(sample->position, sample->count, count + PADDING, sizeof *position);
    sample->position = position ? position : sample->position;
    uint64_t *id = ooze_grow(sample->id, sample->count, count + PADDING, sizeof *id);
    sample->id = id ? id : sample->id;
    if (!position || !id) {
        return ooze_fail_memory(error, "a sample of the fluids", count * sizeof *position);
    }
    for (uint64_t i = 0; i < n; i++) {
        position[sample->count + i] =
            (OozeFloat4){(float)points[i].x, (float)points[i].y, (float)points[i].z, 0.0f};
        id[sample->count + i] = sample->count + i;
    }
    sample->count = count;
    return OOZE_OK;
}

static OozeStatus sample_fluid(const OozeScene *scene, const OozeFluidDef *def, Sample *sample,
                               uint64_t *filled, OozeError *error)
{
    OozeShape *shape = NULL;
    OozeVec3 *points = NULL;
    OozeStatus status =
        ooze_shape_create(&def->shape, scene->def.world.up, sample->spacing, &shape, error);
    if (status) {
        return status;
    }
    OozeFillRequest request = {
        .shape = shape,
        .pose = {.position = def->shape.position, .rotation = quat_unit(def->shape.rotation)},
        .fill = OOZE_FILL_LATTICE,
        .spacing = sample->spacing,
        .limit = OOZE_PARTICLES_MAX,
    };
    status = ooze_fill(&request, filled, &points, error);
    status = status ? status : append_points(sample, points, *filled, error);
    ooze_free(points);
    ooze_shape_destroy(shape);
    return status;
}

static OozeStatus sample_fluids(const OozeScene *scene, Sample *sample, OozeError *error)
{
    const double wanted = 5e4;
    double ratio = cbrt(total_count(scene) / wanted);
    sample->spacing = scene->def.world.spacing * fmax(ratio, 1.0);
    sample->filled = ooze_alloc_zero((size_t)scene->def.fluid_count, sizeof *sample->filled);
    OozeStatus status = sample->filled ? OOZE_OK : ooze_fail_memory(error, "fluids", 0);
    for (int i = 0; i < scene->def.fluid_count && !status; i++) {
        status = sample_fluid(scene, &scene->def.fluids[i].def, sample, &sample->filled[i], error);
    }
    return status;
}

/* ---- sinks ----------------------------------------------------------------------------------- */

/* Fluids and nozzles inside a sink: their particles are removed as soon as they are there. */
static void check_sink(OozeScene *scene, const Particles *p, int index, const OozeSink *sink,
                       uint64_t *inside)
{
    static const char *const hint = "move the sink or make it smaller, or let it start later";
    const OozeNode *at = ooze_scene_item_node(scene, "sinks", index);
    OozeBounds bounds = ooze_shape_bounds(sink->shape);
    memset(inside, 0, (size_t)p->fluid_count * sizeof *inside);
    for (uint64_t i = 0; ooze_sink_is_open(sink, 0.0) && i < p->count; i++) {
        OozeVec3 x = vec3(p->position[i].x, p->position[i].y, p->position[i].z);
        int fluid = fluid_of(p, i);
        if (fluid >= 0 && ooze_placed_contains(sink->shape, &sink->pose, &bounds, x)) {
            inside[fluid]++;
        }
    }
    for (int fluid = 0; fluid < p->fluid_count; fluid++) {
        if (inside[fluid] > 0 && inside[fluid] == p->filled[fluid]) {
            ooze_scene_warn(scene, at, hint,
                            "sink '%s' holds all of fluid '%s', and removes it in the first step",
                            sink->name, scene->def.fluids[fluid].def.name);
        }
    }
    for (int i = 0; i < scene->def.emitter_count; i++) {
        const OozeEmitterDef *emitter = &scene->def.emitters[i].def;
        if (ooze_sink_is_open(sink, fmax(emitter->start, 0.0)) &&
            ooze_placed_contains(sink->shape, &sink->pose, &bounds, emitter->position)) {
            ooze_scene_warn(scene, at, hint,
                            "sink '%s' holds emitter '%s', and removes what it emits", sink->name,
                            emitter->name);
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static OozeStatus check_all(OozeScene *scene, OozeWorld *world, const Particles *p,
                            OozeError *error)
{
    check_empty(scene);
    check_box(scene, p, &world->periodic);
    uint64_t *inside = ooze_scene_alloc(scene, (size_t)p->fluid_count, sizeof *inside);
    for (int i = 0; inside && i < world->solids.count; i++) {
        if (world->solids.items[i].params[OOZE_SOLID_COLLIDES] != 0.0) {
            check_solid(scene, p, &world->solids.items[i], inside);
        }
    }
    for (int i = 0; inside && i < world->sinks.count; i++) {
        check_sink(scene, p, i, &world->sinks.items[i], inside);
    }
    OozeStatus status = ooze_scene_check_bodies(scene, world, error);
    return status ? status : check_overlaps(scene, world, p, error);
}

OozeStatus ooze_scene_check_particles(OozeScene *scene, OozeWorld *world, OozeError *error)
{
    Sample sample = {.spacing = scene->def.world.spacing};
    OozeStatus status = scene->counted ? sample_fluids(scene, &sample, error) : OOZE_OK;
    Particles p = {
        .count = scene->counted ? sample.count : ooze_particles_count(world->particles),
        .position = scene->counted ? sample.position : ooze_particles_positions(world->particles),
        .id = scene->counted ? sample.id : ooze_particles_ids(world->particles),
        .filled = scene->counted ? sample.filled : scene->filled,
        .fluid_count = scene->def.fluid_count,
        .spacing = sample.spacing,
    };
    p.first_id = p.count > 0 ? p.id[0] : 0;
    for (uint64_t i = 0; i < p.count; i++) {
        p.first_id = p.id[i] < p.first_id ? p.id[i] : p.first_id;
    }
    status = status ? status : check_all(scene, world, &p, error);
    free_sample(&sample);
    return status;
}
