/* Changes of numbers at given times: their targets, their checks, and the values during a run. See
   change.h. */
#include "world/change.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "world/world.h"

OozeChangeDef ooze_change_def_default(void)
{
    return (OozeChangeDef){.target = OOZE_CHANGE_MATERIAL, .key = "", .value = NAN};
}

const char *ooze_solid_param_name(OozeSolidParam param)
{
    static const char *const names[OOZE_SOLID_PARAM_COUNT] = {
        [OOZE_SOLID_FRICTION] = "friction",
        [OOZE_SOLID_RESTITUTION] = "restitution",
        [OOZE_SOLID_STICK_DISTANCE] = "stick_distance",
        [OOZE_SOLID_STICK_STRENGTH] = "stick_strength",
        [OOZE_SOLID_COLLIDES] = "collides",
        [OOZE_SOLID_TEMPERATURE] = "temperature",
        [OOZE_SOLID_CONDUCTIVITY] = "conductivity",
        [OOZE_SOLID_CONTACT_ANGLE] = "contact_angle",
    };
    return (unsigned)param < OOZE_SOLID_PARAM_COUNT ? names[param] : NULL;
}

/* ---- targets ---------------------------------------------------------------------------- */

/* Indices of numbers: the axes of a solid's position follow its parameters, those of a nozzle's
   position its speed. */
enum { SOLID_POSITION = OOZE_SOLID_PARAM_COUNT, EMITTER_SPEED = 0, EMITTER_POSITION };

enum { WORLD_AIR = 3, WORLD_PARAM_COUNT = 5 };
static const char *const world_params[WORLD_PARAM_COUNT] = {
    "gravity.x", "gravity.y", "gravity.z", "air.temperature", "air.transfer",
};

static bool is_solid_position(const OozeChange *change)
{
    return change->target == OOZE_CHANGE_SOLID && change->param >= SOLID_POSITION;
}

bool ooze_world_changes_gravity(const OozeWorld *world)
{
    bool found = false;
    for (int i = 0; i < world->changes.count; i++) {
        const OozeChange *change = &world->changes.items[i];
        found |= change->target == OOZE_CHANGE_WORLD && change->param < WORLD_AIR;
    }
    return found;
}

bool ooze_world_changes_air(const OozeWorld *world)
{
    bool found = false;
    for (int i = 0; i < world->changes.count; i++) {
        const OozeChange *change = &world->changes.items[i];
        found |= change->target == OOZE_CHANGE_WORLD && change->param >= WORLD_AIR;
    }
    return found;
}

bool ooze_world_moves_nozzles(const OozeWorld *world)
{
    bool found = false;
    for (int i = 0; i < world->changes.count; i++) {
        const OozeChange *change = &world->changes.items[i];
        found |= change->target == OOZE_CHANGE_EMITTER && change->param >= EMITTER_POSITION;
    }
    return found;
}

/* The number that a valid change controls. */
static double *slot_of(OozeWorld *world, const OozeChange *change)
{
    OozeEmitter *emitter;
    switch (change->target) {
    case OOZE_CHANGE_MATERIAL:
        return &world->materials.items[change->index].values[change->param];
    case OOZE_CHANGE_SOLID:
        return is_solid_position(change)
                   ? &(&world->solids.items[change->index]
                            .pose.position.x)[change->param - SOLID_POSITION]
                   : &world->solids.items[change->index].params[change->param];
    case OOZE_CHANGE_EMITTER:
        emitter = &world->emitters.items[change->index];
        return change->param == EMITTER_SPEED
                   ? &emitter->state.speed
                   : &(&emitter->motion.position.x)[change->param - EMITTER_POSITION];
    case OOZE_CHANGE_WORLD:
        return change->param < WORLD_AIR
                   ? &(&world->def.gravity.x)[change->param]
                   : &(&world->def.air_temperature)[change->param - WORLD_AIR];
    case OOZE_CHANGE_JOINT:
        return &world->joints.items[change->index].params[change->param];
    default:
        return &world->params[change->param];
    }
}

