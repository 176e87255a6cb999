/* The list of saved tables: the state that a resumed run needs besides its particles. A table is
   a view of numbers in the memory of the world, so that one row of the list saves and restores
   them. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "world/snapshot.h"

enum { POSE_NUMBERS = 13, BOX_NUMBERS = 6 };
_Static_assert(sizeof(OozePose) == POSE_NUMBERS * sizeof(double), "a pose has no padding");
_Static_assert(sizeof(OozeBounds) == BOX_NUMBERS * sizeof(double), "a box has no padding");
_Static_assert(sizeof(OozeChangePhase) == sizeof(uint32_t), "a phase is saved as uint32");
_Static_assert(offsetof(OozeWorldDef, air_transfer) ==
                   offsetof(OozeWorldDef, air_temperature) + sizeof(double),
               "the two numbers of the air are one row");
_Static_assert(sizeof(bool) == 1, "a flag is saved as uint8");
_Static_assert(offsetof(OozeEmitterState, speed) == sizeof(double) &&
                   offsetof(OozeEmitterState, emitted) ==
                       offsetof(OozeEmitterState, layers) + sizeof(uint64_t),
               "two numbers of an emitter's state are one row");

/* ---- rows: items of the world ---------------------------------------------------------------- */

typedef struct Items {
    int count;
    void *first;
    size_t size; /* bytes of an item */
} Items;

#define ITEMS_OF(list) ((Items){(list).count, (list).items, sizeof *(list).items})

static Items counters(OozeWorld *world)
{
    return (Items){1, world->snapshot->counters, sizeof world->snapshot->counters};
}

static Items settings(OozeWorld *world)
{
    int count = world->method->info.param_count;
    return (Items){count > 0, world->params, (size_t)count * sizeof *world->params};
}

static Items materials(OozeWorld *world)
{
    return ITEMS_OF(world->materials);
}

static Items solids(OozeWorld *world)
{
    return ITEMS_OF(world->solids);
}

static Items kept_of_solids(OozeWorld *world)
{
    return world->method->solid_state ? solids(world) : (Items){0, NULL, sizeof(double)};
}

static Items joints(OozeWorld *world)
{
    return ITEMS_OF(world->joints);
}

static Items emitters(OozeWorld *world)
{
    return ITEMS_OF(world->emitters);
}

static Items probes(OozeWorld *world)
{
    return ITEMS_OF(world->probes);
}

static Items changes(OozeWorld *world)
{
    return ITEMS_OF(world->changes);
}

static Items gravity(OozeWorld *world)
{
    bool changes = ooze_world_changes_gravity(world);
    return (Items){changes, &world->def.gravity, sizeof world->def.gravity};
}

static Items air(OozeWorld *world)
{
    bool changes = ooze_world_changes_air(world);
    return (Items){changes, &world->def.air_temperature, 2 * sizeof(double)};
}

static Items nozzles(OozeWorld *world)
{
    return ooze_world_moves_nozzles(world) ? emitters(world) : (Items){0, NULL, sizeof(double)};
}

/* ---- columns: keys of the tables that list them ---------------------------------------------- */

static const char *setting_key(const OozeWorld *world, int k, double *initial)
{
    const OozeMethod *method = world->method;
    *initial = method->earlier_param ? method->earlier_param(k) : method->info.params[k].initial;
    return method->info.params[k].key;
}

static const char *material_key(const OozeWorld *world, int k, double *initial)
{
    (void)world;
    const OozeParamInfo *key = &ooze_material_params(NULL)[k];
    *initial = key->initial;
    return key->key;
}

static const char *solid_key(const OozeWorld *world, int k, double *initial)
{
    (void)world, (void)initial;
    return ooze_solid_param_name((OozeSolidParam)k);
}

static const char *joint_key(const OozeWorld *world, int k, double *initial)
{
    (void)world, (void)initial;
    return ooze_joint_param_name((OozeJointParam)k);
}

static const char *spin_key(const OozeWorld *world, int k, double *initial)
{
    static const char *const names[] = {"x", "y", "z"};
    (void)world, (void)initial;
    return names[k];
}

static const char *kept_key(const OozeWorld *world, int k, double *initial)
{
    *initial = 0.0;
    return world->method->solid_state ? world->method->solid_state->columns[k] : "";
}

static const char *probe_key(const OozeWorld *world, int k, double *initial)
{
    (void)world, (void)initial;
    return ooze_probe_state_names[k];
}

