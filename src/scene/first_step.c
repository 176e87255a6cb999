/* Errors that a run would report at its start or in its first step: they concern valid values that
   the methods cannot compute with. */
#include <math.h>
#include <string.h>

#include "base/system_memory.h"
#include "base/vec3.h"
#include "scene/scales.h"
#include "solids/boundary.h"
#include "solids/surface_lattice.h"
#include "world/world.h"

static const char *copy_hint(OozeScene *scene, const OozeError *error)
{
    return ooze_scene_copy(scene, error->hint, strlen(error->hint));
}

/* ---- positions and speeds -------------------------------------------------------------------- */

/* `later`: it has no effect in the first step, so that excessive speed is a warning. */
static void check_extreme(OozeScene *scene, const OozeSceneExtreme *item, const OozeNode *at,
                          const char *kind, const char *name, bool later)
{
    double spacing = scene->def.world.spacing, dt = scene->info.time_step;
    double farthest = OOZE_SPACINGS_FROM_ORIGIN_MAX * spacing;
    double fastest = OOZE_SPACINGS_PER_STEP_MAX * spacing / dt;
    if (item->distance > farthest) {
        ooze_scene_error(scene, at, "move everything nearer to the origin",
                         "%s '%s' reaches %.4g m from the origin; beyond %.3g m positions, which "
                         "are floats, do not resolve the spacing of %g m",
                         kind, name, item->distance, farthest, spacing);
    }
    if (item->speed > fastest) {
        const char *hint =
            ooze_scene_format(scene, "slow it down, or use a time step of at most %.2g s",
                              dt * fastest / item->speed);
        ooze_scene_report(
            scene, later ? OOZE_SEVERITY_WARNING : OOZE_SEVERITY_ERROR, ooze_node_place(at), hint,
            "%s '%s' moves %.3g m/s, which is %.3g spacings a step; at most %g are possible", kind,
            name, item->speed, item->speed * dt / spacing, OOZE_SPACINGS_PER_STEP_MAX);
    }
}

static void check_extremes(OozeScene *scene, const OozeWorld *world)
{
    const OozeSceneDef *def = &scene->def;
    const OozeSceneScales *scales = ooze_scene_scales(scene);
    for (int i = 0; scales && i < def->fluid_count; i++) {
        check_extreme(scene, &scales->fluids[i], ooze_scene_item_node(scene, "fluids", i), "fluid",
                      def->fluids[i].def.name, false);
    }
    for (int i = 0; scales && i < def->emitter_count; i++) {
        check_extreme(scene, &scales->emitters[i], ooze_scene_item_node(scene, "emitters", i),
                      "emitter", def->emitters[i].def.name,
                      def->emitters[i].def.start > scene->info.time_step);
    }
    for (int i = 0; i < world->solids.count && world->dynamic_count > 0; i++) {
        const OozeSolid *solid = &world->solids.items[i];
        if (solid->mass.mass > 0.0) {
            OozeSceneExtreme item = {vec3_length(solid->pose.position),
                                     vec3_length(solid->pose.velocity)};
            check_extreme(scene, &item, ooze_scene_item_node(scene, "solids", i), "dynamic solid",
                          solid->name, false);
        }
    }
}

static void check_periodic(OozeScene *scene)
{
    const OozeWorldDef *def = &scene->def.world;
    double spacing = def->spacing, farthest = OOZE_SPACINGS_FROM_ORIGIN_MAX * spacing;
    for (int axis = 0; axis < 3; axis++) {
        double low = vec3_component(def->periodic_min, axis);
        double high = vec3_component(def->periodic_max, axis);
        if (def->periodic[axis] && fmax(fabs(low), fabs(high)) > farthest) {
            ooze_scene_error(scene, ooze_node_find(scene->root, "periodic"),
                             "use a smaller box, or one that is not periodic on this axis",
                             "the periodic box goes from %g to %g m on axis %c; beyond %.3g m "
                             "positions, which are floats, do not resolve the spacing of %g m",
                             low, high, "xyz"[axis], farthest, spacing);
            return;
        }
    }
}

/* ---- emitters -------------------------------------------------------------------------------- */

static void check_emission(OozeScene *scene, OozeWorld *world)
{
    double dt = scene->info.time_step,
           end = (double)scene->info.frame_count / scene->info.frame_rate;
    double memory = ooze_available_memory() / ooze_world_bytes_per_particle(world);
    double possible = fmin(memory, (double)OOZE_PARTICLES_MAX), total = 0.0, most = 0.0;
    int largest = -1;
    for (int i = 0; i < scene->def.fluid_count; i++) {
        total += (double)scene->filled[i];
    }
    for (int i = 0; i < world->emitters.count; i++) {
        const OozeEmitter *emitter = &world->emitters.items[i];
        double begin = fmax(emitter->start, 0.0);
        double step = ooze_emitter_forecast_particles(emitter, begin, begin + dt);
        double all = ooze_emitter_forecast_particles(emitter, 0.0, end);
        if (step > possible) {
            ooze_scene_error(scene, ooze_scene_item_node(scene, "emitters", i),
                             "lower its speed or the time step",
                             "emitter '%s' would emit %.3g particles in one step; at most %.3g are "
                             "possible",
                             emitter->name, step, possible);
            return;
        }
        total += all;
        largest = all > most ? i : largest;
        most = fmax(most, all);
    }
    if (largest >= 0 && total > possible && world->sinks.count == 0) {
        ooze_scene_warn(
            scene, ooze_scene_item_node(scene, "emitters", largest),
            "give it a limit or a stop, lower its speed, or use a larger spacing",
            "with emitters, such as '%s', there would be %.3g particles at the end; the memory "
            "serves about %.3g",
            world->emitters.items[largest].name, total, possible);
    }
}

