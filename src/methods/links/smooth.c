#include "methods/links/smooth.h"

#include "base/fail.h"

static void inverse_mass_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksSmooth *m = data;
    const OozeStepContext *c = m->s->context;
    const uint16_t *material = ooze_particles_materials(c->particles);
    for (uint64_t i = begin; i < end; i++) {
        m->inverse_mass[i] =
            c->prescribed && c->prescribed[i] ? 0.0f : m->s->material_inverse_mass[material[i]];
    }
}

OozeStatus ooze_links_smooth(OozeLinksStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    OozeLinksSmooth m = {.s = s,
                         .fluid = (float)c->params[OOZE_LINKS_XSPH],
                         .walls = (float)c->params[OOZE_LINKS_WALL_XSPH]};
    if (m.fluid == 0.0f && m.walls == 0.0f) {
        return OOZE_OK;
    }
    m.next = ooze_arena_alloc(c->arena, s->n, sizeof *m.next);
    OozeArenaMark mark = ooze_arena_mark(c->arena);
    uint64_t pairs = c->fluid->first[s->n];
    m.inverse_mass = ooze_arena_alloc(c->arena, s->local + 1, sizeof *m.inverse_mass);
    m.moving = ooze_arena_alloc(c->arena, s->local + 1, sizeof *m.moving);
    m.value = ooze_arena_alloc(c->arena, pairs, sizeof *m.value);
    if (ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "smoothed velocities", pairs * sizeof *m.value);
    }
    m.inverse_mass[s->local] = 1.0f;
    m.moving[s->local] = ooze_f32x4(0, 0, 0, 1);
    const OozeLinksSmoothLoops *loops = ooze_links_smooth_loops();
    ooze_parallel_for(c->threads, s->n, OOZE_LINKS_GRAIN, inverse_mass_range, &m);
    ooze_halo_refresh(c->halo, m.inverse_mass, sizeof *m.inverse_mass);
    ooze_parallel_for(c->threads, s->n, OOZE_LINKS_GRAIN, loops->densities, &m);
    ooze_halo_refresh(c->halo, m.moving, sizeof *m.moving);
    ooze_parallel_for(c->threads, s->n, OOZE_LINKS_GRAIN, loops->smooth, &m);
    ooze_arena_rewind(c->arena, mark);
    s->u = m.next;
    return OOZE_OK;
}