/* 0 to 2 for "position.x" to "position.z"; -1: another key. */
static int find_axis(const char *key)
{
    static const char *const names[] = {"position.x", "position.y", "position.z"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(names[i], key) == 0) {
            return i;
        }
    }
    return -1;
}

static int find_world_param(const char *key)
{
    for (int i = 0; i < WORLD_PARAM_COUNT; i++) {
        if (strcmp(world_params[i], key) == 0) {
            return i;
        }
    }
    return -1;
}

static int find_solid_param(const char *key)
{
    if (find_axis(key) >= 0) {
        return SOLID_POSITION + find_axis(key);
    }

    for (int i = 0; i < OOZE_SOLID_PARAM_COUNT; i++) {
        if (strcmp(ooze_solid_param_name((OozeSolidParam)i), key) == 0) {
            return i;
        }
    }
    return -1;
}

static int find_joint_param(const char *key)
{
    for (int i = 0; i < OOZE_JOINT_PARAM_COUNT; i++) {
        if (strcmp(ooze_joint_param_name((OozeJointParam)i), key) == 0) {
            return i;
        }
    }
    return -1;
}

/* The index of the target's number `key`, or -1; `smooth`: the number may be ramped. */
static int find_param(const OozeWorld *world, const OozeChangeDef *def, bool *smooth)
{
    int count = world->method->info.param_count, param = -1;
    const OozeParamInfo *params = world->method->info.params;
    *smooth = true;
    switch (def->target) {
    case OOZE_CHANGE_SOLID:
        param = find_solid_param(def->key);
        *smooth = param != OOZE_SOLID_COLLIDES;
        return param;
    case OOZE_CHANGE_EMITTER:
        param = find_axis(def->key);
        return strcmp(def->key, "speed") == 0 ? EMITTER_SPEED
               : param >= 0                   ? EMITTER_POSITION + param
                                              : -1;
    case OOZE_CHANGE_WORLD:
        return find_world_param(def->key);
    case OOZE_CHANGE_JOINT:
        return find_joint_param(def->key);
    case OOZE_CHANGE_MATERIAL:
        params = ooze_material_params(&count);
        break;
    default:
        break;
    }
    param = ooze_param_find(params, count, def->key);
    *smooth = param >= 0 && params[param].kind == OOZE_PARAM_REAL;
    return param;
}

/* Numbers without a function of their own in the API. */
static OozeStatus set_slot(OozeWorld *world, const OozeChangeDef *def, const OozeChange *change,
                           OozeError *error)
{
    bool air = change->target == OOZE_CHANGE_WORLD && change->param >= WORLD_AIR;
    bool temperature = air && change->param == WORLD_AIR;
    double low = temperature ? -OOZE_TEMPERATURE_MAX : air ? 0.0 : -1e12;
    double high = temperature ? OOZE_TEMPERATURE_MAX : air ? 1e9 : 1e12;
    if (!(def->value >= low && def->value <= high)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give a number in its range",
                         "'%s' cannot become %g", def->key, def->value);
    }
    if (change->target == OOZE_CHANGE_EMITTER &&
        world->emitters.items[change->index].motion.keyframe_count > 0) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "change its keyframes",
                         "nozzle '%s' follows keyframes, which its position does not move",
                         world->emitters.items[change->index].name);
    }
    *slot_of(world, change) = def->value;
    return OOZE_OK;
}

/* Sets the value through the API, which checks it. */
static OozeStatus set(OozeWorld *world, const OozeChangeDef *def, const OozeChange *change,
                      OozeError *error)
{
    int param = change->param;
    if (change->target == OOZE_CHANGE_WORLD || is_solid_position(change) ||
        (change->target == OOZE_CHANGE_EMITTER && param >= EMITTER_POSITION)) {
        return set_slot(world, def, change, error);
    }
    switch (def->target) {
    case OOZE_CHANGE_MATERIAL:
        return ooze_world_set_material(world, (OozeMaterialId){def->index}, def->key, def->value,
                                       error);
    case OOZE_CHANGE_SOLID:
        return ooze_world_set_solid(world, (OozeSolidId){def->index}, (OozeSolidParam)param,
                                    def->value, error);
    case OOZE_CHANGE_EMITTER:
        return ooze_world_set_emitter_speed(world, (OozeEmitterId){def->index}, def->value, error);
    case OOZE_CHANGE_JOINT:
        return ooze_world_set_joint(world, (OozeJointId){def->index}, (OozeJointParam)param,
                                    def->value, error);
    default:
        return ooze_world_set_param(world, def->key, def->value, error);
    }
}

