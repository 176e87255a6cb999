#include "device/grid_multigrid_case.h"

#include "mps_laplacian.h"
#include "solvers/multigrid/grid_multigrid_levels.h"

static void add_particles(Mps *s, MultigridCaseKind kind)
{
    const double none[3] = {0, 0, 0}, far[3] = {-400, 300, 200};
    const int block[3] = {42, 27, 39}, small[3] = {7, 8, 9}, one[3] = {1, 1, 1};
    if (kind == MULTIGRID_PERIODIC) {
        s->box[0] = 42 * s->spacing;
        s->box[2] = 39 * s->spacing;
    }
    if (kind == MULTIGRID_ISOLATED) {
        for (uint64_t k = 0; k < 100; k++) {
            mps_add(s, mps_random(3 * k), mps_random(3 * k + 1), mps_random(3 * k + 2), 1.0);
        }
    } else {
        mps_add_block(s, none, kind == MULTIGRID_ONE ? one : block, 0.2);
    }
    if (kind == MULTIGRID_FAR_APART) {
        mps_add_block(s, far, small, 0.2);
    }
    for (uint64_t i = 0; i < s->n; i++) {
        s->inverse_density[i] = i % 3 ? 1.0f : 0.1f;
    }
}

OozeStatus multigrid_case(MultigridCase *c, MultigridCaseKind kind, OozeError *error)
{
    Mps s = {.spacing = 0.01};
    add_particles(&s, kind);
    s.stiffness = ooze_alloc_zero(s.n, sizeof *s.stiffness);
    s.mass = ooze_alloc_zero(s.n, sizeof *s.mass);
    mps_allocate(&s);
    for (uint64_t i = 0; i < s.n; i++) {
        s.stiffness[i] = s.inverse_density[i];
        s.mass[i] = kind != MULTIGRID_CLOSED && i % 5 == 0 ? (float)(1 + i % 7) * 1e4f : 0.0f;
        s.r[i] = (float)(0.3 + mps_random(i));
    }
    OozeStatus status = mps_build(&s, error);
    if (!status) {
        ooze_grid_multigrid_apply(s.multigrid, s.r, s.z);
        *c = (MultigridCase){.n = s.n, .spacing = s.spacing};
        for (int k = 0; k < 3; k++) {
            c->periodic.length[k] = (float)s.box[k];
            c->periodic.inverse[k] = s.box[k] > 0.0 ? (float)(1.0 / s.box[k]) : 0.0f;
        }
        c->levels = s.multigrid->grids.levels;
        for (int k = 0; k < c->levels; k++) {
            c->cells[k] = s.multigrid->grids.level[k].cells;
            c->nodes[k] = s.multigrid->grids.level[k].nodes;
        }
        _Static_assert(sizeof *c->x == sizeof *s.x, "the same four floats");
        c->x = (OozeFloat4 *)s.x;
        c->stiffness = s.stiffness;
        c->mass = s.mass;
        c->r = s.r;
        c->z = s.z;
        s.x = NULL;
        s.stiffness = s.mass = s.r = s.z = NULL;
    }
    mps_free(&s);
    return status;
}

void multigrid_case_free(MultigridCase *c)
{
    void *blocks[] = {c->x, c->stiffness, c->mass, c->r, c->z};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        ooze_free(blocks[k]);
    }
}