/* ---- boundary samples ------------------------------------------------------------------------ */

/* Samples of a plane or box that is sampled in cells near fluid, at least: the cells are as long as
   the period along a periodic axis, and some steps of the lattice along the others. */
static double samples_in_cells(const OozeSurfaceLattice *lattice)
{
    double count = 1.0;
    bool plane = lattice->kind == OOZE_SHAPE_PLANE;
    for (int k = 0; k < 2 && plane; k++) {
        count *= lattice->undivided[k] ? lattice->high[k] - lattice->low[k] + 1.0
                                       : (double)OOZE_CELL_STEPS;
    }
    return count;
}

/* Estimated number of boundary samples; 0: not many. `possible` is lowered to the largest number of
   this solid. */
static double sample_count(const OozeWorld *world, const OozeSolid *solid, double *possible)
{
    const double few = 1e6; /* not worth the triangles */
    double spacing = world->def.spacing;
    OozeSurfaceLattice lattice;
    if (ooze_world_find_lattice(world, solid, &lattice)) {
        return lattice.shape ? 0.0 : samples_in_cells(&lattice);
    }
    *possible = fmin(*possible, OOZE_BOUNDARY_SOLID_MAX);
    OozeBounds bounds = ooze_shape_bounds(solid->shape);
    OozeVec3 size = vec3_sub(bounds.max, bounds.min);
    double longest = fmax(size.x, fmax(size.y, size.z));
    if (!isfinite(longest) || !(longest * longest > few * spacing * spacing)) {
        return 0.0;
    }
    double count = 0.0;
    return ooze_count_samples(solid->shape, spacing, &count, NULL) ? 0.0 : count;
}

static void check_samples(OozeScene *scene, const OozeWorld *world)
{
    const double bytes = 200.0; /* of a sample: its place in the solid and the world, and lists */
    double spacing = world->def.spacing;
    for (int i = 0; i < world->solids.count && world->method->uses_boundary_neighbours; i++) {
        const OozeSolid *solid = &world->solids.items[i];
        double possible = fmin(ooze_available_memory() / bytes, OOZE_SURFACE_SAMPLES_MAX);
        double count = solid->sampled ? sample_count(world, solid, &possible) : 0.0;
        if (count > possible) {
            ooze_scene_error(scene, ooze_scene_item_node(scene, "solids", i),
                             "use a larger spacing, a smaller solid, or `sampled: false`",
                             "the surface of solid '%s' would need %.3g boundary particles at the "
                             "spacing of %g m; at most %.3g are possible",
                             solid->name, count, spacing, possible);
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static void check_method(OozeScene *scene, OozeWorld *world)
{
    OozeError error = {0};
    OozeStepContext context = ooze_world_step_context(world);
    if (world->method->check && world->method->check(&context, &error)) {
        const OozeNode *method = ooze_node_find(scene->root, "method");
        ooze_scene_error(scene, method, copy_hint(scene, &error), "%s", error.message);
    }
    ooze_arena_reset(world->arena);
}

/* What a change makes of the settings is checked by the step in which it acts. */
static void check_changes(OozeScene *scene, OozeWorld *world)
{
    for (int i = 0; i < scene->def.change_count; i++) {
        OozeError error = {0};
        if (ooze_world_check_change(world, &scene->def.changes[i].def, &error)) {
            const OozeNode *node = ooze_scene_item_node(scene, "changes", i);
            ooze_scene_error(scene, ooze_node_find(node, "set"), copy_hint(scene, &error), "%s",
                             error.message);
        }
    }
}

/* Probes are measured before the first step. */
static void check_probes(OozeScene *scene, OozeWorld *world)
{
    OozeError error = {0};
    if (!scene->counted && ooze_world_measure(world, false, &error)) {
        ooze_scene_error(scene, ooze_node_find(scene->root, "probes"), copy_hint(scene, &error),
                         "%s", error.message);
    }
}

void ooze_scene_check_first_step(OozeScene *scene, OozeWorld *world)
{
    check_extremes(scene, world);
    check_periodic(scene);
    check_emission(scene, world);
    check_samples(scene, world);
    check_method(scene, world);
    check_changes(scene, world);
    check_probes(scene, world);
}
