/* The shared stages as this method calls them. */
#include <math.h>

#include "methods/conformation/step_bodies.h"
#include "methods/gather.h"

void ooze_velocity_solve_report(const OozeVelocitySolve *solve, OozeStepReport *report)
{
    report->iterations = solve->iterations;
    report->residual = solve->first > 0.0 ? sqrt(solve->last / solve->first) : 0.0;
    report->unmet = solve->asked && solve->last > solve->stop;
}

OozeStatus ooze_conformation_gather(OozeConformationStep *s, OozeError *error)
{
    OozeGather gather = {.context = s->context,
                         .n = s->n,
                         .support = s->support,
                         .volume = s->volume,
                         .wall_scale = s->wall_scale,
                         .dynamic = s->coupled != NULL,
                         .strain_scale = s->strain_scale,
                         .wall_strain_scale = s->wall_strain_scale,
                         .x = s->x0,
                         .memory = s->edge_memory,
                         .sums = s->sums,
                         .wall_edge = s->wall_edge};
    OozeStatus status = ooze_gather(&gather, error);
    s->edges = gather.edges;
    s->sums = gather.sums;
    s->wall_edge = gather.wall_edge;
    s->edge_sum = gather.edge_sum;
    s->correction = gather.correction;
    s->density = gather.density;
    s->open = gather.open;
    return status;
}

OozeDensityJob ooze_conformation_density_job(OozeConformationStep *s, OozeDensityMemory *own)
{
    return (OozeDensityJob){
        .context = s->context,
        .n = s->n,
        .support = s->support,
        .volume = s->volume,
        .wall_scale = s->wall_scale,
        .contact = s->settings.contact,
        .iterations = s->settings.density_iterations,
        .tolerance = s->settings.density_tolerance,
        .mobility = s->mobility,
        .apart = s->settings.apart,
        .drift = s->settings.apart > 0.0f ? s->drift : NULL,
        .limit = s->limit,
        .settled = s->settled,
        .borne = s->borne,
        .start = s->x0,
        .grid = own->grid,
        .near = &own->near,
        .near_walls = &own->near_walls,
    };
}

OozeStatus ooze_conformation_density(OozeConformationStep *s, OozeDensityMemory *own, OozeFour *x,
                                     OozeFour *shift, OozeError *error)
{
    OozeDensityJob job = ooze_conformation_density_job(s, own);
    job.memory = s->edge_memory; /* nothing that was gathered is needed meanwhile */
    if (s->coupled) {            /* in the world as it has come to be */
        OozeStatus status = ooze_coupled_place_samples(s->coupled, error);
        if (status) {
            return status;
        }
        job.context = s->coupled->context;
        job.coupled = s->coupled;
    }
    job.lent = s->sums;
    if (s->bodies) {
        job.bare = s->bodies->bare;
        for (uint64_t i = 0; i < s->n; i++) { /* a body is as dense as it was made */
            bool part = s->bodies->bare[i];
            s->limit[i] = part ? s->bodies->limit[i] : s->limit[i];
            s->borne[i] = part ? INFINITY : s->borne[i];
        }
    }
    if (s->bodies && s->bodies->all.rigid_count > 0) {
        job.rigid = s->bodies->rigid_of;
        job.ease = s->bodies->ease;
        job.between = ooze_step_bodies_shift;
        job.user = s;
    }
    return ooze_density_solve(&job, x, shift, error);
}
