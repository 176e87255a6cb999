/* The table of probe kinds; creation of probes and their measurement. */
#include "world/probes/probe.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "world/probes/probe_kind.h"

enum { COLUMNS_MAX = 18 };

const OozeProbeKindInfo ooze_probe_kinds[OOZE_PROBE_KIND_COUNT] = {
    [OOZE_PROBE_COUNT] = {"count", "number of particles", "material", NULL},
    [OOZE_PROBE_CENTRE] = {"centre", "centre of mass", "material", NULL},
    [OOZE_PROBE_MOMENTUM] = {"momentum", "linear momentum", "material", NULL},
    [OOZE_PROBE_ANGULAR_MOMENTUM] = {"angular_momentum", "angular momentum about a point",
                                     "material point", NULL},
    [OOZE_PROBE_ENERGY] = {"energy", "kinetic energy, and potential energy above a point",
                           "material point", NULL},
    [OOZE_PROBE_HEIGHT] = {"height", "percentile of the height above a point along an axis",
                           "material point axis percentile", NULL},
    [OOZE_PROBE_SPREAD] = {"spread", "percentile of the distance from an axis through a point",
                           "material point axis percentile", NULL},
    [OOZE_PROBE_DENSITY] = {"density", "density relative to rest: mean, error, worst excess",
                            "material", NULL},
    [OOZE_PROBE_COMPONENTS] = {"components", "connected pieces: number, share of the largest",
                               "material link_length", NULL},
    [OOZE_PROBE_DRIFT] = {"drift", "RMS distance from the best rigid fit to the start", "material",
                          "rest_position"},
    [OOZE_PROBE_PROFILE] = {"profile", "velocity along a line, averaged in bins",
                            "material point end bins width", NULL},
    [OOZE_PROBE_AZIMUTH] = {"azimuth",
                            "turns of the contact centroid about an axis, and its radius",
                            "material point axis contact sinking", NULL},
    [OOZE_PROBE_SOLVER] = {"solver", "residual, iterations, density errors and substeps of steps",
                           "", NULL},
    [OOZE_PROBE_HEAT] = {"heat", "temperatures: mean, lowest, highest; heat above 0 degC",
                         "material", "temperature"},
    [OOZE_PROBE_SOLID] = {"solid",
                          "a solid: position, velocity, spin, angular momentum, and force and "
                          "torque of the particles on it",
                          "solid", NULL},
    [OOZE_PROBE_THREAD] = {"thread",
                           "fluid drawn out between two ends: lengths, radii, time of the break, "
                           "speed of retraction",
                           "material point axis lower upper from to link_length contact slice "
                           "margin",
                           NULL},
};

const char *const ooze_probe_state_names[OOZE_PROBE_STATE_COUNT] = {
    [OOZE_PROBE_AZIMUTH_SEEN] = "azimuth_seen",
    [OOZE_PROBE_AZIMUTH_TURNS] = "azimuth_turns",
    [OOZE_PROBE_AZIMUTH_LAST] = "azimuth_last",
    [OOZE_PROBE_SOLVER_STEPPED] = "solver_stepped",
    [OOZE_PROBE_SOLVER_RESIDUAL] = "solver_residual",
    [OOZE_PROBE_SOLVER_ITERATIONS] = "solver_iterations",
    [OOZE_PROBE_SOLVER_DENSITY] = "solver_density",
    [OOZE_PROBE_SOLVER_DENSITY_MEAN] = "solver_density_mean",
    [OOZE_PROBE_SOLVER_SUBSTEPS] = "solver_sub_steps",
    [OOZE_PROBE_SOLVER_UNCONVERGED] = "solver_unmet",
    [OOZE_PROBE_THREAD_PHASE] = "thread_phase",
    [OOZE_PROBE_THREAD_BREAK_TIME] = "thread_break_time",
};

/* Columns end at the first NULL; a profile has these columns for each bin. */
typedef struct Kind {
    OozeProbeMeasure measure;
    bool velocity; /* needs the velocity field */
    const char *columns[COLUMNS_MAX + 1];
    const char *units[COLUMNS_MAX + 1];
} Kind;