/* ---- the list -------------------------------------------------------------------------------- */

typedef struct Table {
    const char *name; /* NULL: it and the help are those of the method's solid_state */
    OozeFieldType type;
    int width; /* numbers in a row; 0: one per setting of the method */
    Items (*items)(OozeWorld *world);
    size_t offset; /* of the numbers within an item */
    /* Columns that later versions may add to: returns the name of column k and sets `initial` to
       what frames without it mean; unchanged: the value of the scene. NULL: the columns have the
       names below, or none. */
    const char *(*key)(const OozeWorld *world, int k, double *initial);
    const char *const *names;
    uint64_t max; /* largest valid integer; 0: any */
    const char *help;
} Table;

static const char *const counter_names[OOZE_STATE_COUNTERS] = {"next_id", "emitted", "removed"};
static const char *const emitter_names[] = {"travelled", "speed"};
static const char *const axis_names[] = {"x", "y", "z"};
static const char *const air_names[] = {"temperature", "transfer"};
static const char *const emitter_count_names[] = {"layers", "emitted"};

static const Table tables[OOZE_STATE_TABLES] = {
    {"counters", OOZE_FIELD_UINT64, OOZE_STATE_COUNTERS, counters, 0, NULL, counter_names, 0,
     "of particles: id of the next one, how many came from emitters and went into sinks"},
    {"method", OOZE_FIELD_FLOAT64, 0, settings, 0, setting_key, NULL, 0, "settings of the method"},
    {"materials", OOZE_FIELD_FLOAT64, OOZE_MATERIAL_PARAM_COUNT, materials,
     offsetof(OozeMaterial, values), material_key, NULL, 0,
     "numbers of each material, as they are now"},
    {"solids", OOZE_FIELD_FLOAT64, OOZE_SOLID_PARAM_COUNT, solids, offsetof(OozeSolid, params),
     solid_key, NULL, 0, "parameters of each solid, as they are now"},
    {"solid_driven", OOZE_FIELD_UINT8, 1, solids, offsetof(OozeSolid, driven), NULL, NULL, 1,
     "1: the pose of the solid was set by the program, and its motion no longer applies"},
    {"solid_arriving", OOZE_FIELD_UINT8, 1, solids, offsetof(OozeSolid, arriving), NULL, NULL, 1,
     "1: the pose of the solid is where the next step ends"},
    {"solid_previous_pose", OOZE_FIELD_FLOAT64, POSE_NUMBERS, solids, offsetof(OozeSolid, previous),
     NULL, NULL, 0,
     "pose at the beginning of the last step: position x y z, rotation x y z w, velocity x y z, "
     "spin x y z (rad/s)"},
    {"solid_spin", OOZE_FIELD_FLOAT64, 3, solids, offsetof(OozeSolid, pose.spin), spin_key, NULL, 0,
     "angular velocity of each solid, rad/s: the spin of its pose, which a frame holds in deg/s"},
    {NULL, OOZE_FIELD_FLOAT64, OOZE_SOLID_KEPT_NUMBERS, kept_of_solids,
     offsetof(OozeSolid, kept_by_method), kept_key, NULL, 0, NULL},
    {"solid_sampled_box", OOZE_FIELD_FLOAT64, BOX_NUMBERS, solids, offsetof(OozeSolid, clip), NULL,
     NULL, 0, "box within which a plane has boundary samples: min x y z, max x y z"},
    {"joints", OOZE_FIELD_FLOAT64, OOZE_JOINT_PARAM_COUNT, joints, offsetof(OozeJoint, params),
     joint_key, NULL, 0,
     "motor and limits of each joint, as they are now; those of a hinge in rad and rad/s"},
    {"emitters", OOZE_FIELD_FLOAT64, 2, emitters, offsetof(OozeEmitter, state.travelled), NULL,
     emitter_names, 0, "of each emitter: length of jet since the last layer (m), speed (m/s)"},
    {"emitter_counts", OOZE_FIELD_UINT64, 2, emitters, offsetof(OozeEmitter, state.layers), NULL,
     emitter_count_names, 0, "of each emitter: layers and particles so far"},
    {"probes", OOZE_FIELD_FLOAT64, OOZE_PROBE_STATE_COUNT, probes, offsetof(OozeProbe, state),
     probe_key, NULL, 0, "values that a probe keeps from one reading to the next"},
    {"change_phase", OOZE_FIELD_UINT32, 1, changes, offsetof(OozeChange, state.phase), NULL, NULL,
     OOZE_CHANGE_DONE, "of each change in time: 0 before, 1 during, 2 after it"},
    {"change_start", OOZE_FIELD_FLOAT64, 1, changes, offsetof(OozeChange, state.from), NULL, NULL,
     0, "of each change in time: the value when it began"},
    {"gravity", OOZE_FIELD_FLOAT64, 3, gravity, 0, NULL, axis_names, 0,
     "m/s2, in a world in which it changes"},
    {"air", OOZE_FIELD_FLOAT64, 2, air, 0, NULL, air_names, 0,
     "temperature (degC) and transfer (W/(m2 K)), in a world in which they change"},
    {"nozzle_position", OOZE_FIELD_FLOAT64, 3, nozzles, offsetof(OozeEmitter, motion.position),
     NULL, axis_names, 0, "m, of each emitter, in a world in which one is moved by a change"},
};

