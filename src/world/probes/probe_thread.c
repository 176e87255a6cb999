/* The probe of a thread: fluid that is drawn out along an axis between two ends, thins, breaks and
   retracts. Its parts are connected components; radii follow from the volume of slices. */
#include "base/fail.h"
#include "base/memory.h"
#include "world/probes/probe_points.h"

enum { LOWER, UPPER, ENDS };

/* Columns. */
enum {
    CONNECTED,
    GAP,
    LENGTH, /* of LOWER, UPPER */
    RADIUS = LENGTH + ENDS,
    RADIUS_HEIGHT,
    RADIUS_MIDDLE,
    BREAK_TIME,
    RETRACTION /* of LOWER, UPPER */
};

/* The tip of a broken thread: its outermost part, in spacings. */
static const double tip_length = 3.0;
/* Bounds the memory of a definition with a long reach of contact. */
static const double slices_max = 1 << 20;

/* One end of the thread. Heights are along the axis, above the probe's point. `outward` is -1 at
   the lower end and 1 at the upper end: a point is beyond the end where outward (h - height) > 0.
 */
typedef struct End {
    double outward;
    const OozeSolid *solid; /* NULL: the end is a height */
    OozePose pose;          /* of the solid */
    double height;          /* m; NAN: no particle touches the solid */
    double speed;           /* m/s along the axis */
} End;

/* Particles: those selected at first, then those between the ends. */
typedef struct Thread {
    const OozeProbeView *view;
    End ends[ENDS];
    uint64_t n;
    OozeFloat4 *points;
    double *height, *speed; /* m, m/s along the axis */
    double *distance[ENDS]; /* m from the end; negative beyond it or inside the solid */
    uint32_t *root;         /* of the particle's component */
    uint8_t *touches;       /* by root: bit e is set where the component touches end e */
} Thread;

static const uint8_t both_ends = 1 << LOWER | 1 << UPPER;

static uint8_t component_touches(const Thread *thread, uint64_t i)
{
    return thread->touches[thread->root[i]];
}

/* ---- particles ---------------------------------------------------------------------------- */

static void read_one(void *context, uint64_t i, uint64_t place)
{
    const Thread *thread = context;
    const OozeProbeDef *def = &thread->view->probe->def;
    OozeVec3 x = probe_position(thread->view, i);
    thread->height[place] = vec3_dot(vec3_sub(x, def->point), def->axis);
    thread->speed[place] = vec3_dot(probe_velocity(thread->view, i), def->axis);
    for (int e = 0; e < ENDS; e++) {
        const End *end = &thread->ends[e];
        if (end->solid) {
            thread->distance[e][place] =
                ooze_shape_distance(end->solid->shape, ooze_pose_to_local(&end->pose, x), NULL);
        }
    }
}

static OozeStatus allocate(Thread *thread, uint64_t count, OozeError *error)
{
    thread->height = ooze_alloc(count, sizeof *thread->height);
    thread->speed = ooze_alloc(count, sizeof *thread->speed);
    thread->distance[LOWER] = ooze_alloc(count, sizeof *thread->distance[LOWER]);
    thread->distance[UPPER] = ooze_alloc(count, sizeof *thread->distance[UPPER]);
    thread->root = ooze_alloc(count, sizeof *thread->root);
    thread->touches = ooze_alloc_zero(count, sizeof *thread->touches);
    return thread->height && thread->speed && thread->distance[LOWER] && thread->distance[UPPER] &&
                   thread->root && thread->touches
               ? OOZE_OK
               : ooze_fail_memory(error, "a thread", count * sizeof *thread->height);
}

static void free_thread(Thread *thread)
{
    ooze_free(thread->points);
    ooze_free(thread->height);
    ooze_free(thread->speed);
    ooze_free(thread->distance[LOWER]);
    ooze_free(thread->distance[UPPER]);
    ooze_free(thread->root);
    ooze_free(thread->touches);
}

/* ---- ends --------------------------------------------------------------------------------- */

/* False: the solid is not in the frame, or its shape is unknown. */
static bool open_end(const OozeProbeView *view, const char *solid, double outward, End *end)
{
    const OozeProbeContext *c = view->context;
    *end = (End){.outward = outward, .height = NAN};
    if (!solid[0]) {
        return true;
    }
    int i = ooze_probe_find_solid(c->frame, solid);
    if (i < 0 || i >= c->solid_count) {
        return false;
    }
    end->solid = &c->solids[i];
    end->pose = ooze_pose_from_public(&c->frame->solids[i].pose);
    return true;
}

/* A flat plate normal to the axis is the distance of any particle before it away. Of the particles
   that touch a solid the innermost surface counts: fluid may also touch its sides. */