static const Kind kinds[OOZE_PROBE_KIND_COUNT] = {
    [OOZE_PROBE_COUNT] = {ooze_probe_sum, false, {"count"}, {""}},
    [OOZE_PROBE_CENTRE] = {ooze_probe_sum, false, {"x", "y", "z"}, {"m", "m", "m"}},
    [OOZE_PROBE_MOMENTUM] = {ooze_probe_sum, true, {"x", "y", "z"}, {"kg m/s", "kg m/s", "kg m/s"}},
    [OOZE_PROBE_ANGULAR_MOMENTUM] = {ooze_probe_sum,
                                     true,
                                     {"x", "y", "z"},
                                     {"kg m2/s", "kg m2/s", "kg m2/s"}},
    [OOZE_PROBE_ENERGY] = {ooze_probe_sum, true, {"kinetic", "potential"}, {"J", "J"}},
    [OOZE_PROBE_HEIGHT] = {ooze_probe_percentile, false, {"height"}, {"m"}},
    [OOZE_PROBE_SPREAD] = {ooze_probe_percentile, false, {"spread"}, {"m"}},
    [OOZE_PROBE_DENSITY] = {ooze_probe_density,
                            false,
                            {"mean", "error", "excess", "interior_error", "interior_share"},
                            {"", "", "", "", ""}},
    [OOZE_PROBE_COMPONENTS] = {ooze_probe_components, false, {"count", "largest"}, {"", ""}},
    [OOZE_PROBE_DRIFT] = {ooze_probe_drift, false, {"drift"}, {"m"}},
    [OOZE_PROBE_PROFILE] = {ooze_probe_profile, true, {"vx", "vy", "vz"}, {"m/s", "m/s", "m/s"}},
    [OOZE_PROBE_AZIMUTH] = {ooze_probe_azimuth, true, {"turns", "radius"}, {"turns", "m"}},
    [OOZE_PROBE_SOLVER] = {ooze_probe_solver,
                           false,
                           {"residual", "iterations", "density", "density_mean", "substeps",
                            "residual_max", "iterations_max", "density_max", "density_mean_max",
                            "substeps_max", "unconverged", "multigrid"},
                           {"", "", "", "", "", "", "", "", "", "", "", ""}},
    [OOZE_PROBE_HEAT] = {ooze_probe_heat,
                         false,
                         {"mean", "min", "max", "total"},
                         {"degC", "degC", "degC", "J"}},
    [OOZE_PROBE_SOLID] = {ooze_probe_solid,
                          false,
                          {"x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz", "lx", "ly", "lz",
                           "fx", "fy", "fz", "tx", "ty", "tz"},
                          {"m", "m", "m", "m/s", "m/s", "m/s", "deg/s", "deg/s", "deg/s", "kg m2/s",
                           "kg m2/s", "kg m2/s", "N", "N", "N", "N m", "N m", "N m"}},
    [OOZE_PROBE_THREAD] = {ooze_probe_thread,
                           true,
                           {"connected", "gap", "lower_length", "upper_length", "radius",
                            "radius_height", "radius_middle", "break_time", "lower_retraction",
                            "upper_retraction"},
                           {"", "m", "m", "m", "m", "m", "m", "s", "m/s", "m/s"}},
};

OozeProbeDef ooze_probe_def_default(void)
{
    return (OozeProbeDef){
        .name = "probe",
        .kind = OOZE_PROBE_COUNT,
        .material = {-1},
        .percentile = NAN,
        .bins = 20,
        .link_length = 1.6,
        .contact = 2.0,
        .from = NAN,
        .to = NAN,
        .slice = 1.0,
        .margin = 2.0,
    };
}

/* ---- creation --------------------------------------------------------------------------- */

static bool uses_axis(OozeProbeKind kind)
{
    return kind == OOZE_PROBE_HEIGHT || kind == OOZE_PROBE_SPREAD || kind == OOZE_PROBE_AZIMUTH ||
           kind == OOZE_PROBE_THREAD;
}

static bool uses_links(OozeProbeKind kind)
{
    return kind == OOZE_PROBE_COMPONENTS || kind == OOZE_PROBE_THREAD;
}

static bool uses_contact(OozeProbeKind kind)
{
    return kind == OOZE_PROBE_AZIMUTH || kind == OOZE_PROBE_THREAD;
}