/* Whether there is one item of this target, which needs no index. */
static bool is_single(OozeChangeTarget target)
{
    return target == OOZE_CHANGE_METHOD || target == OOZE_CHANGE_WORLD;
}

static OozeStatus check_target(const OozeWorld *world, const OozeChangeDef *def, OozeError *error)
{
    const struct {
        const char *name;
        int count;
    } targets[OOZE_CHANGE_TARGET_COUNT] = {
        [OOZE_CHANGE_METHOD] = {"method", 1},
        [OOZE_CHANGE_MATERIAL] = {"material", world->materials.count},
        [OOZE_CHANGE_SOLID] = {"solid", world->solids.count},
        [OOZE_CHANGE_EMITTER] = {"emitter", world->emitters.count},
        [OOZE_CHANGE_JOINT] = {"joint", world->joints.count},
        [OOZE_CHANGE_WORLD] = {"world", 1},
    };
    if ((unsigned)def->target >= OOZE_CHANGE_TARGET_COUNT) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use one of OozeChangeTarget",
                         "a change has no target");
    }
    if (!is_single(def->target) && (def->index < 0 || def->index >= targets[def->target].count)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "add it before the change",
                         "a change is about %s %d; the world has %d", targets[def->target].name,
                         def->index, targets[def->target].count);
    }
    if (!def->key || !(def->time >= 0.0 && isfinite(def->time)) ||
        !(def->ramp >= 0.0 && isfinite(def->ramp))) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "times are in seconds from the start",
                         "a change must have a key, a time and a ramp that are 0 or more");
    }
    return OOZE_OK;
}

static OozeStatus fail_unknown(const OozeChangeDef *def, OozeError *error)
{
    static const struct {
        const char *name, *keys;
    } targets[OOZE_CHANGE_TARGET_COUNT] = {
        [OOZE_CHANGE_SOLID] = {"a solid",
                               "use friction, restitution, stick_distance, stick_strength, "
                               "collides, temperature, conductivity, contact_angle or position.x, "
                               ".y, .z"},
        [OOZE_CHANGE_EMITTER] = {"an emitter", "use speed or position.x, .y, .z"},
        [OOZE_CHANGE_JOINT] = {"a joint", "use speed, force, low or high"},
        [OOZE_CHANGE_WORLD] = {"the world", "use gravity.x, .y, .z, air.temperature or "
                                            "air.transfer"},
    };
    return ooze_fail(error, OOZE_ERROR_ARGUMENT, targets[def->target].keys,
                     "%s has no number '%s' that could change", targets[def->target].name,
                     def->key);
}

OozeStatus ooze_world_add_change(OozeWorld *world, const OozeChangeDef *def, OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(def, error);
    bool smooth;
    OozeStatus status = check_target(world, def, error);
    if (status) {
        return status;
    }
    int param = find_param(world, def, &smooth);
    bool parameters = def->target == OOZE_CHANGE_METHOD || def->target == OOZE_CHANGE_MATERIAL;
    if (param < 0 && !parameters) {
        return fail_unknown(def, error);
    }
    if (param >= 0 && !smooth && def->ramp > 0.0) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "leave the ramp out",
                         "'%s' has no values between two others to pass on a ramp", def->key);
    }
    OozeChange change = {.target = def->target,
                         .index = is_single(def->target) ? 0 : def->index,
                         .param = param,
                         .time = def->time,
                         .ramp = def->ramp};
    double *slot = param >= 0 ? slot_of(world, &change) : NULL;
    double before = slot ? *slot : 0.0;
    status = set(world, def, &change, error); /* fails for a value that the API refuses */
    if (status) {
        return status;
    }
    change.value = *slot; /* in the unit of the slot */
    *slot = before;
    OozeChange *added = OOZE_LIST_RESERVE(world->changes);
    if (!added) {
        return ooze_fail_memory(error, "a change", sizeof *added);
    }
    *added = change;
    world->changes.count++;
    return OOZE_OK;
}

