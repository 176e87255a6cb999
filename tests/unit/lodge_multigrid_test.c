/* The parts of the multigrid preconditioner of the velocity solve, on neighbourhoods of every kind:
   diagonal blocks of the operator, matrices of elements, and the preconditioner as a whole. */
#include "conformation_case.h"
#include "methods/conformation/cpu/lodge_multigrid.h"
#include "solvers/multigrid/velocity_multigrid_levels.h"

typedef struct Solve {
    Stepped *s;
    OozeLodge lodge;
    OozeLodgeOwn own;
    OozeConformationMemory memory;
    OozeArena *arena;
} Solve;

/* Stiffness from `soft` to twice that, m2/s, in all directions or not. */
static Solve *solve_create(const Setting *setting, bool held, float soft, bool isotropic)
{
    Solve *w = ooze_alloc_zero(1, sizeof *w);
    assert_non_null(w);
    w->s = stepped_create(setting, held);
    w->arena = ooze_arena_create();
    assert_non_null(w->arena);
    Case *c = w->s->c;
    OozeConformationStep *step = &w->s->step;
    uint64_t padded = c->n + OOZE_LIST_PAD;
    c->context.arena = w->arena;
    step->volume = 0.00097f;
    w->s->plan.strain_scale = case_strain_scale();
    w->s->plan.settings = (OozeConformationSettings){
        .preconditioner = OOZE_PRECONDITIONER_MULTIGRID, .velocity_iterations = 1, .bulk = 5.0f};
    step->memory = &w->memory;
    w->lodge = (OozeLodge){
        .step = step,
        .stiffness = random_sym3s(c, 31, 0.6, isotropic ? 0.0 : 0.2),
        .explicit_stress = random_sym3s(c, 32, 0.0, 3.0),
        .bulk = random_floats(c, 33, 0.0, 2.0),
        .hourglass = random_floats(c, 34, 0.0, 0.05),
        .edge_hourglass = case_array(c, padded, sizeof(float)),
        .r = random_fours(c, 35),
        .p = random_fours(c, 36),
        .ap = random_fours(c, 37),
        .own = &w->own,
        .uses_grids = true,
    };
    w->own = (OozeLodgeOwn){.flux = case_array(c, padded, sizeof(OozeRows)),
                            .partial =
                                case_array(c, c->n / OOZE_CONFORMATION_GRAIN + 1, sizeof(double))};
    for (uint64_t i = 0; i < c->n; i++) {
        float factor = soft * between(38, i, 0, 1.0, 2.0);
        bool singular = step->correction[i].xx == 0.0f;
        w->lodge.stiffness[i] = ooze_sym3_scale(w->lodge.stiffness[i], factor / 0.6f);
        w->lodge.bulk[i] = 5.0f * ooze_sym3_trace(w->lodge.stiffness[i]) / 3.0f;
        w->lodge.hourglass[i] = singular ? 0.0f : factor;
    }
    run_all(c, ooze_lodge_loops()->edge_hourglass, &w->lodge);
    CHECK_OK(ooze_lodge_multigrid_begin(&w->lodge, &error));
    return w;
}

static void solve_destroy(Solve *w)
{
    ooze_velocity_multigrid_destroy(w->memory.multigrid);
    ooze_arena_destroy(w->arena);
    stepped_destroy(w->s);
    ooze_free(w);
}

/* ---- diagonal ---- */

/* The operator times a unit velocity of particle i, at i: a column of D. */
static OozeF32x4 column_of(Solve *w, uint64_t i, int k)
{
    Case *c = w->s->c;
    memset(w->lodge.p, 0, c->n * sizeof *w->lodge.p);
    w->lodge.p[i][k] = 1.0f;
    w->own.unprojected = true;
    ooze_lodge_multiply(&w->lodge);
    return w->lodge.ap[i];
}

static void diagonal_is_that_of_the_operator(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int k = 0; k < 2 * SETTING_COUNT; k++) {
        Solve *w = solve_create(&settings[k / 2], true, 0.6f, k % 2);
        for (uint64_t i = 0; i < w->s->c->n; i += 7) {
            OozeMat3 d = ooze_mat3_from_sym3(w->lodge.multigrid->diagonal[i]);
            float trace = d.m[0] + d.m[4] + d.m[8];
            for (int e = 0; e < 9; e++) {
                OozeF32x4 column = column_of(w, i, e % 3);
                worst = fmax(worst, fabs((double)(column[e / 3] - d.m[e]) / (double)trace));
            }
        }
        solve_destroy(w);
    }
    printf("  largest difference over the trace: %.2g\n", worst);
    assert_true(worst < 2e-5); /* sums of some hundred terms that cancel in part */
}

/* ---- matrices of elements ---- */

