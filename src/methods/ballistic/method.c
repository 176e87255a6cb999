#include "methods/ballistic/method.h"

#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/ballistic/stick_formula.h"
#include "methods/explain.h"
#include "solids/dynamic_formula.h"
#include "solvers/contact/contact_loads.h"

enum { PARAM_CONTACT_DISTANCE, PARAM_COUNT };

static const OozeParamInfo params[PARAM_COUNT] = {
    [PARAM_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0.0, 10.0, 0.5,
                                NULL, "how near a particle's centre comes to a solid"},
};

static const char *const material_keys[] = {"density", "drag", NULL};

static const char *const no_ghost_fields[] = {NULL};

typedef struct FlightJob {
    const OozeStepContext *context;
    OozeContactRule rule;
    const OozeFlight *flights; /* see ooze_ballistic_flights */
    OozeFloat4 *positions, *velocities;
    const uint16_t *materials;
    OozeSolidImpulses *impulses; /* one per particle; NULL: no solid is dynamic */
} FlightJob;

/* Applies stickiness, then resolves collisions along the path. */
static void collide_with_solids(const FlightJob *job, OozeVec3 from, OozeFloat4 *x, OozeFloat4 *v,
                                OozeTouches *touches)
{
    const OozeStepContext *c = job->context;
    if (c->solid_count == 0) {
        return;
    }
    OozeBallisticMotion m = {from, vec3(x->x, x->y, x->z), vec3(v->x, v->y, v->z)};
    for (int i = 0; i < c->solid_count; i++) {
        if (c->solids[i].params[OOZE_SOLID_STICK_DISTANCE] > 0.0) {
            OozeContact contact = ooze_solid_contact(&c->solids[i], from);
            OozeVec3 pull = ooze_contact_stick(&c->solids[i], &contact,
                                               contact.distance - job->rule.margin, c->dt);
            ooze_ballistic_stick(&m, i, pull, c->dt, touches);
        }
    }
    ooze_contact_resolve(c->solids, c->solid_count, &job->rule, from, &m.position, &m.velocity,
                         touches);
    *x = (OozeFloat4){(float)m.position.x, (float)m.position.y, (float)m.position.z, 0};
    *v = (OozeFloat4){(float)m.velocity.x, (float)m.velocity.y, (float)m.velocity.z, 0};
}

static OozeSolidImpulses sum_dynamic_impulses(const FlightJob *job, const OozeTouches *touches)
{
    OozeSolidImpulses impulses = {.count = 0};
    for (int t = 0; t < touches->count; t++) {
        const OozeTouch *touch = &touches->item[t];
        if (ooze_solid_is_dynamic(&job->context->solids[touch->solid])) {
            ooze_impulses_add(&impulses, touch->solid, touch->point, touch->change);
        }
    }
    return impulses;
}

static void fly(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const FlightJob *job = data;
    float gx = (float)job->context->gravity.x;
    float gy = (float)job->context->gravity.y;
    float gz = (float)job->context->gravity.z;
    for (uint64_t i = begin; i < end; i++) {
        bool prescribed = job->context->prescribed && job->context->prescribed[i];
        const OozeFlight *f =
            &job->flights[prescribed ? job->context->material_count : job->materials[i]];
        OozeFloat4 *x = &job->positions[i], *v = &job->velocities[i];
        OozeVec3 from = vec3(x->x, x->y, x->z);
        x->x = ooze_flight_position(f, x->x, v->x, gx);
        x->y = ooze_flight_position(f, x->y, v->y, gy);
        x->z = ooze_flight_position(f, x->z, v->z, gz);
        v->x = ooze_flight_velocity(f, v->x, gx);
        v->y = ooze_flight_velocity(f, v->y, gy);
        v->z = ooze_flight_velocity(f, v->z, gz);
        OozeTouches touches;
        touches.count = 0;
        collide_with_solids(job, from, x, v, &touches);
        if (job->impulses) {
            job->impulses[i] = sum_dynamic_impulses(job, &touches);
        }
    }
}

OozeContactRule ooze_ballistic_contact_rule(const OozeStepContext *c)
{
    return (OozeContactRule){.margin = c->params[PARAM_CONTACT_DISTANCE] * c->spacing,
                             .tolerance = 0.1 * c->spacing,
                             .dt = c->dt,
                             .dry = true};
}

void ooze_ballistic_flights(const OozeStepContext *c, OozeFlight *flights)
{
    for (int m = 0; m < c->material_count; m++) {
        flights[m] = ooze_flight(c->materials[m].values[OOZE_MATERIAL_DRAG], c->dt);
    }
    flights[c->material_count] = (OozeFlight){.keep = 1.0f, .glide = (float)c->dt};
}

static OozeStatus step(void *data, OozeStepContext *context, OozeError *error)
{
    (void)data;
    OozeFlight *flights =
        ooze_arena_alloc(context->arena, (size_t)context->material_count + 1, sizeof *flights);
    uint64_t n = ooze_particles_count(context->particles);
    bool coupling = context->dynamic && (n > 0 || context->halo);
    OozeSolidImpulses *impulses =
        coupling ? ooze_arena_alloc(context->arena, n, sizeof *impulses) : NULL;
    if (ooze_arena_failed(context->arena)) {
        return ooze_fail_memory(error, "the ballistic step", coupling ? n * sizeof *impulses : 0);
    }
    ooze_ballistic_flights(context, flights);
    FlightJob job = {
        .context = context,
        .rule = ooze_ballistic_contact_rule(context),
        .flights = flights,
        .positions = ooze_particles_positions(context->particles),
        .velocities = ooze_particles_velocities(context->particles),
        .materials = ooze_particles_materials(context->particles),
        .impulses = impulses,
    };
    ooze_parallel_for(context->threads, n, 4096, fly, &job);
    return coupling ? ooze_impulses_share(context, impulses, job.velocities, error) : OOZE_OK;
}

static OozeStatus explain(const OozeStepContext *c, const OozeExplanation *explanation,
                          OozeError *error)
{
    (void)error;
    bool drags = false, collides = false;
    for (int m = 0; m < c->material_count; m++) {
        drags = drags || c->materials[m].values[OOZE_MATERIAL_DRAG] > 0.0;
    }
    for (int k = 0; k < c->solid_count; k++) {
        collides = collides || ooze_solid_collides(&c->solids[k]);
    }
    ooze_text_append(explanation->lines, "flight: gravity%s\n", drags ? " and drag" : "");
    if (collides) {
        ooze_text_append(explanation->lines, "collisions: with solids, along the path\n");
    }
    return OOZE_OK;
}

const OozeMethod ooze_method_ballistic = {
    .info = {.name = "ballistic",
             .summary = "particles fly under gravity and drag, and bounce off solids; they do not "
                        "feel each other",
             .reference = "",
             .params = params,
             .param_count = PARAM_COUNT},
    .material_keys = material_keys,
    .ghost_fields = no_ghost_fields,
    .traces_paths = true,
    .wall_friction = ooze_solid_dry_friction,
    .sticks_to_solids = true,
    .pushes_solids = true,
    .step = step,
    .explain = explain,
};
