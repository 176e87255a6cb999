/* The multigrid preconditioner on the device against the processor's: the same grids, and the same
   corrections up to rounding. */
#include "device/fixture.cuh"

#include <vector>

#include "cuda/grid_multigrid.cuh"

extern "C" {
#include "device/grid_multigrid_case.h"
}

using namespace ooze;

/* The case in scratch memory, and its correction. */
struct Correction {
    GridMultigridInput input;
    float *r, *z;
    Correction(Gpu *m, const MultigridCase *c)
        : input{c->n,         sent<float4>(m, c->x, c->n),        c->spacing,
                &c->periodic, sent<float>(m, c->stiffness, c->n), sent<float>(m, c->mass, c->n)},
          r(sent<float>(m, c->r, c->n)), z(scratch<float>(m, c->n))
    {
    }
    std::vector<float> of(Gpu *m, const GridMultigrid *mg, const int32_t *off)
    {
        std::vector<float> found(input.n);
        clear(m, z, input.n * sizeof *z);
        grid_multigrid_apply(m, mg, r, z, off);
        copy_out(m, found.data(), z, input.n * sizeof *z);
        return found;
    }
};

/* One GridMultigrid serves cases of every size in turn. */
static void equals_the_processor(void **state)
{
    (void)state;
    TestGpu gpu;
    Gpu *m = &gpu.m;
    GridMultigrid *mg = new GridMultigrid();
    for (int kind = 0; kind < MULTIGRID_CASES; kind++) {
        MultigridCase c;
        CHECK_OK(multigrid_case(&c, (MultigridCaseKind)kind, &error));
        Mark mark = scratch_mark(m);
        Correction correction(m, &c);
        CHECK_OK(grid_multigrid_build(m, mg, &correction.input, &error));
        assert_int_equal(mg->levels, c.levels);
        for (int k = 0; k < c.levels; k++) {
            assert_int_equal(mg->level[k].cells, c.cells[k]);
            assert_int_equal(mg->level[k].nodes, c.nodes[k]);
        }
        std::vector<float> found = correction.of(m, mg, nullptr);
        double largest = 0.0, error = 0.0;
        for (uint64_t i = 0; i < c.n; i++) {
            const double size = fabs((double)c.z[i]), off = fabs((double)(found[i] - c.z[i]));
            largest = size > largest ? size : largest;
            error = off > error || off != off ? off : error;
        }
        printf("case %d: %d levels, largest %g, difference %.1e\n", kind, c.levels, largest,
               error / largest);
        assert_true(error <= 2e-5 * largest);
        std::vector<float> again = correction.of(m, mg, nullptr);
        assert_memory_equal(found.data(), again.data(), c.n * sizeof(float));
        scratch_rewind(m, mark);
        multigrid_case_free(&c);
    }
    grid_multigrid_free(m, mg);
    delete mg;
}

static void adds_nothing_when_off(void **state)
{
    (void)state;
    TestGpu gpu;
    Gpu *m = &gpu.m;
    GridMultigrid *mg = new GridMultigrid();
    MultigridCase c;
    CHECK_OK(multigrid_case(&c, MULTIGRID_BLOCK, &error));
    Correction correction(m, &c);
    const int32_t on_host = 1;
    const int32_t *off = sent<int32_t>(m, &on_host, 1);
    CHECK_OK(grid_multigrid_build(m, mg, &correction.input, &error));
    for (float z : correction.of(m, mg, off)) {
        assert_true(z == 0.0f);
    }
    GridMultigridInput nothing = correction.input;
    nothing.n = 0;
    CHECK_OK(grid_multigrid_build(m, mg, &nothing, &error));
    for (float z : correction.of(m, mg, nullptr)) {
        assert_true(z == 0.0f);
    }
    multigrid_case_free(&c);
    grid_multigrid_free(m, mg);
    delete mg;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_processor),
        cmocka_unit_test(adds_nothing_when_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