static bool uses_percentile(OozeProbeKind kind)
{
    return kind == OOZE_PROBE_HEIGHT || kind == OOZE_PROBE_SPREAD;
}

static OozeStatus check_place(const OozeProbeDef *def, OozeError *error)
{
    if (!vec3_is_finite(def->point) || !vec3_is_finite(def->end) || !vec3_is_finite(def->axis)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use finite numbers",
                         "probe '%s' has a point, end or axis that is not a finite number",
                         def->name);
    }
    if (uses_axis(def->kind) && !isfinite(vec3_length(def->axis))) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give a direction of about unit length",
                         "the axis of probe '%s' is too long to have a direction", def->name);
    }
    return OOZE_OK;
}

static OozeStatus check_profile(const OozeProbeDef *def, OozeError *error)
{
    double length = vec3_length(vec3_sub(def->end, def->point));
    if (!(length > 0.0) || !isfinite(length)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give the line two different ends",
                         "the line of profile probe '%s' has no length", def->name);
    }
    if (def->bins < 1 || def->bins > OOZE_PROBE_BINS_MAX) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "twenty bins serve most profiles",
                         "profile probe '%s' has %d bins; 1 to %d are possible", def->name,
                         def->bins, OOZE_PROBE_BINS_MAX);
    }
    if (!(def->width >= 0.0) || !isfinite(def->width)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "0 means one kernel support",
                         "profile probe '%s' has width %g; it must be 0 or more", def->name,
                         def->width);
    }
    return OOZE_OK;
}

static bool is_named(const char *name)
{
    return name && name[0];
}

static OozeStatus check_thread(const OozeProbeDef *def, OozeError *error)
{
    if ((is_named(def->lower) && !isnan(def->from)) || (is_named(def->upper) && !isnan(def->to))) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "an end is a solid or a height",
                         "thread probe '%s' has both %s", def->name,
                         is_named(def->lower) && !isnan(def->from) ? "'lower' and 'from'"
                                                                   : "'upper' and 'to'");
    }
    if (isinf(def->from) || isinf(def->to) || def->from >= def->to) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give finite heights along the axis",
                         "thread probe '%s' runs from %g m to %g m", def->name, def->from, def->to);
    }
    if (!(def->slice >= OOZE_PROBE_SLICE_MIN && def->slice <= OOZE_PROBE_SLICE_MAX)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "one spacing serves most threads",
                         "thread probe '%s' has slices of %g spacings; %g to %g are possible",
                         def->name, def->slice, OOZE_PROBE_SLICE_MIN, OOZE_PROBE_SLICE_MAX);
    }
    if (!(def->margin >= 0.0 && def->margin <= OOZE_PROBE_MARGIN_MAX)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "two spacings leave out the feet",
                         "thread probe '%s' has a margin of %g spacings; 0 to %g are possible",
                         def->name, def->margin, OOZE_PROBE_MARGIN_MAX);
    }
    return OOZE_OK;
}

static OozeStatus check_numbers(const OozeProbeDef *def, OozeError *error)
{
    if (uses_percentile(def->kind) && !(def->percentile >= 0.0 && def->percentile <= 100.0)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use a number from 0 to 100",
                         "probe '%s' asks for percentile %g", def->name, def->percentile);
    }
    if (uses_links(def->kind) &&
        !(def->link_length > 0.0 && def->link_length <= OOZE_PROBE_LINK_MAX)) {
        return ooze_fail(
            error, OOZE_ERROR_ARGUMENT, "1.6 links neighbours in any direction",
            "probe '%s' has link_length %g spacings; above 0 and up to %g are possible", def->name,
            def->link_length, OOZE_PROBE_LINK_MAX);
    }
    if (uses_contact(def->kind) && !(def->contact > 0.0 && isfinite(def->contact))) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "2 spacings catch what touches",
                         "probe '%s' has contact %g spacings; it must be above 0", def->name,
                         def->contact);
    }
    if (def->kind == OOZE_PROBE_AZIMUTH && !(def->sinking >= 0.0 && isfinite(def->sinking))) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "0 counts everything",
                         "probe '%s' has sinking %g m/s; it must be 0 or more", def->name,
                         def->sinking);
    }
    return OOZE_OK;
}

