/* Frames made by hand, and measuring them: what the tests of the probes share. */
#ifndef OOZE_TESTS_PROBE_FRAME_H
#define OOZE_TESTS_PROBE_FRAME_H

#include "base/memory.h"
#include "base/vec3.h"
#include "check.h"
#include "world/probes/probe.h"

enum { HAND_MAX = 30000, HAND_FIELDS = 6 };

static const OozeMaterialView hand_materials[] = {
    {.name = "water", .density = 1000.0},
    {.name = "honey", .density = 1420.0},
};

/* Start from hand_start, then add particles. Free with hand_end. */
typedef struct Hand {
    OozeFrame frame;
    OozeProbeContext context;
    OozeFieldView fields[HAND_FIELDS];
    float (*position)[4], (*velocity)[4], (*rest)[4];
    uint64_t *id;
    uint16_t *material;
    double *temperature;
} Hand;

static inline Hand *hand_start(double spacing, double support_ratio)
{
    Hand *hand = calloc(1, sizeof *hand);
    hand->position = calloc(HAND_MAX, sizeof *hand->position);
    hand->velocity = calloc(HAND_MAX, sizeof *hand->velocity);
    hand->rest = calloc(HAND_MAX, sizeof *hand->rest);
    hand->id = calloc(HAND_MAX, sizeof *hand->id);
    hand->material = calloc(HAND_MAX, sizeof *hand->material);
    hand->temperature = calloc(HAND_MAX, sizeof *hand->temperature);
    const OozeFieldView fields[HAND_FIELDS] = {
        {"position", OOZE_FIELD_FLOAT32, 3, 4, "m", "", 0, hand->position, NULL},
        {"velocity", OOZE_FIELD_FLOAT32, 3, 4, "m/s", "", 0, hand->velocity, NULL},
        {"id", OOZE_FIELD_UINT64, 1, 1, "", "", 0, hand->id, NULL},
        {"material", OOZE_FIELD_UINT16, 1, 1, "", "", 0, hand->material, NULL},
        {"temperature", OOZE_FIELD_FLOAT64, 1, 1, "degC", "", 0, hand->temperature, NULL},
        {"rest_position", OOZE_FIELD_FLOAT32, 3, 4, "m", "", 0, hand->rest, NULL},
    };
    memcpy(hand->fields, fields, sizeof fields);
    hand->frame = (OozeFrame){
        .spacing = spacing,
        .support = support_ratio * spacing,
        .up = OOZE_AXIS_Y,
        .method = "none",
        .field_count = HAND_FIELDS,
        .fields = hand->fields,
        .material_count = 2,
        .materials = hand_materials,
    };
    hand->context = (OozeProbeContext){.frame = &hand->frame, .gravity = {0.0, -9.81, 0.0}};
    return hand;
}

static inline void hand_end(Hand *hand)
{
    free(hand->position);
    free(hand->velocity);
    free(hand->rest);
    free(hand->id);
    free(hand->material);
    free(hand->temperature);
    free(hand);
}

static inline void set_float4(float *to, OozeVec3 v)
{
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

static inline uint64_t hand_add(Hand *hand, OozeVec3 x, OozeVec3 v, int material)
{
    uint64_t i = hand->frame.particle_count;
    assert_true(i < HAND_MAX);
    set_float4(hand->position[i], x);
    set_float4(hand->velocity[i], v);
    set_float4(hand->rest[i], x);
    hand->id[i] = i;
    hand->material[i] = (uint16_t)material;
    hand->temperature[i] = 20.0 + (double)(i % 7);
    hand->frame.particle_count = i + 1;
    for (int k = 0; k < HAND_FIELDS; k++) {
        hand->fields[k].count = i + 1;
    }
    return i;
}

/* nx by ny by nz particles at rest, the first at `corner`. */
static inline void hand_add_block(Hand *hand, OozeVec3 corner, int nx, int ny, int nz, int material)
{
    double dx = hand->frame.spacing;
    for (int k = 0; k < nz; k++) {
        for (int j = 0; j < ny; j++) {
            for (int i = 0; i < nx; i++) {
                hand_add(hand, vec3_madd(corner, dx, vec3(i, j, k)), vec3(0, 0, 0), material);
            }
        }
    }
}

static inline void hand_make_periodic(Hand *hand, int axis, double min, double length)
{
    hand->context.periodic.min[axis] = (float)min;
    hand->context.periodic.length[axis] = (float)length;
    hand->context.periodic.inverse[axis] = (float)(1.0 / length);
}

static inline OozeProbeDef probe_def(OozeProbeKind kind)
{
    OozeProbeDef def = ooze_probe_def_default();
    def.solid = "floor";
    def.name = "it";
    def.kind = kind;
    return def;
}

static inline OozeProbe make_probe(const OozeProbeDef *def)
{
    OozeProbe probe;
    CHECK_OK(ooze_probe_create(&probe, def, OOZE_AXIS_Y, &error));
    return probe;
}

/* Makes a probe, measures once, hands out the values, frees the probe. */
static inline void measure_once(const Hand *hand, const OozeProbeDef *def, double *values)
{
    OozeProbe probe = make_probe(def);
    CHECK_OK(ooze_probe_measure(&probe, &hand->context, &error));
    memcpy(values, probe.values, (size_t)probe.column_count * sizeof *values);
    ooze_probe_free(&probe);
}

static inline double measure_first(const Hand *hand, const OozeProbeDef *def)
{
    double values[64];
    measure_once(hand, def, values);
    return values[0];
}

#endif