static int width_of(const OozeWorld *world, const Table *table)
{
    return table->width > 0 ? table->width : world->method->info.param_count;
}

static const char *name_of(const OozeWorld *world, const Table *table)
{
    const OozeSolidState *kept = world->method->solid_state;
    return table->name ? table->name : kept ? kept->name : "";
}

const char **ooze_state_columns(const OozeWorld *world)
{
    int count = 0, at = 0;
    for (int t = 0; t < OOZE_STATE_TABLES; t++) {
        count += width_of(world, &tables[t]);
    }
    const char **columns = ooze_alloc_zero((size_t)count, sizeof *columns);
    for (int t = 0; columns && t < OOZE_STATE_TABLES; t++) {
        double initial;
        for (int k = 0; k < width_of(world, &tables[t]); k++, at++) {
            columns[at] = tables[t].key     ? tables[t].key(world, k, &initial)
                          : tables[t].names ? tables[t].names[k]
                                            : NULL;
        }
    }
    return columns;
}

/* A table without rows has no data. */
static OozeFieldView view_of(OozeWorld *world, int t)
{
    const Table *table = &tables[t];
    const char *const *columns = world->snapshot->columns;
    for (int before = 0; before < t; before++) {
        columns += width_of(world, &tables[before]);
    }
    Items items = table->items(world);
    const OozeSolidState *kept = table->name ? NULL : world->method->solid_state;
    return (OozeFieldView){
        .name = name_of(world, table),
        .type = table->type,
        .components = width_of(world, table),
        .stride = (int)(items.size / ooze_field_type_size(table->type)),
        .unit = "",
        .help = kept ? kept->help : table->help,
        .count = (uint64_t)items.count,
        .data = items.count > 0 ? (char *)items.first + table->offset : NULL,
        .columns = table->key || table->names ? columns : NULL,
    };
}

int ooze_state_views(OozeWorld *world, OozeFieldView views[OOZE_STATE_TABLES])
{
    int count = 0;
    for (int t = 0; t < OOZE_STATE_TABLES; t++) {
        views[count] = view_of(world, t);
        count += views[count].count > 0;
    }
    return count;
}

/* ---- restoring ------------------------------------------------------------------------------- */

OozeStatus ooze_state_fail_mismatch(OozeError *error, const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return ooze_fail(error, OOZE_ERROR_FORMAT,
                     "resume with the scene and the version of Ooze that wrote the run",
                     "the saved state does not fit this world: %s", what);
}

OozeStatus ooze_state_fail_unknown(OozeError *error, const char *table, const char *column)
{
    return ooze_fail(error, OOZE_ERROR_FORMAT, "resume with the version of Ooze that wrote the run",
                     "the saved state holds '%s%s%s', which this version of Ooze does not have",
                     table, column ? "." : "", column ? column : "");
}

/* A run does not go on without a setting that has acted in it. */
static OozeStatus check_gone(const OozeMethod *method, const OozeFieldView *from, OozeError *error)
{
    for (int i = 0; i < method->gone_count; i++) {
        const OozeGoneSetting *gone = &method->gone_settings[i];
        int column = ooze_field_column(from, gone->key);
        bool had = column >= 0 &&
                   (gone->with ? ooze_field_column(from, gone->with) >= 0 : gone->choice == NULL);
        if (had && !isnan(gone->neutral) && ooze_field_value(from, 0, column) != gone->neutral) {
            return ooze_state_fail_unknown(error, gone->key, gone->choice);
        }
    }
    return OOZE_OK;
}

