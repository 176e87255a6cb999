/* Warnings of nozzles: narrow ones, and ones that emit into one another. */
#include <math.h>

#include "base/vec3.h"
#include "scene/scales.h"
#include "solids/motion.h"
#include "world/world.h"

/* Times at which the nozzles of a scene are compared, and the comparisons of points at most: many
   large nozzles are compared at fewer times. */
enum { TIMES_MAX = 64 };
#define COMPARISONS_MAX 2e8

/* Nearer than this, in spacings, particles of two nozzles overlap; the share of a layer that may:
   adjoining outlines, and drops that merge as they leave. */
#define OVERLAP_DISTANCE 0.5
#define OVERLAP_SHARE    0.5

static void check_width(OozeScene *scene)
{
    double spacing = scene->def.world.spacing;
    for (int i = 0; i < scene->def.emitter_count; i++) {
        const OozeEmitterDef *emitter = &scene->def.emitters[i].def;
        double width = ooze_nozzle_width(emitter);
        if (width < 3.0 * spacing * (1.0 - 1e-9)) {
            ooze_scene_warn(scene, ooze_scene_item_node(scene, "emitters", i),
                            "widen it, or make the spacing smaller",
                            "the nozzle '%s' is %.2g spacings wide; below 3 the jet is poorly "
                            "resolved",
                            emitter->name, width / spacing);
        }
    }
}

/* ---- overlaps -------------------------------------------------------------------------------- */

/* Radius of a ball around the nozzle's centre that holds a layer. */
static double reach_of(const OozeEmitter *emitter)
{
    double square = 0.0;
    for (uint64_t i = 0; i < emitter->pattern.count; i++) {
        OozeVec3 p = emitter->pattern.points[i];
        square = fmax(square, p.x * p.x + p.y * p.y);
    }
    return sqrt(square);
}

/* Whether a point lies in a layer of the nozzle, within half a spacing of one of its particles
   across the jet and, along it, between the ends of the nozzle. */
static bool is_in_layer(const OozeEmitter *emitter, const OozePose *frame, OozeVec3 point)
{
    OozeVec3 p = ooze_pose_to_local(frame, point);
    double distance = OVERLAP_DISTANCE * emitter->spacing;
    if (p.z > distance || p.z < -emitter->length - distance) {
        return false;
    }
    for (uint64_t i = 0; i < emitter->pattern.count; i++) {
        double x = p.x - emitter->pattern.points[i].x, y = p.y - emitter->pattern.points[i].y;
        if (x * x + y * y < distance * distance) {
            return true;
        }
    }
    return false;
}

/* Whether more than a border of a layer of `a` leaves within the other nozzle. */
static bool emits_into(const OozeEmitter *a, const OozeEmitter *b, double time)
{
    OozePose from = ooze_emitter_pose(a, time), to = ooze_emitter_pose(b, time);
    uint64_t inside = 0;
    for (uint64_t i = 0; i < a->pattern.count; i++) {
        OozeVec3 exit = vec3(a->pattern.points[i].x, a->pattern.points[i].y, 0.0);
        inside += is_in_layer(b, &to, ooze_pose_to_world(&from, exit));
    }
    return (double)inside > OVERLAP_SHARE * (double)a->pattern.count;
}

/* The time at which two nozzles that are both open first overlap; NAN: they do not. */
static double first_overlap(const OozeScene *scene, const OozeEmitter *a, const OozeEmitter *b,
                            int times)
{
    double start = fmax(fmax(a->start, b->start), 0.0);
    double stop = fmin(fmin(a->stop, b->stop), scene->def.duration);
    double reach = reach_of(a) + reach_of(b) + fmax(a->length, b->length) + a->spacing;
    for (int k = 0; start < stop && k < times; k++) {
        double time = start + (stop - start) * k / times;
        OozeVec3 apart =
            vec3_sub(ooze_emitter_pose(a, time).position, ooze_emitter_pose(b, time).position);
        bool near = vec3_dot(apart, apart) < reach * reach;
        if (near && (emits_into(a, b, time) || emits_into(b, a, time))) {
            return time;
        }
    }
    return NAN;
}

/* Warns of the first nozzle that overlaps an earlier one, and counts the others. */
static void check_overlaps(OozeScene *scene, const OozeWorld *world)
{
    double points = 0.0;
    for (int i = 0; i < world->emitters.count; i++) {
        points += (double)world->emitters.items[i].pattern.count;
    }
    double fits = points > 0.0 ? floor(COMPARISONS_MAX / (points * points)) : 0.0;
    int times = (int)fmin(fits, TIMES_MAX), overlaps = 0, first = 0, into = 0;
    double at = NAN;
    for (int i = 0; i < world->emitters.count; i++) {
        const OozeEmitter *emitter = &world->emitters.items[i];
        double time = NAN;
        for (int k = 0; isnan(time) && emitter->state.speed > 0.0 && k < i; k++) {
            const OozeEmitter *other = &world->emitters.items[k];
            time = other->state.speed > 0.0 ? first_overlap(scene, emitter, other, times) : NAN;
            if (!isnan(time) && overlaps++ == 0) {
                first = i;
                into = k;
                at = time;
            }
        }
    }
    if (overlaps > 0) {
        const char *others =
            overlaps > 1 ? ooze_scene_format(scene, " (and %d more)", overlaps - 1) : "";
        ooze_scene_warn(scene, ooze_scene_item_node(scene, "emitters", first),
                        "move one of them, or open them at different times",
                        "the nozzle '%s' emits into the nozzle '%s' at %.3g s%s: their particles "
                        "overlap and burst apart",
                        world->emitters.items[first].name, world->emitters.items[into].name, at,
                        others ? others : "");
    }
}

void ooze_scene_check_nozzles(OozeScene *scene, const OozeWorld *world)
{
    check_width(scene);
    check_overlaps(scene, world);
}
