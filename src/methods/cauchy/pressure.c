/* The pressure that removes the divergence of the velocities: L q = (s - D u)/dt by conjugate
   gradients with a multigrid preconditioner, then u += dt M^-1 D^T q. L is the compact Laplacian of
   MPS. Walls prescribe the normal velocity; missing neighbours of a free surface are air. */
#include "methods/cauchy/stages.h"

static OozeStatus allocate(OozeCauchyPressure *p, OozeError *error)
{
    OozeCauchyStep *s = p->step;
    OozeMachine *machine = s->machine;
    p->q = ooze_cauchy_gathered(s, sizeof *p->q);
    p->r = ooze_cauchy_gathered(s, sizeof *p->r);
    p->z = ooze_cauchy_gathered(s, sizeof *p->z);
    p->p = ooze_cauchy_gathered(s, sizeof *p->p);
    p->ap = ooze_cauchy_gathered(s, sizeof *p->ap);
    p->acceleration = ooze_cauchy_gathered(s, sizeof *p->acceleration);
    p->diagonal = ooze_machine_alloc(machine, machine->n, sizeof *p->diagonal);
    p->mass = ooze_machine_alloc(machine, machine->n, sizeof *p->mass);
    p->divergence = ooze_machine_alloc(machine, machine->n, sizeof *p->divergence);
    p->mean = ooze_machine_alloc(machine, 1, sizeof *p->mean);
    p->share = ooze_machine_alloc(machine, 1, sizeof *p->share);
    return ooze_machine_status(machine, "the pressure solve", error);
}

static void iterate(OozeCauchyPressure *p)
{
    OozeCauchyStep *s = p->step;
    OozeMachine *machine = s->machine;
    const OozeCauchyPressureStages *stages = s->stages->pressure;
    ooze_machine_refresh(machine, s->u, sizeof *s->u);
    stages->find_right_side(p);
    stages->start(p);
    const int most = s->k.pressure_iterations;
    for (int k = 0; k < most && ooze_machine_continues(machine, k, &p->cg->off); k++) {
        ooze_machine_refresh(machine, p->p, sizeof *p->p);
        stages->multiply(p);
        ooze_machine_lap(machine, "pressure_operator");
        stages->advance(p);
        ooze_machine_lap(machine, "pressure_multigrid");
    }
}

OozeStatus ooze_cauchy_project(OozeCauchyStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const OozeCauchyPressureStages *stages = s->stages->pressure;
    const OozeMachineMark mark = ooze_machine_mark(machine);
    OozeCauchyPressure p = {.step = s, .cg = &s->solves->pressure};
    OozeStatus status = allocate(&p, error);
    status = status ? status : stages->build_grids(&p, error);
    if (status) {
        return status;
    }
    ooze_machine_lap(machine, "pressure_grids");
    for (p.pass = 0; p.pass < s->k.pressure_passes; p.pass++) {
        iterate(&p);
        if (s->k.classic) {
            stages->clamp(&p);
        }
        ooze_machine_refresh(machine, p.q, sizeof *p.q);
        if (s->k.classic) {
            stages->find_classic_gradient(&p);
        } else {
            s->stages->accelerate(s, p.q, p.acceleration);
        }
        stages->find_share(&p);
        stages->apply(&p);
    }
    ooze_machine_rewind(machine, mark);
    ooze_machine_lap(machine, "pressure");
    return OOZE_OK;
}