/* A particle without walls or constrained directions, as a boundary particle: the same matrix. */
static void moments_are_sums_over_particles(void **state)
{
    (void)state;
    const float inverse[3] = {5.0f, 4.0f, 6.0f};
    float direct[OOZE_VELOCITY_HALF] = {0}, half[OOZE_VELOCITY_HALF] = {0}, largest = 0.0f;
    OozeVelocityMoments sum;
    memset(&sum, 0, sizeof sum);
    for (uint64_t i = 0; i < 9; i++) {
        OozeVelocityBoundaryParticle plain;
        OozeVelocityCorners corners;
        memset(&plain, 0, sizeof plain);
        plain.correction = random_sym3(61, i, 1.0, 0.2);
        plain.fluid = ooze_sym3_inverse(plain.correction);
        plain.hourglass = 3.0f; /* vanishes on linear fields */
        float into[3] = {between(62, i, 0, 0, 1), between(62, i, 1, 0, 1), between(62, i, 2, 0, 1)};
        OozeSym3 a = random_sym3(63, i, 2.0, 0.7);
        float mass = between(64, i, 0, 10, 20), bulk = between(64, i, 1, 1, 9);
        ooze_velocity_corners(&plain, into, inverse, a, &corners);
        const OozeVelocityParticle own = {mass, a, bulk};
        ooze_velocity_add_boundary_particle(&plain, &corners, &own, direct);
        ooze_velocity_add_particle(&sum, into, mass, a, bulk);
    }
    for (int c = 0; c < OOZE_VELOCITY_COEFFICIENTS; c++) {
        ooze_velocity_scale_basis(&sum.of[c], inverse);
    }
    for (int a = 0; a < 8; a++) {
        for (int b = a; b < 8; b++) {
            ooze_velocity_add_pair(sum.of, sum.mass, a, b, -1.0f, half + ooze_velocity_pair(a, b));
        }
    }
    for (int k = 0; k < OOZE_VELOCITY_HALF; k++) {
        largest = fmaxf(largest, fabsf(direct[k]));
    }
    for (int k = 0; k < OOZE_VELOCITY_HALF; k++) {
        assert_true(fabsf(direct[k] - half[k]) < 1e-5f * largest);
    }
}

/* The same for stiffness that is equal in all directions, of which one coefficient is enough. */
static void isotropic_blocks_are_those_of_tensors(void **state)
{
    (void)state;
    const float inverse[3] = {5.0f, 4.0f, 6.0f}, ratio = 5.0f;
    OozeVelocityMoments sum;
    float largest = 0.0f, tensors[OOZE_VELOCITY_HALF] = {0}, half[OOZE_VELOCITY_HALF] = {0};
    memset(&sum, 0, sizeof sum);
    for (uint64_t i = 0; i < 9; i++) {
        float into[3] = {between(62, i, 0, 0, 1), between(62, i, 1, 0, 1), between(62, i, 2, 0, 1)};
        float shear = between(63, i, 0, 1, 2), mass = between(64, i, 0, 10, 20);
        ooze_velocity_add_particle(&sum, into, mass, ooze_sym3_identity(shear), ratio * shear);
    }
    for (int c = 0; c < OOZE_VELOCITY_COEFFICIENTS; c++) {
        ooze_velocity_scale_basis(&sum.of[c], inverse);
    }
    for (int a = 0; a < 8; a++) {
        for (int b = a; b < 8; b++) {
            ooze_velocity_add_pair(sum.of, sum.mass, a, b, -1.0f,
                                   tensors + ooze_velocity_pair(a, b));
            ooze_velocity_add_pair(sum.of, sum.mass, a, b, ratio, half + ooze_velocity_pair(a, b));
        }
    }
    for (int k = 0; k < OOZE_VELOCITY_HALF; k++) {
        largest = fmaxf(largest, fabsf(tensors[k]));
    }
    for (int k = 0; k < OOZE_VELOCITY_HALF; k++) {
        assert_true(fabsf(tensors[k] - half[k]) < 1e-5f * largest);
    }
}

/* The matrix of element e, particle by particle. */
static void element_of(const Solve *w, const OozeMultigridLevel *level, uint64_t e, float *element)
{
    const OozeVelocityMultigridInput *in = &w->lodge.multigrid->input;
    float half[OOZE_VELOCITY_HALF] = {0};
    for (uint32_t k = level->child_first[e]; k < level->child_first[e + 1]; k++) {
        uint32_t i = level->child[k];
        OozeF32x4 t = w->memory.multigrid->grids.into[k];
        const float into[3] = {t[0], t[1], t[2]};
        OozeVelocityBoundaryParticle p;
        OozeVelocityCorners corners;
        memset(&p, 0, sizeof p);
        p.correction = p.fluid = ooze_sym3_identity(1.0f);
        if (in->boundary_particle_of[i] != OOZE_MULTIGRID_NONE) {
            p = in->boundary_particle[in->boundary_particle_of[i]];
        }
        ooze_velocity_corners(&p, into, w->memory.multigrid->grids.inverse, in->stiffness[i],
                              &corners);
        const OozeVelocityParticle own = {in->mass[i], in->stiffness[i], in->bulk[i]};
        ooze_velocity_add_boundary_particle(&p, &corners, &own, half);
    }
    ooze_velocity_store(half, element);
}