/* Fields of particles that the numbers need together. */
static OozeStatus add_fields(OozeWorld *world, OozeMaterial *material, const double *values,
                             OozeError *error)
{
    double before[OOZE_MATERIAL_PARAM_COUNT];
    memcpy(before, material->values, sizeof before);
    memcpy(material->values, values, sizeof before);
    OozeStatus status = ooze_world_add_optional_fields(world, material, error);
    memcpy(material->values, before, sizeof before);
    return status;
}

int ooze_world_mark_changes(const OozeWorld *world)
{
    return world->changes.count;
}

void ooze_world_drop_changes(OozeWorld *world, int mark)
{
    world->changes.count = mark;
}

OozeStatus ooze_world_add_material_change(OozeWorld *world, int32_t material, const double *values,
                                          double time, OozeError *error)
{
    int count, mark = ooze_world_mark_changes(world);
    const OozeParamInfo *params = ooze_material_params(&count);
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < count && !status; i++) {
        const OozeChangeDef def = {
            OOZE_CHANGE_MATERIAL, material, params[i].key, values[i], time, 0.0};
        status = ooze_world_add_change(world, &def, error);
    }
    status = status ? status : add_fields(world, &world->materials.items[material], values, error);
    if (status) {
        ooze_world_drop_changes(world, mark);
    }
    return status;
}

/* ---- checking --------------------------------------------------------------------------- */

/* Whether the step checks the number before it begins. */
static bool is_checked(OozeChangeTarget target)
{
    return target == OOZE_CHANGE_METHOD || target == OOZE_CHANGE_MATERIAL;
}

/* Whether the number exists and may have the value by itself. */
static bool is_in_range(const OozeWorld *world, const OozeChangeDef *def)
{
    int count = world->method->info.param_count, index;
    const OozeParamInfo *params = def->target == OOZE_CHANGE_METHOD ? world->method->info.params
                                                                    : ooze_material_params(&count);
    return !check_target(world, def, NULL) &&
           !ooze_param_check(params, count, "", def->key, def->value, &index, NULL);
}

static OozeStatus check_method(OozeWorld *world, OozeError *error)
{
    OozeArenaMark mark = ooze_arena_mark(world->arena);
    OozeStepContext context = ooze_world_step_context(world);
    OozeStatus status = world->method->check ? world->method->check(&context, error) : OOZE_OK;
    ooze_arena_rewind(world->arena, mark);
    return status ? status : ooze_world_check_engine(world, error);
}

/* Number of a checked number among all of them: the settings, then those of each material. */
static int rank_of(const OozeWorld *world, const OozeChange *change)
{
    bool setting = change->target == OOZE_CHANGE_METHOD;
    int first = world->method->info.param_count + change->index * OOZE_MATERIAL_PARAM_COUNT;
    return (setting ? 0 : first) + change->param;
}

/* Gives the numbers the values that the changes up to `last` leave; a later one prevails. `times`:
   of each number when it changes, below 0 at first; `before`: its present value. */
static void foresee(OozeWorld *world, const OozeChange *last, double *times, double *before)
{
    for (int i = 0; i <= world->changes.count; i++) {
        const OozeChange *change = i < world->changes.count ? &world->changes.items[i] : last;
        bool acts = is_checked(change->target) && change->time <= last->time &&
                    change->state.phase != OOZE_CHANGE_DONE;
        int rank = acts ? rank_of(world, change) : 0;
        if (acts && change->time >= times[rank]) {
            double *slot = slot_of(world, change);
            before[rank] = times[rank] < 0.0 ? *slot : before[rank];
            times[rank] = change->time;
            *slot = change->value;
        }
    }
}

static void restore_numbers(OozeWorld *world, const OozeChange *last, const double *times,
                            const double *before)
{
    for (int i = 0; i <= world->changes.count; i++) {
        const OozeChange *change = i < world->changes.count ? &world->changes.items[i] : last;
        if (is_checked(change->target) && times[rank_of(world, change)] >= 0.0) {
            *slot_of(world, change) = before[rank_of(world, change)];
        }
    }
}

