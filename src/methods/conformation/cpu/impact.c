#include "methods/conformation/cpu/impact.h"

#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/conformation/cpu/impact_solve.h"

enum { GRAIN = OOZE_CONFORMATION_GRAIN };

/* ---- whether a step is long ---- */

typedef struct ExtremesJob {
    const OozeConformationStep *step;
    OozeImpactExtremes *chunk;
} ExtremesJob;

static void extremes_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const ExtremesJob *job = data;
    const OozeConformationStep *s = job->step;
    OozeImpactExtremes found = {0.0f, 0.0f};
    for (uint64_t i = begin; i < end; i++) {
        found = ooze_impact_widen(found, ooze_impact_extremes_of(s, i));
    }
    job->chunk[begin / GRAIN] = found;
}

OozeStatus ooze_impact_begin(OozeConformationStep *s, OozeError *error)
{
    uint64_t chunks = s->n / GRAIN + 1;
    if (s->plan->settings.impact_passes == 0) {
        return OOZE_OK;
    }
    ExtremesJob job = {s, ooze_arena_alloc(s->context->arena, chunks, sizeof *job.chunk)};
    if (!job.chunk) {
        return ooze_fail_memory(error, "the conformation step", chunks * sizeof *job.chunk);
    }
    ooze_parallel_for(s->context->threads, s->n, GRAIN, extremes_range, &job);
    OozeImpactExtremes all = {0.0f, 0.0f};
    for (uint64_t k = 0; k * GRAIN < s->n; k++) {
        all = ooze_impact_widen(all, job.chunk[k]);
    }
    double ends[2] = {(double)all.square, (double)all.density};
    ooze_halo_max(s->context->halo, ends, 2);
    all = (OozeImpactExtremes){(float)ends[0], (float)ends[1]};
    s->long_step = ooze_impact_is_long(all, s->spacing, s->dt);
    return OOZE_OK;
}

/* ---- contacts with solids ---- */

static OozeContactScale scale_of(const OozeConformationStep *s)
{
    return (OozeContactScale){s->context->dt, s->context->spacing, (double)s->contact_distance};
}

/* Follows the path of particle i to the solid. */
static bool meets(const OozeConformationStep *s, uint64_t i, const OozeSolid *solid,
                  OozeContact *contact, double *speed)
{
    OozeContactScale scale = scale_of(s);
    OozeImpactPath path =
        ooze_impact_path(&scale, ooze_vector_widen(s->x0[i]), ooze_vector_widen(s->u[i]));
    bool stops = false;
    for (int k = 0; k < OOZE_IMPACT_PATH_POINTS && path.at <= path.end && !stops; k++) {
        *contact = ooze_solid_contact(solid, ooze_impact_point(&scale, &path));
        stops = ooze_impact_advance(&scale, contact, &path);
    }
    *speed = path.speed;
    return stops;
}

static bool is_screened(const OozeConformationStep *s, uint64_t i, OozeVec3 normal)
{
    const OozeNeighbours *list = s->context->fluid;
    bool screened = false;
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last && !screened; e++) {
        OozeF32x4 d = s->x0[list->index[e]] - s->x0[i];
        d = ooze_f32x4_nearest(d, &s->context->periodic);
        screened = ooze_impact_screens((const float *)&d, normal, (float)s->context->spacing);
    }
    return screened;
}

void ooze_impact_meet(const OozeConformationStep *s, uint64_t i, const OozeSolid *solid,
                      OozeContactSearch *search)
{
    OozeContact contact;
    double speed;
    OozeVec3 u = ooze_vector_widen(s->u[i]);
    if (meets(s, i, solid, &contact, &speed) && !is_screened(s, i, contact.normal)) {
        ooze_contact_meet(search, &contact, speed, u, ooze_solid_fluid_friction(solid));
    }
}

/* ---- contacts that a pass has missed ---- */

/* The contact set of a particle that has none, where it ends deeper than OOZE_IMPACT_DEPTH in a
   solid. */
static OozeContactSet missed_set(const OozeConformationStep *s, uint64_t i, uint64_t near)
{
    const OozeStepContext *c = s->context;
    OozeContactSearch search = {.set = {.count = 0}};
    OozeVec3 u = ooze_vector_widen(s->u[i]);
    OozeVec3 end = vec3_madd(ooze_vector_widen(s->x0[i]), c->dt, u);
    const OozeContactScale scale = scale_of(s);
    ooze_contact_begin(&search);
    for (int k = 0; k < c->solid_count; k++) {
        const OozeSolid *solid = &c->solids[k];
        bool dynamic = s->own->coupling && ooze_coupling_is_dynamic(s->own->coupling, k);
        if (!ooze_broad_phase_has(near, k) || solid->params[OOZE_SOLID_COLLIDES] == 0.0 ||
            dynamic) {
            continue;
        }
        OozeContact contact;
        OozeVec3 normal;
        double speed;
        if (ooze_solid_distance(solid, end, &normal) < ooze_impact_least_distance(&scale) &&
            meets(s, i, solid, &contact, &speed)) {
            ooze_contact_meet(&search, &contact, speed, u, ooze_solid_fluid_friction(solid));
        }
    }
    ooze_contact_add_tangents(&search);
    return search.set;
}

/* Contacts of the particles that u takes into a solid nevertheless. Returns their number. */
static uint64_t add_missed_contacts(OozeConformationStep *s)
{
    uint64_t added = 0;
    ooze_conformation_find_near_solids(s);
    for (uint64_t i = 0; i < s->n; i++) {
        uint64_t near = s->own->contact_near[i / OOZE_BROAD_PHASE_GROUP];
        int32_t of = s->contact_of[i];
        if (!near || !ooze_impact_may_miss(s, i)) {
            continue;
        }
        OozeContactSet set = missed_set(s, i, near);
        if (set.count > 0 && (of >= 0 || s->own->contact_count < s->contact_room)) {
            of = of >= 0 ? of : (int32_t)s->own->contact_count++;
            s->contact_of[i] = of;
            s->contact_sets[of] = set;
            added++;
        }
    }
    return added;
}

/* ---- passes of the velocity solve ---- */

OozeStatus ooze_impact_end_pass(OozeLodge *solve, OozeError *error)
{
    OozeConformationStep *s = solve->step;
    uint64_t pairs = 0;
    bool contacts = ooze_halo_any(s->context->halo, add_missed_contacts(s) > 0);
    OozeStatus status = ooze_impact_find_pairs(solve, &pairs, error);
    solve->own->new_pairs = pairs > 0;
    solve->passes = ooze_impact_passes(solve->pass, solve->passes, s->plan->settings.passes,
                                       contacts || pairs > 0);
    ooze_timer_lap(s->context->timer, "contact");
    return status;
}
