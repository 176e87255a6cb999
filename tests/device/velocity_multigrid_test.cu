/* Velocity solves by multigrid take as many iterations on the device as on the processor, and give
   the same velocities. */
#include "cuda/engine.cuh"

#include "device_world.h"
#include "frames_apart.h"

extern "C" {
#include "device/velocity_multigrid_case.h"
}

enum { AUTO, MASS, MULTIGRID };

/* ---- single solves ---- */

/* Total momentum of a frame over the mass of a particle, linear and angular. */
static void momenta(const OozeFrame *frame, double m[6])
{
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *u = ooze_frame_field(frame, "velocity");
    for (int k = 0; k < 6; k++) {
        m[k] = 0.0;
    }
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        double p[3], v[3];
        for (int k = 0; k < 3; k++) {
            p[k] = ooze_field_value(x, i, k);
            v[k] = ooze_field_value(u, i, k);
            m[k] += v[k];
        }
        m[3] += p[1] * v[2] - p[2] * v[1];
        m[4] += p[2] * v[0] - p[0] * v[2];
        m[5] += p[0] * v[1] - p[1] * v[0];
    }
}

static void single_solves_agree(void **state)
{
    (void)state;
    const double tolerance = 1e-5;
    const char *name;
    for (int k = 0;
         OozeWorld *host = multigrid_case_world(k, MULTIGRID, tolerance, OOZE_DEVICE_CPU, &name);
         k++) {
        OozeWorld *device = multigrid_case_world(k, MULTIGRID, tolerance, OOZE_DEVICE_CUDA, &name);
        const BothSteps both = step_both(host, device);
        double speed = apart(both.a, nullptr, "velocity", 3);
        double u = apart(both.a, both.b, "velocity", 3) / speed;
        printf("  %s: u %.1e of %.2e m/s, %d and %d iterations\n", name, u, speed,
               both.here.iterations, both.there.iterations);
        assert_true(host->report.multigrid && device->report.multigrid);
        assert_in_range(both.there.iterations + 1, both.here.iterations, both.here.iterations + 2);
        assert_true(both.there.iterations > 3 && both.there.unconverged_steps == 0);
        assert_true(u < 10 * tolerance);
        ooze_world_destroy(host);
        ooze_world_destroy(device);
    }
}

/* A solve to 1e-2 loses a hundredth of the momentum unless it is restored. */
static void free_bodies_keep_their_momenta(void **state)
{
    (void)state;
    const char *name;
    OozeWorld *device = multigrid_case_world(1, MULTIGRID, 1e-2, OOZE_DEVICE_CUDA, &name);
    double before[6], after[6];
    momenta(ooze_world_frame(device), before);
    CHECK_OK(ooze_world_step(device, &error));
    momenta(ooze_world_frame(device), after);
    double size = fabs(before[0]) + fabs(before[1]) + fabs(before[2]);
    for (int k = 0; k < 6; k++) {
        printf("  momentum %d: %.6g, then %.6g\n", k, before[k], after[k]);
        assert_true(fabs(after[k] - before[k]) < 2e-6 * size);
    }
    ooze_world_destroy(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_solves_agree),
        cmocka_unit_test(free_bodies_keep_their_momenta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