static void place_on_solid(Thread *thread, int e)
{
    const OozeProbeDef *def = &thread->view->probe->def;
    End *end = &thread->ends[e];
    double reach = def->contact * thread->view->spacing;
    for (uint64_t i = 0; i < thread->n; i++) {
        double d = thread->distance[e][i], height = thread->height[i] + end->outward * d;
        if (d <= reach && !(end->outward * (height - end->height) >= 0.0)) {
            end->height = height;
        }
    }
    OozeVec3 place = vec3_madd(def->point, isnan(end->height) ? 0.0 : end->height, def->axis);
    end->speed = vec3_dot(ooze_pose_velocity_at(&end->pose, place), def->axis);
}

/* NAN is replaced by the outermost particle's height and half a spacing. */
static void place_at_height(Thread *thread, int e, double given)
{
    End *end = &thread->ends[e];
    end->height = given;
    for (uint64_t i = 0; i < thread->n && isnan(given); i++) {
        double height = thread->height[i] + 0.5 * end->outward * thread->view->spacing;
        if (!(end->outward * (height - end->height) <= 0.0)) {
            end->height = height;
        }
    }
    for (uint64_t i = 0; i < thread->n; i++) {
        thread->distance[e][i] = end->outward * (end->height - thread->height[i]);
    }
}

static void place_ends(Thread *thread)
{
    const OozeProbeDef *def = &thread->view->probe->def;
    const double given[ENDS] = {def->from, def->to};
    for (int e = 0; e < ENDS; e++) {
        if (thread->ends[e].solid) {
            place_on_solid(thread, e);
        } else {
            place_at_height(thread, e, given[e]);
        }
    }
}

/* Particles may be slightly inside a solid at an end. */
static bool is_between(const Thread *thread, uint64_t i)
{
    bool between = true;
    for (int e = 0; e < ENDS; e++) {
        const End *end = &thread->ends[e];
        double beyond = end->outward * (thread->height[i] - end->height);
        double allowed = end->solid ? 0.5 * thread->view->spacing : 0.0;
        between = between && !(beyond > allowed);
    }
    return between;
}

static void keep_between(Thread *thread)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < thread->n; i++) {
        if (is_between(thread, i)) {
            thread->points[kept] = thread->points[i];
            thread->height[kept] = thread->height[i];
            thread->speed[kept] = thread->speed[i];
            thread->distance[LOWER][kept] = thread->distance[LOWER][i];
            thread->distance[UPPER][kept] = thread->distance[UPPER][i];
            kept++;
        }
    }
    thread->n = kept;
}

/* ---- readings ----------------------------------------------------------------------------- */

static bool mark_components(Thread *thread)
{
    double reach = thread->view->probe->def.contact * thread->view->spacing;
    bool connected = false;
    for (uint64_t i = 0; i < thread->n; i++) {
        for (int e = 0; e < ENDS; e++) {
            if (thread->distance[e][i] <= reach) {
                thread->touches[thread->root[i]] |= (uint8_t)(1 << e);
            }
        }
        connected = connected || component_touches(thread, i) == both_ends;
    }
    return connected;
}

/* Slices of equal thickness from a height on; the volume of fluid in each. */
typedef struct Slices {
    double start, thickness; /* m */
    int64_t count;
    double *volume; /* m3 */
} Slices;

/* A particle is a slab of one spacing along the axis: the layers of a lattice then fill slices
   evenly, whatever their heights. */
static void add_slab(Slices *slices, double height, double spacing, double volume)
{
    double low = (height - 0.5 * spacing - slices->start) / slices->thickness;
    double high = (height + 0.5 * spacing - slices->start) / slices->thickness;
    double last = (double)slices->count;
    if (!(high > 0.0) || !(low < last)) {
        return;
    }
    double density = volume / (high - low);
    low = fmax(low, 0.0);
    high = fmin(high, last);
    for (int64_t k = (int64_t)low; k < slices->count && (double)k < high; k++) {
        double part = fmin(high, (double)(k + 1)) - fmax(low, (double)k);
        slices->volume[k] += density * part;
    }
}

static void fill_slices(const Thread *thread, Slices *slices)
{
    for (uint64_t i = 0; i < thread->n; i++) {
        if (component_touches(thread, i) == both_ends) {
            add_slab(slices, thread->height[i], thread->view->spacing, thread->view->volume);
        }
    }
}

static double radius_of(double volume, double length)
{
    return sqrt(volume / length / acos(-1.0));
}

