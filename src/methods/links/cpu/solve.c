/* The iterations of the links method on the processor. Their push-out is that of the density
   stage. */
#include "methods/links/cpu/fours.h"
#include "solvers/density/cpu/density_solids.h"
#include "solvers/density/cpu/push_out.h"

/* Particles leave solids as in the density stage. */
typedef struct OozeLinksPushOut {
    OozeDensityJob job;
    OozeDensitySweep sweep;
    OozePushOut out;
} OozeLinksPushOut;

static OozeStatus allocate_pairs(OozeLinksStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const OozeLinkTable *table = &s->memory->table;
    const OozeLinkRows *far = &table->far[0];
    const uint64_t n = machine->n;
    s->near = s->k.linked ? &table->near[0] : &table->near[1];
    const uint64_t pairs = s->near->first[n];
    s->push = ooze_machine_alloc(machine, pairs, sizeof *s->push);
    if (s->k.linked) {
        uint64_t others = n ? far->first[n - 1] + ooze_link_fours(far->count[n - 1]) : 0;
        s->rest = table->rest[0].values;
        s->pull = ooze_machine_alloc(machine, pairs, sizeof *s->pull);
        s->far_pull = ooze_machine_alloc(machine, others, sizeof *s->far_pull);
    }
    return ooze_machine_status(machine, "pairs", error);
}

static OozeStatus begin_push_out(OozeLinksStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    OozeStepContext *c = machine->context;
    const uint64_t chunks = machine->n / OOZE_DENSITY_GRAIN + 1;
    OozeLinksPushOut *p = ooze_machine_alloc(machine, 1, sizeof *p);
    uint8_t *inside = ooze_machine_alloc(machine, chunks, sizeof *inside);
    OozeStatus status = ooze_machine_status(machine, "links", error);
    if (status) {
        return status;
    }
    *p = (OozeLinksPushOut){
        .job = {.context = c,
                .n = machine->n,
                .contact = s->k.contact,
                .coupling = c->dynamic ? &s->memory->coupling : NULL,
                .start = s->x0},
        .sweep = {.job = &p->job,
                  .x = s->x,
                  .shift = s->shift,
                  .mobility = s->inverse_mass,
                  .order = s->order,
                  .inside = inside},
    };
    s->memory->push_out = p;
    return ooze_push_out_begin(&p->out, &p->sweep, error);
}

OozeStatus ooze_links_begin_solve(OozeLinksStep *s, OozeError *error)
{
    OozeStatus status = begin_push_out(s, error);
    status = status ? status : allocate_pairs(s, error);
    ooze_links_set_scales(s);
    return status;
}

void ooze_links_find_multipliers(OozeLinksStep *s)
{
    ooze_links_run(s, ooze_links_loops()->multipliers);
}

void ooze_links_correct(OozeLinksStep *s)
{
    ooze_links_run(s, ooze_links_loops()->correct);
}

void ooze_links_push_out(OozeLinksStep *s)
{
    ooze_push_out(&s->memory->push_out->out);
}

void ooze_links_move_solids(OozeLinksStep *s)
{
    ooze_density_move_solids(&s->memory->push_out->sweep);
}