static OozeStatus check_def(const OozeProbeDef *def, OozeError *error)
{
    if (!def->name || !def->name[0]) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "its columns are named after it",
                         "a probe has no name");
    }
    if ((unsigned)def->kind >= OOZE_PROBE_KIND_COUNT) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use one of OozeProbeKind",
                         "probe '%s' is of the unknown kind %d", def->name, (int)def->kind);
    }
    if (def->material.index < -1) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "-1 means all materials",
                         "probe '%s' asks for material %d", def->name, def->material.index);
    }
    if (def->kind == OOZE_PROBE_SOLID && (!def->solid || !def->solid[0])) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "name a solid of the world",
                         "probe '%s' does not say which solid it is about", def->name);
    }
    OozeStatus status = check_place(def, error);
    if (!status && def->kind == OOZE_PROBE_PROFILE) {
        status = check_profile(def, error);
    }
    if (!status && def->kind == OOZE_PROBE_THREAD) {
        status = check_thread(def, error);
    }
    return status ? status : check_numbers(def, error);
}

/* "NAME.column", or "NAME.bin.column" for a profile. */
static bool make_columns(OozeProbe *probe)
{
    const Kind *kind = &kinds[probe->def.kind];
    int width = 0;
    while (kind->columns[width]) {
        width++;
    }
    bool profile = probe->def.kind == OOZE_PROBE_PROFILE;
    probe->column_count = profile ? width * probe->def.bins : width;
    size_t count = (size_t)probe->column_count;
    probe->columns = ooze_alloc_zero(count, sizeof *probe->columns);
    probe->units = ooze_alloc_zero(count, sizeof *probe->units);
    probe->values = ooze_alloc(count, sizeof *probe->values);
    if (!probe->columns || !probe->units || !probe->values) {
        return false;
    }
    for (int i = 0; i < probe->column_count; i++) {
        OozeText text = {0};
        ooze_text_append(&text, "%s.", probe->def.name);
        if (profile) {
            ooze_text_append(&text, "%d.", i / width);
        }
        ooze_text_append(&text, "%s", kind->columns[i % width]);
        if (text.failed) {
            ooze_text_clear(&text);
            return false;
        }
        probe->columns[i] = text.data;
        probe->units[i] = kind->units[i % width];
        probe->values[i] = NAN;
    }
    return true;
}

OozeStatus ooze_probe_create(OozeProbe *probe, const OozeProbeDef *def, OozeAxis up,
                             OozeError *error)
{
    *probe = (OozeProbe){.def = *def};
    probe->def.name = probe->def.solid = probe->def.lower = probe->def.upper = NULL;
    OozeProbeDef filled = *def;
    if (uses_percentile(def->kind) && isnan(def->percentile)) {
        filled.percentile = def->kind == OOZE_PROBE_HEIGHT ? 99.0 : 95.0;
    }
    OozeStatus status = check_def(&filled, error);
    if (status) {
        return status;
    }
    probe->def = filled;
    probe->def.axis = vec3_unit(filled.axis, vec3_axis(up));
    probe->def.name = ooze_copy_text(def->name);
    probe->def.solid = ooze_copy_text(def->solid ? def->solid : "");
    probe->def.lower = ooze_copy_text(def->lower ? def->lower : "");
    probe->def.upper = ooze_copy_text(def->upper ? def->upper : "");
    if (!probe->def.name || !probe->def.solid || !probe->def.lower || !probe->def.upper ||
        !make_columns(probe)) {
        ooze_probe_free(probe);
        return ooze_fail_memory(error, "a probe", sizeof *probe);
    }
    return OOZE_OK;
}

void ooze_probe_free(OozeProbe *probe)
{
    for (int i = 0; probe->columns && i < probe->column_count; i++) {
        ooze_free(probe->columns[i]);
    }
    ooze_free(probe->columns);
    ooze_free(probe->units);
    ooze_free(probe->values);
    ooze_free((void *)probe->def.name);
    ooze_free((void *)probe->def.solid);
    ooze_free((void *)probe->def.lower);
    ooze_free((void *)probe->def.upper);
    *probe = (OozeProbe){0};
}

