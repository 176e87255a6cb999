/* Velocities under external forces and stress: (M - dt K) u = M u* + dt div S0 by conjugate
   gradients, with M^-1 as preconditioner, so that every iterate keeps momentum. */
#include "methods/cauchy/stages.h"

static OozeStatus allocate(OozeCauchyVelocity *v, OozeError *error)
{
    OozeCauchyStep *s = v->step;
    v->hourglass = ooze_cauchy_gathered(s, sizeof *v->hourglass);
    v->edge_hourglass = ooze_cauchy_gathered(s, sizeof *v->edge_hourglass);
    v->flux = ooze_cauchy_gathered(s, 3 * sizeof *v->flux);
    v->r = ooze_cauchy_gathered(s, sizeof *v->r);
    v->p = ooze_cauchy_gathered(s, sizeof *v->p);
    v->ap = ooze_cauchy_gathered(s, sizeof *v->ap);
    v->u_star = ooze_machine_alloc(s->machine, s->machine->n, sizeof *v->u_star);
    return ooze_machine_status(s->machine, "the velocity solve", error);
}

static void multiply(OozeCauchyVelocity *v, OozeVector *input, bool explicit_terms)
{
    OozeMachine *machine = v->step->machine;
    const OozeCauchyVelocityStages *stages = v->step->stages->velocity;
    v->input = input;
    v->explicit_terms = explicit_terms;
    ooze_machine_refresh(machine, input, sizeof *input);
    stages->find_flux(v);
    ooze_machine_refresh(machine, v->flux, 3 * sizeof *v->flux);
    stages->apply_flux(v);
}

OozeStatus ooze_cauchy_solve_velocities(OozeCauchyStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const OozeCauchyVelocityStages *stages = s->stages->velocity;
    const OozeMachineMark mark = ooze_machine_mark(machine);
    OozeCauchyVelocity v = {.step = s, .cg = &s->solves->velocity};
    OozeStatus status = allocate(&v, error);
    if (status) {
        return status;
    }
    ooze_machine_refresh(machine, s->u, sizeof *s->u);
    stages->find_coefficients(&v);
    ooze_machine_refresh(machine, v.hourglass, sizeof *v.hourglass);
    stages->sum_hourglass(&v);
    ooze_machine_lap(machine, "stress");
    multiply(&v, s->u, true);
    if (s->k.explicit_viscosity) {
        stages->step_explicitly(&v);
    } else {
        stages->start(&v);
    }
    const int most = s->k.explicit_viscosity ? 0 : s->k.velocity_iterations;
    for (int k = 0; k < most && ooze_machine_continues(machine, k, &v.cg->off); k++) {
        multiply(&v, v.p, false);
        stages->advance(&v);
    }
    ooze_machine_rewind(machine, mark);
    ooze_machine_lap(machine, "velocities");
    return OOZE_OK;
}