/* The thinnest slice between the margins, and the middle third of the gap. */
static OozeStatus measure_radii(const Thread *thread, double *values, OozeError *error)
{
    const OozeProbeDef *def = &thread->view->probe->def;
    double low = thread->ends[LOWER].height, gap = thread->ends[UPPER].height - low;
    double middle = 0.0;
    Slices third = {low + gap / 3.0, gap / 3.0, 1, &middle};
    if (gap > 0.0) {
        fill_slices(thread, &third);
        values[RADIUS_MIDDLE] = radius_of(middle, third.thickness);
    }
    double margin = def->margin * thread->view->spacing;
    double length = gap - 2.0 * margin, wanted = def->slice * thread->view->spacing;
    if (!(length >= 0.5 * wanted)) {
        return OOZE_OK;
    }
    double count = fmin(fmax(1.0, rint(length / wanted)), slices_max);
    Slices slices = {.start = low + margin, .count = (int64_t)count};
    slices.thickness = length / (double)slices.count;
    slices.volume = ooze_alloc_zero((uint64_t)slices.count, sizeof *slices.volume);
    if (!slices.volume) {
        return ooze_fail_memory(error, "the slices of a thread",
                                (uint64_t)slices.count * sizeof *slices.volume);
    }
    fill_slices(thread, &slices);
    int64_t thinnest = 0;
    for (int64_t k = 1; k < slices.count; k++) {
        thinnest = slices.volume[k] < slices.volume[thinnest] ? k : thinnest;
    }
    values[RADIUS] = radius_of(slices.volume[thinnest], slices.thickness);
    values[RADIUS_HEIGHT] = slices.start + ((double)thinnest + 0.5) * slices.thickness;
    ooze_free(slices.volume);
    return OOZE_OK;
}

/* How far the fluid at an end reaches inwards; the mean speed of its tip towards the end. */
static void measure_end(const Thread *thread, int e, bool connected, double *values)
{
    const End *end = &thread->ends[e];
    double spacing = thread->view->spacing, reach = -INFINITY;
    for (uint64_t i = 0; i < thread->n; i++) {
        if (component_touches(thread, i) & 1 << e) {
            reach = fmax(reach, end->outward * (end->height - thread->height[i]));
        }
    }
    bool any = reach > -INFINITY;
    double length = any ? reach + 0.5 * spacing : 0.0;
    values[LENGTH + e] = length;
    if (!any || connected) {
        return;
    }
    double sum = 0.0, count = 0.0;
    for (uint64_t i = 0; i < thread->n; i++) {
        double inward = end->outward * (end->height - thread->height[i]);
        if ((component_touches(thread, i) & 1 << e) && inward > length - tip_length * spacing) {
            sum += thread->speed[i];
            count += 1.0;
        }
    }
    values[RETRACTION + e] = end->outward * (sum / count - end->speed);
}

/* Keeps the time of the first reading at which a connected thread is no longer connected. */
static void update_break(double *state, bool connected, double time)
{
    if (connected && state[OOZE_PROBE_THREAD_PHASE] == 0.0) {
        state[OOZE_PROBE_THREAD_PHASE] = 1.0;
    } else if (!connected && state[OOZE_PROBE_THREAD_PHASE] == 1.0) {
        state[OOZE_PROBE_THREAD_PHASE] = 2.0;
        state[OOZE_PROBE_THREAD_BREAK_TIME] = time;
    }
}

static OozeStatus measure(Thread *thread, double *values, double *state, OozeError *error)
{
    const OozeProbeView *view = thread->view;
    uint64_t n;
    OozeStatus status = ooze_probe_each(view, false, read_one, thread, &n, error);
    if (!status) {
        place_ends(thread);
        keep_between(thread);
    }
    if (!status && thread->n > 0) {
        status = ooze_probe_find_components(view, thread->points, thread->n, thread->root, error);
    }
    if (status) {
        return status;
    }
    bool connected = mark_components(thread);
    values[CONNECTED] = connected ? 1.0 : 0.0;
    values[GAP] = thread->ends[UPPER].height - thread->ends[LOWER].height;
    for (int e = 0; e < ENDS; e++) {
        measure_end(thread, e, connected, values);
    }
    update_break(state, connected, view->context->frame->time);
    if (state[OOZE_PROBE_THREAD_PHASE] == 2.0) {
        values[BREAK_TIME] = state[OOZE_PROBE_THREAD_BREAK_TIME];
    }
    return connected ? measure_radii(thread, values, error) : OOZE_OK;
}

OozeStatus ooze_probe_thread(const OozeProbeView *view, double *values, double *state,
                             OozeError *error)
{
    const OozeProbeDef *def = &view->probe->def;
    Thread thread = {.view = view};
    if (!open_end(view, def->lower, -1.0, &thread.ends[LOWER]) ||
        !open_end(view, def->upper, 1.0, &thread.ends[UPPER])) {
        return OOZE_OK;
    }
    bool finite = false;
    OozeStatus status = ooze_probe_gather(view, false, &thread.points, &thread.n, &finite, error);
    if (!status && finite) {
        status = allocate(&thread, thread.n, error);
        status = status ? status : measure(&thread, values, state, error);
    }
    free_thread(&thread);
    return status;
}