/* ---- measuring -------------------------------------------------------------------------- */

/* A field with at least `components` of that type per particle: a frame may come from a file. */
static OozeStatus find_field(const OozeProbe *probe, const OozeFrame *frame, const char *name,
                             OozeFieldType type, int components, OozeFieldView *found,
                             OozeError *error)
{
    const OozeFieldView *field = ooze_frame_field(frame, name);
    if (!field || field->type != type || field->components < components ||
        field->stride < field->components || field->count < frame->particle_count) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "measure a frame that the world made",
                         "probe '%s' needs the field '%s', which frame %llu %s", probe->def.name,
                         name, (unsigned long long)frame->index,
                         field ? "has with another type or length" : "lacks");
    }
    *found = *field;
    return OOZE_OK;
}

static OozeStatus open_view(OozeProbeView *view, const OozeProbe *probe,
                            const OozeProbeContext *context, OozeError *error)
{
    const OozeFrame *frame = context->frame;
    OozeFieldView position = {0}, velocity = {0}, rest = {0}, material = {0}, temperature = {0};
    *view = (OozeProbeView){
        .count = frame->particle_count,
        .only = probe->def.material.index,
        .materials = frame->materials,
        .material_count = frame->material_count,
        .volume = frame->spacing * frame->spacing * frame->spacing,
        .spacing = frame->spacing,
        .support = frame->support,
        .probe = probe,
        .context = context,
    };
    const char *extra = ooze_probe_kinds[probe->def.kind].needs_field;
    bool warm = probe->def.kind == OOZE_PROBE_HEAT;
    OozeStatus status =
        find_field(probe, frame, "position", OOZE_FIELD_FLOAT32, 3, &position, error);
    if (!status) {
        status = find_field(probe, frame, "material", OOZE_FIELD_UINT16, 1, &material, error);
    }
    if (!status && kinds[probe->def.kind].velocity) {
        status = find_field(probe, frame, "velocity", OOZE_FIELD_FLOAT32, 3, &velocity, error);
    }
    if (!status && warm) {
        status = find_field(probe, frame, extra, OOZE_FIELD_FLOAT64, 1, &temperature, error);
    } else if (!status && extra) {
        status = find_field(probe, frame, extra, OOZE_FIELD_FLOAT32, 3, &rest, error);
    }
    if (!status && (material.stride != 1 || (warm && temperature.stride != 1) ||
                    !(view->spacing > 0.0 && isfinite(view->spacing)) ||
                    !(view->support > 0.0 && view->support <= 64.0 * view->spacing))) {
        status = ooze_fail(error, OOZE_ERROR_ARGUMENT, "measure a frame that the world made",
                           "probe '%s' sees a frame with spacing %g m and support %g m",
                           probe->def.name, view->spacing, view->support);
    }
    view->position = position.data;
    view->position_stride = (uint64_t)position.stride;
    view->velocity = velocity.data;
    view->velocity_stride = (uint64_t)velocity.stride;
    view->rest = rest.data;
    view->rest_stride = (uint64_t)rest.stride;
    view->temperature = temperature.data;
    view->material = material.data;
    return status;
}

bool ooze_probe_reads_particles(OozeProbeKind kind)
{
    return kind != OOZE_PROBE_SOLVER;
}

OozeProbeQuery ooze_probe_query(const OozeProbe *probe, OozeVec3 gravity)
{
    return (OozeProbeQuery){
        .kind = probe->def.kind,
        .only = probe->def.material.index,
        .point = probe->def.point,
        .axis = probe->def.axis,
        .gravity = gravity,
        .percentile = probe->def.percentile,
    };
}

OozeStatus ooze_probe_measure(OozeProbe *probe, const OozeProbeContext *context, OozeError *error)
{
    for (int i = 0; i < probe->column_count; i++) {
        probe->values[i] = NAN;
    }
    OozeProbeView view = {.probe = probe, .context = context};
    OozeStatus status = ooze_probe_reads_particles(probe->def.kind)
                            ? open_view(&view, probe, context, error)
                            : OOZE_OK;
    return status ? status
                  : kinds[probe->def.kind].measure(&view, probe->values, probe->state, error);
}