/* `method`: that of settings, which may be gone; NULL: the columns are no settings. */
static OozeStatus check_columns(const OozeFieldView *to, const OozeFieldView *from,
                                const OozeMethod *method, bool all, OozeError *error)
{
    for (int k = 0; k < from->components; k++) {
        bool gone = method && ooze_method_gone(method, from->columns[k], NULL);
        if (!gone && ooze_field_column(to, from->columns[k]) < 0) {
            return ooze_state_fail_unknown(error, from->name, from->columns[k]);
        }
    }
    for (int k = 0; all && k < to->components; k++) {
        if (ooze_field_column(from, to->columns[k]) < 0) {
            return ooze_state_fail_mismatch(error, "it lacks '%s.%s'", to->name, to->columns[k]);
        }
    }
    return OOZE_OK;
}

static OozeStatus check_table(OozeWorld *world, int t, const OozeFieldView *from, OozeError *error)
{
    const OozeFieldView to = view_of(world, t);
    if (!from) {
        return to.count == 0 || tables[t].key
                   ? OOZE_OK
                   : ooze_state_fail_mismatch(error, "it lacks '%s'", to.name);
    }
    if (from->count != to.count) {
        return ooze_state_fail_mismatch(error, "'%s' has %llu rows instead of %llu", to.name,
                                        (unsigned long long)from->count,
                                        (unsigned long long)to.count);
    }
    if (from->type != to.type || !from->columns != !to.columns ||
        (!to.columns && from->components != to.components) || (from->count > 0 && !from->data)) {
        return ooze_state_fail_mismatch(error, "'%s' has another type or shape", to.name);
    }
    for (uint64_t i = 0; tables[t].max > 0 && i < from->count; i++) {
        if (ooze_field_value(from, i, 0) > (double)tables[t].max) {
            return ooze_state_fail_mismatch(error, "'%s' has a value above %llu", to.name,
                                            (unsigned long long)tables[t].max);
        }
    }
    const OozeMethod *method = tables[t].key == setting_key ? world->method : NULL;
    OozeStatus status =
        to.columns ? check_columns(&to, from, method, !tables[t].key, error) : OOZE_OK;
    return !status && method && from->count > 0 ? check_gone(method, from, error) : status;
}

OozeStatus ooze_state_check(OozeWorld *world, const OozeFrame *frame, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int t = 0; t < OOZE_STATE_TABLES && !status; t++) {
        status = check_table(world, t, ooze_frame_state(frame, name_of(world, &tables[t])), error);
    }
    for (int i = 0; i < frame->state_count && !status; i++) {
        const char *name = frame->state[i].name;
        bool known = false;
        for (int t = 0; t < OOZE_STATE_TABLES; t++) {
            known |= strcmp(name_of(world, &tables[t]), name) == 0;
        }
        for (int k = 0; k < ooze_method_list_count; k++) { /* runs of earlier versions have zeros */
            const OozeSolidState *kept = ooze_method_list[k]->solid_state;
            known |= kept && strcmp(kept->name, name) == 0;
        }
        for (int k = 0; k < world->method->array_count; k++) {
            known |= strcmp(world->method->arrays[k].name, name) == 0;
        }
        status = known ? OOZE_OK : ooze_state_fail_unknown(error, name, NULL);
    }
    return status;
}

void ooze_state_restore(OozeWorld *world, const OozeFrame *frame)
{
    for (int t = 0; t < OOZE_STATE_TABLES; t++) {
        const OozeFieldView to = view_of(world, t), *from = ooze_frame_state(frame, to.name);
        size_t size = ooze_field_type_size(to.type);
        for (int k = 0; k < to.components; k++) {
            int column = to.columns ? ooze_field_column(from, to.columns[k]) : k;
            for (uint64_t i = 0; i < to.count; i++) {
                char *number = (char *)to.data + (i * (uint64_t)to.stride + (uint64_t)k) * size;
                if (column >= 0) {
                    uint64_t at = i * (uint64_t)from->stride + (uint64_t)column;
                    memcpy(number, (const char *)from->data + at * size, size);
                } else { /* only columns with keys may be missing, and these are doubles */
                    tables[t].key(world, k, (double *)(void *)number);
                }
            }
        }
    }
}
