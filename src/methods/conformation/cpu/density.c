/* Stages that methods share (src/solvers), with the settings of this method. */
#include <math.h>

#include "methods/conformation/bodies/step_bodies.h"
#include "methods/conformation/pressure_solve.h"
#include "solvers/pairs/gather.h"

OozeStatus ooze_conformation_gather(OozeConformationStep *s, OozeError *error)
{
    OozeGather gather = {.context = s->context,
                         .n = s->n,
                         .support = s->support,
                         .volume = s->volume,
                         .wall_scale = s->wall_scale,
                         .dynamic = s->own->coupling != NULL,
                         .strain_scale = s->plan->strain_scale,
                         .wall_strain_scale = s->plan->wall_strain_scale,
                         .x = s->x0,
                         .memory = &s->memory->edges,
                         .gathered = s->own->gathered,
                         .wall_edge = s->own->wall_edge};
    OozeStatus status = ooze_gather(&gather, error);
    *s->own->edges = gather.edges;
    s->own->gathered = gather.gathered;
    s->own->wall_edge = gather.wall_edge;
    s->edge_sum = gather.edge_sum;
    s->correction = gather.correction;
    s->density = gather.density;
    s->surface_indicator = gather.surface_indicator;
    return status;
}

OozeStatus ooze_conformation_density(OozeConformationStep *s, OozeError *error)
{
    OozeDensityJob job = ooze_conformation_density_job(s);
    job.own = s->memory->density;
    job.memory = &s->memory->edges; /* gathered data are not needed meanwhile */
    if (s->own->coupling) {         /* at the new poses of the solids */
        OozeStatus status = ooze_coupling_place_samples(s->own->coupling, error);
        if (status) {
            return status;
        }
        ooze_coupling_remember_motion(s->own->coupling);
        job.context = s->own->coupling->context;
        job.coupling = s->own->coupling;
        job.has_pressure = s->reached;
    }
    job.workspace = s->own->gathered;
    if (s->own->bodies) {
        job.ignores_boundary = s->own->bodies->ignores_boundary;
        for (uint64_t i = 0; i < s->n; i++) { /* the rest density of a body is its own */
            bool part = s->own->bodies->ignores_boundary[i];
            s->density_target[i] = part ? s->own->bodies->density_target[i] : s->density_target[i];
            s->load_excess[i] = part ? INFINITY : s->load_excess[i];
        }
    }
    if (s->own->bodies && s->own->bodies->all.rigid_count > 0) {
        job.rigid = s->own->bodies->rigid_of;
        job.effective_inverse_mass = s->own->bodies->effective_inverse_mass;
        job.between = ooze_step_bodies_shift;
        job.user = s;
    }
    return ooze_density_solve(&job, s->x, s->shift, error);
}