/* Loops of every instruction set against sums over the particles. */
static void elements_are_sums_over_particles(void **state)
{
    (void)state;
    const OozeVelocityLoops *const tables[OOZE_ISA_COUNT] = EVERY_TABLE(ooze_velocity_loops);
    for (int k = 0; k < 2 * SETTING_COUNT; k++) {
        Solve *w = solve_create(&settings[k / 2], true, 0.6f, k % 2);
        const OozeMultigridLevel level = w->memory.multigrid->grids.level[0];
        OozeVelocityRows rows = w->memory.multigrid->rows[0];
        uint64_t numbers = OOZE_VELOCITY_ELEMENT * level.cells;
        float wanted[OOZE_VELOCITY_ELEMENT];
        rows.element = case_array(w->s->c, numbers, sizeof(float));
        for (int isa = 0; isa <= (int)ooze_isa(); isa++) {
            OozeVelocitySweep sweep = {.mg = w->memory.multigrid,
                                       .level = &level,
                                       .rows = &rows,
                                       .input = &w->lodge.multigrid->input};
            tables[isa]->elements(&sweep, 0, level.cells, 0);
            for (uint64_t e = 0; e < level.cells; e++) {
                float largest = 0.0f;
                element_of(w, &level, e, wanted);
                for (int m = 0; m < OOZE_VELOCITY_ELEMENT; m++) {
                    largest = fmaxf(largest, fabsf(wanted[m]));
                }
                for (uint64_t m = 0; m < OOZE_VELOCITY_ELEMENT; m++) {
                    float got = rows.element[OOZE_VELOCITY_ELEMENT * e + m];
                    assert_true(fabsf(got - wanted[m]) <= 1e-5f * largest);
                }
            }
        }
        solve_destroy(w);
    }
}

/* ---- the preconditioner ---- */

/* z = W r for random numbers in the directions that are not held. */
static OozeF32x4 *respond(Solve *w, uint64_t seed, OozeF32x4 **residual)
{
    Case *c = w->s->c;
    OozeF32x4 *r = random_fours(c, seed), *z = case_array(c, c->n, sizeof *z);
    for (uint64_t i = 0; i < c->n; i++) {
        r[i] = ooze_lodge_project(&w->s->step, i, r[i]);
    }
    w->lodge.r = r;
    double rz = ooze_lodge_multigrid_precondition(&w->lodge), sum = 0.0;
    memcpy(z, w->lodge.multigrid->z, c->n * sizeof *z);
    float largest = 0.0f;
    for (uint64_t i = 0; i < c->n; i++) {
        largest = fmaxf(largest, ooze_f32x4_dot3(z[i], z[i]));
    }
    for (uint64_t i = 0; i < c->n; i++) {
        OozeF32x4 inside = ooze_lodge_project(&w->s->step, i, z[i]) - z[i];
        assert_true(ooze_f32x4_dot3(inside, inside) <= 1e-10f * largest);
        sum += (double)ooze_f32x4_dot3(r[i], z[i]);
    }
    assert_true(fabs(rz - sum) <= 1e-6 * fabs(sum));
    *residual = r;
    return z;
}

static double product(uint64_t n, const OozeF32x4 *a, const OozeF32x4 *b, double *size)
{
    double sum = 0.0;
    *size = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        sum += (double)ooze_f32x4_dot3(a[i], b[i]);
        *size += fabs((double)ooze_f32x4_dot3(a[i], b[i]));
    }
    return sum;
}

/* x.Wy = y.Wx, and x.Wx > 0, with stiffness of 0.1 and of 1e5 times mass times squared spacing over
   the time step. The second bound: rounding of floats times the ratio of stiffness to mass,
   of which directions of both kinds see a part. */
static void it_is_symmetric_and_positive(void **state)
{
    (void)state;
    double worst[2] = {0.0, 0.0};
    for (int k = 0; k < 4 * SETTING_COUNT; k++) {
        float soft = k % 2 ? 1e5f : 0.1f;
        Solve *w = solve_create(&settings[k / 4], k / 2 % 2, soft, k % 3 == 0);
        uint64_t n = w->s->c->n;
        OozeF32x4 *x, *y, *wx = respond(w, 71, &x), *wy = respond(w, 72, &y);
        double size_x, size_y, own;
        double xy = product(n, x, wy, &size_x), yx = product(n, y, wx, &size_y);
        worst[k % 2] = fmax(worst[k % 2], fabs(xy - yx) / (size_x + size_y));
        assert_true(product(n, x, wx, &own) > 0.0);
        assert_true(product(n, y, wy, &own) > 0.0);
        solve_destroy(w);
    }
    printf("  largest asymmetry: %.2g, stiff %.2g\n", worst[0], worst[1]);
    assert_true(worst[0] < 1e-6 && worst[1] < 5e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diagonal_is_that_of_the_operator),
        cmocka_unit_test(moments_are_sums_over_particles),
        cmocka_unit_test(isotropic_blocks_are_those_of_tensors),
        cmocka_unit_test(elements_are_sums_over_particles),
        cmocka_unit_test(it_is_symmetric_and_positive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