OozeStatus ooze_world_check_change(OozeWorld *world, const OozeChangeDef *def, OozeError *error)
{
    if (!is_checked(def->target) || !is_in_range(world, def)) {
        return OOZE_OK; /* the step does not look at it, or ooze_world_add_change refuses it */
    }
    bool smooth;
    OozeChange change = {.target = def->target,
                         .index = is_single(def->target) ? 0 : def->index,
                         .param = find_param(world, def, &smooth),
                         .value = def->value,
                         .time = def->time};
    size_t count = (size_t)(world->method->info.param_count +
                            world->materials.count * OOZE_MATERIAL_PARAM_COUNT);
    double *times = ooze_alloc(2 * count, sizeof *times);
    if (!times) {
        return ooze_fail_memory(error, "a change", 2 * count * sizeof *times);
    }
    for (size_t i = 0; i < count; i++) {
        times[i] = -1.0;
    }
    double *before = times + count;
    foresee(world, &change, times, before);
    OozeStatus status = check_method(world, error);
    restore_numbers(world, &change, times, before);
    ooze_free(times);
    return status;
}

/* ---- applying --------------------------------------------------------------------------- */

/* The present time; half a millionth of a step covers the rounding of times such as 1/3. */
static double current_time(const OozeWorld *world)
{
    return world->time + 5e-7 * world->def.time_step;
}

/* A solid moves to its new position during the step that begins, and then rests. */
static void store(OozeWorld *world, const OozeChange *change, double value)
{
    if (!is_solid_position(change)) {
        *slot_of(world, change) = value;
        return;
    }
    OozeSolid *solid = &world->solids.items[change->index];
    OozePose pose = solid->pose;
    if (!solid->driven) { /* it leaves its motion */
        pose.velocity = pose.spin = vec3(0, 0, 0);
    }
    int axis = change->param - SOLID_POSITION;
    double travel = value - (&pose.position.x)[axis];
    (&pose.velocity.x)[axis] = travel / world->def.time_step; /* which contacts use */
    (&pose.position.x)[axis] = value;
    ooze_solid_drive(solid, &pose, NULL); /* does not fail: the pose is finite */
}

static void apply(OozeWorld *world, OozeChange *change)
{
    double from = change->state.from, passed = current_time(world) - change->time;
    bool ramped = isfinite(from) && isfinite(change->value);
    double share = ramped && passed < change->ramp ? passed / change->ramp : 1.0;
    /* a solid that has arrived is stopped by the next step */
    bool arrives = is_solid_position(change) && *slot_of(world, change) != change->value;
    store(world, change, share < 1.0 ? from + share * (change->value - from) : change->value);
    change->state.phase = share < 1.0 || arrives ? OOZE_CHANGE_RUNNING : OOZE_CHANGE_DONE;
}

static void begin(OozeWorld *world, OozeChange *change)
{
    for (int i = 0; i < world->changes.count; i++) {
        OozeChange *other = &world->changes.items[i];
        bool same = other->target == change->target && other->index == change->index &&
                    other->param == change->param;
        if (same && other->state.phase == OOZE_CHANGE_RUNNING) {
            other->state.phase = OOZE_CHANGE_DONE;
        }
    }
    change->state = (OozeChangeState){OOZE_CHANGE_RUNNING, *slot_of(world, change)};
}

/* Running changes go first: a change that begins ramps from the number's present value. */
void ooze_world_apply_changes(OozeWorld *world)
{
    for (int i = 0; i < world->changes.count; i++) {
        if (world->changes.items[i].state.phase == OOZE_CHANGE_RUNNING) {
            apply(world, &world->changes.items[i]);
        }
    }
    for (int i = 0; i < world->changes.count; i++) {
        OozeChange *change = &world->changes.items[i];
        if (change->state.phase == OOZE_CHANGE_PENDING && current_time(world) >= change->time) {
            begin(world, change);
            apply(world, change);
        }
    }
}
