/* What the files of the springs method share. */
#ifndef OOZE_METHODS_SPRINGS_WORKSPACE_H
#define OOZE_METHODS_SPRINGS_WORKSPACE_H

#include "methods/four.h"
#include "methods/springs/schedule.h"
#include "methods/springs/springs.h"
#include "methods/springs/table.h"
#include "physics/springs.h"
#include "solids/contact.h"

/* Settings, in the order of the table in springs.c. */
enum {
    OOZE_SPRINGS_UNIT,
    OOZE_SPRINGS_ORDER,
    OOZE_SPRINGS_SEED,
    OOZE_SPRINGS_START,
    OOZE_SPRINGS_CONTACT_DISTANCE,
    OOZE_SPRINGS_PARAM_COUNT
};

enum { OOZE_SPRINGS_PARALLEL, OOZE_SPRINGS_SEQUENTIAL };
enum { OOZE_SPRINGS_FROM_SUPPORT, OOZE_SPRINGS_FROM_DISTANCE };

/* Particles of a chunk of parallel work. */
enum { OOZE_SPRINGS_GRAIN = 256 };

/* Where the particle stands that fills up lists, along the fourth axis. */
#define OOZE_SPRINGS_FAR 1e18f

/* Lives as long as the world. */
typedef struct OozeSpringsMemory {
    OozeGrid *grid; /* of predicted positions */
    OozeNeighbours near;
    OozeSpringTable table;
} OozeSpringsMemory;

/* A material's numbers, for a step. */
typedef struct OozeSpringsMatter {
    float stiffness, near_stiffness, rest_density;
    float linear, quadratic; /* viscosity */
    float spring;            /* stiffness of springs; 0: none */
    OozeSpringLaw law;
    float mass; /* kg, of a particle */
} OozeSpringsMatter;

/* A particle that is moved: where it is, and all its corrections added up, which momentum goes by. */
typedef struct OozeSpringsPoint {
    OozeFour x, shift; /* last lanes 0 */
} OozeSpringsPoint;

/* What solids make of a particle. */
typedef struct OozeSpringsMeeting {
    OozeVec3 position, velocity; /* at the end of the step */
    OozeVec3 arriving;           /* its velocity before it meets any */
    OozeTouches touches, held;   /* collisions, and stickiness */
} OozeSpringsMeeting;

typedef struct OozeSpringsStep {
    OozeStepContext *context;
    OozeSpringsMemory *memory;
    uint64_t n;
    float dt;            /* s */
    float steps, steps2; /* dt over the unit, and its square */
    float h, inverse_h;  /* m */
    float speed;         /* h over the unit, m/s */
    OozeBox box;
    bool periodic, sequential, any_led, any_springs, any_viscosity;
    OozeSpringsMatter *matter; /* per material */
    OozeContactRule rule;
    /* in the order of the store */
    OozeFour *x0, *u; /* where particles are when the step begins; velocities */
    uint32_t *row;    /* field */
    const uint16_t *store_material;
    const uint64_t *store_id;
    uint64_t *store_key;
    /* in the order of predicted positions */
    const uint32_t *order; /* which particle of the store each is */
    OozeFour *p;           /* n + 1: predicted */
    OozeSpringsPoint *point;
    uint16_t *material;
    uint64_t *id, *key;
    uint8_t *led;
    uint32_t *old_row;                 /* OOZE_LINKS_NO_ROW: none yet */
    uint32_t *far_count;               /* springs of a row that lead beyond the cells around */
    OozeSpringsSchedule before, after; /* of the store, and of predicted positions */
    uint64_t first;                    /* run that the present colour begins with */
    /* of dynamic solids */
    uint32_t *near; /* particles that may touch one */
    uint64_t near_count;
    OozeSpringsMeeting *meetings; /* of these */
    OozePose *flight;             /* per solid: where it would fly freely */
} OozeSpringsStep;

static inline OozeFour ooze_springs_apart(const OozeSpringsStep *s, OozeFour a, OozeFour b)
{
    return ooze_four_image(a - b, s->box);
}

/* Numbers of a pair are the mean of both ends'. */
static inline OozeSpringLaw ooze_springs_law(const OozeSpringsMatter *a, const OozeSpringsMatter *b)
{
    OozeSpringLaw law = {0.5f * (a->law.stretch + b->law.stretch),
                         0.5f * (a->law.compress + b->law.compress),
                         0.5f * (a->law.stretch_yield + b->law.stretch_yield),
                         0.5f * (a->law.compress_yield + b->law.compress_yield)};
    return law;
}

static inline float ooze_springs_pair(float a, float b)
{
    return a > 0.0f && b > 0.0f ? 0.5f * (a + b) : 0.0f;
}

/* Algorithm 3 for one spring; d is the way from i to j. */
static inline void ooze_springs_pull(OozeSpringsStep *s, uint32_t i, uint32_t j, float rest,
                                     OozeFour d, bool led)
{
    float r = sqrtf(ooze_four_dot3(d, d));
    float stiffness =
        ooze_springs_pair(s->matter[s->material[i]].spring, s->matter[s->material[j]].spring);
    float push = ooze_spring_displacement(s->steps2, stiffness, rest, r, s->h);
    d *= r > 1e-6f * s->h ? 0.5f * push / r : 0.0f;
    if (!led || !s->led[j]) {
        s->point[j].x += d;
        s->point[j].shift += d;
    }
    if (!led || !s->led[i]) {
        s->point[i].x -= d;
        s->point[i].shift -= d;
    }
}

/* Algorithm 4, at the predicted positions. */
OozeStatus ooze_springs_adjust(OozeSpringsStep *step, OozeError *error);
/* What is left of algorithm 3 after the parallel part: springs whose ends are too far apart for it. */
void ooze_springs_pull_far(OozeSpringsStep *step);
/* Of particle k. */
void ooze_springs_meet(const OozeSpringsStep *step, uint64_t k, OozeSpringsMeeting *meeting);
/* Algorithm 6 up to line 11: dynamic solids come to where fluid, gravity and each other take them. */
OozeStatus ooze_springs_move_bodies(OozeSpringsStep *step, OozeError *error);
/* Once particles have met them: what they really were given, which is what particles have lost. */
OozeStatus ooze_springs_settle_bodies(OozeSpringsStep *step, OozeError *error);
/* Section 6: collisions, stickiness, bodies. Writes positions and velocities to the store. */
OozeStatus ooze_springs_collide(OozeSpringsStep *step, OozeError *error);

#endif
