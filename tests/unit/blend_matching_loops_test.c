/* Shape matching on every instruction set against regions, goals and rigid velocities that are
   summed up by definition. */
#include "blend_regions.h"
#include "loops_case.h"
#include "methods/blend/cpu/loops.h"

#include "physics/rigid_fit.h"

typedef struct Trial {
    const char *name;
    uint64_t n;
    double edge, radius; /* of the cloud; of the regions */
    OozeVec3 centre;
    bool damped;
} Trial;

static const Trial trials[] = {
    {"cloud", 300, 1, 0.35, {0.2, -0.1, 0.4}, true},
    {"without damping", 200, 1, 0.3, {-0.5, 0.2, 0}, false},
    {"one region", 50, 0.1, 1.5, {0, 0, 0}, true},
    {"far from the origin", 200, 1, 0.35, {120, -70, 90}, true},
    {"few", 5, 0.3, 0.5, {0, 0, 0}, true},
    {"alone", 1, 0.3, 0.5, {0, 0, 0}, true},
};
enum { TRIALS = sizeof trials / sizeof trials[0] };

/* Turned by a radian, sheared and bent, moved. */
static OozeVec3 deform(OozeVec3 q, const void *user)
{
    (void)user;
    OozeVec3 bent = vec3(q.x + 0.2 * q.y + 0.05 * sin(7 * q.z), 1.1 * q.y, q.z - 0.1 * q.x);
    return vec3_add(quat_rotate(quat_from_vector(vec3(0.5, 0.7, -0.5)), bent), vec3(3, 2, 1));
}

static void set_up(const Trial *t, OozeRegionKind kind, Shaped *s, OozeMatching *m)
{
    *s = shaped_cloud(t->n, t->edge, t->centre, 17);
    for (uint64_t i = 0; i < s->n; i++) {
        s->step[i] = i % 9 == 4 ? 12 : 3;
    }
    shaped_build(s, kind, t->radius, NULL);
    *m = shaped_matching(s, t->damped, deform, NULL);
    for (uint64_t k = 0; k < s->regions.n; k++) {
        m->position[k].weight *= (double)between(23, k, 0, 0.2, 3);
        if (m->velocity) {
            m->velocity[k] = (OozeMatchPoint){
                {(double)between(23, k, 1, -1, 1), (double)between(23, k, 2, -1, 1),
                 (double)between(23, k, 3, -1, 1)},
                s->regions.share[k] * (double)between(23, k, 4, 0, 2)};
        }
    }
}

/* ---- by definition --------------------------------------------------------------------------- */

/* Membership of a slot in a region, and how often the region counts in goals. */
static double weight_in(const OozeRegions *r, uint64_t region, uint64_t slot, double *count)
{
    const OozeFloat4 *q = &r->reference[slot];
    *count = 1;
    if (r->kind == OOZE_REGIONS_OF_PARTICLES) {
        for (uint64_t e = r->list_first[region]; e < r->list_first[region + 1]; e++) {
            if (r->list[e] == slot) {
                return 1;
            }
        }
        return 0;
    }
    const OozeRegionCell *cell = &r->cell[region];
    uint32_t step = 0;
    for (uint64_t c = 0; c < r->cells; c++) {
        step = slot >= r->cell[c].first ? r->cell[c].step : step;
    }
    *count = (double)(cell[1].first - cell[0].first);
    double product = step == cell->step;
    for (int a = 0; a < 3; a++) {
        double d = fabs((double)(&q->x)[a] / r->edge - (cell->at[2 - a] + 0.5));
        product *= d < 0.5 ? 0.75 - d * d : d < 1.5 ? 0.5 * (1.5 - d) * (1.5 - d) : 0;
    }
    return product;
}

static OozeVec3 vector(const double at[3])
{
    return vec3(at[0], at[1], at[2]);
}

/* Centres and rotation of a region, with Horn's rotation. */
typedef struct Fit {
    OozeVec3 x, q;
    OozeQuat turn;
    double moment; /* largest element of the moment: 0 leaves the rotation open */
} Fit;

static Fit fit_region(const Shaped *s, const OozeMatching *m, uint64_t region)
{
    Fit f = {.turn = quat_identity()};
    double sum = 0, count, moment[9] = {0}, q[4];
    for (uint64_t k = 0; k < s->regions.n; k++) {
        double w = m->position[k].weight * weight_in(&s->regions, region, k, &count);
        sum += w;
        f.x = vec3_madd(f.x, w, vector(m->position[k].at));
        f.q = vec3_madd(f.q, w, reference_of(s, k));
    }
    f.x = vec3_scale(f.x, 1 / sum);
    f.q = vec3_scale(f.q, 1 / sum);
    for (uint64_t k = 0; k < s->regions.n; k++) {
        double w = m->position[k].weight * weight_in(&s->regions, region, k, &count);
        OozeVec3 dx = vec3_sub(vector(m->position[k].at), f.x);
        OozeVec3 dq = vec3_sub(reference_of(s, k), f.q);
        const double from[3] = {dq.x, dq.y, dq.z}, to[3] = {dx.x, dx.y, dx.z};
        for (int e = 0; e < 9; e++) {
            moment[e] += w * from[e / 3] * to[e % 3];
        }
    }
    for (int e = 0; e < 9; e++) {
        f.moment = fmax(f.moment, fabs(moment[e]));
    }
    ooze_rigid_fit_quaternion(moment, q);
    f.turn = (OozeQuat){.w = q[0], .x = q[1], .y = q[2], .z = q[3]};
    return f;
}

/* Angular momentum about the region's centre that its spin leaves over, and how large it is; and
   the mean velocity. */
static double spin_residual(const Shaped *s, const OozeMatching *m, uint64_t region, OozeVec3 *mean)
{
    double sum = 0, count, size = 1e-12;
    OozeVec3 centre = vec3(0, 0, 0), left = vec3(0, 0, 0);
    *mean = vec3(0, 0, 0);
    for (uint64_t k = 0; k < s->regions.n; k++) {
        double w = m->velocity[k].weight * weight_in(&s->regions, region, k, &count);
        sum += w;
        centre = vec3_madd(centre, w, vector(m->position[k].at));
        *mean = vec3_madd(*mean, w, vector(m->velocity[k].at));
    }
    centre = vec3_scale(centre, 1 / sum);
    *mean = vec3_scale(*mean, 1 / sum);
    for (uint64_t k = 0; k < s->regions.n; k++) {
        double w = m->velocity[k].weight * weight_in(&s->regions, region, k, &count);
        OozeVec3 d = vec3_sub(vector(m->position[k].at), centre);
        OozeVec3 rigid = vec3_cross(vector(m->motion[region].spin), d);
        OozeVec3 v = vec3_sub(vec3_sub(vector(m->velocity[k].at), *mean), rigid);
        left = vec3_madd(left, w, vec3_cross(d, v));
        size += w * vec3_length(d);
    }
    return vec3_length(left) / size;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void run_loops(const OozeMatchingLoops *loops, OozeMatching *m)
{
    uint64_t n = m->regions->n, cells = m->regions->cells;
    if (m->regions->kind == OOZE_REGIONS_OF_PARTICLES) {
        loops->fit_particles(m, 0, n, 0);
        loops->pull_particles(m, 0, n, 0);
        return;
    }
    loops->sum_cells(m, 0, cells, 0);
    loops->fit_cells(m, 0, cells, 0);
    if (m->velocity) {
        loops->sum_cell_velocities(m, 0, cells, 0);
        loops->fit_cell_velocities(m, 0, cells, 0);
    }
    loops->pull_cells(m, 0, cells, 0);
}

static double check_regions(const Shaped *s, const OozeMatching *m)
{
    double worst = 0;
    for (uint64_t r = 0; r < ooze_regions_count(&s->regions); r++) {
        Fit f = fit_region(s, m, r);
        OozeVec3 mean;
        worst = fmax(worst, vec3_length(vec3_sub(f.x, vector(m->map[r].x))));
        worst = fmax(worst, vec3_length(vec3_sub(f.q, vector(m->map[r].q))));
        if (m->velocity) {
            worst = fmax(worst, spin_residual(s, m, r, &mean));
            worst = fmax(worst, vec3_length(vec3_sub(mean, vector(m->motion[r].v))));
        }
        /* the rotation makes r^T a symmetric; it is unique where the region has three dimensions,
           which a member count tells */
        uint64_t members = 0;
        double count;
        for (uint64_t k = 0; k < s->regions.n; k++) {
            members += weight_in(&s->regions, r, k, &count) > 0.01;
        }
        for (int axis = 0; members > 8 && axis < 3; axis++) {
            OozeVec3 e = vec3(axis == 0, axis == 1, axis == 2), turned = quat_rotate(f.turn, e);
            const double *g = m->map[r].r;
            OozeVec3 got = vec3(g[axis], g[3 + axis], g[6 + axis]);
            worst = fmax(worst, vec3_length(vec3_sub(turned, got)));
        }
    }
    return worst;
}

/* Pulls from the maps and motions of the regions, summed over all of them. */
static double check_pulls(const Shaped *s, const OozeMatching *m)
{
    const OozeRegions *r = &s->regions;
    double worst = 0;
    for (uint64_t k = 0; k < r->n; k++) {
        OozeVec3 want = vec3(0, 0, 0), x = vector(m->position[k].at), q = reference_of(s, k);
        for (uint64_t region = 0; region < ooze_regions_count(r); region++) {
            double count, w = weight_in(r, region, k, &count) * count;
            const double *g = m->map[region].r;
            OozeVec3 d = vec3_sub(q, vector(m->map[region].q));
            OozeVec3 goal = vec3_add(vector(m->map[region].x),
                                     vec3(vec3_dot(vector(g), d), vec3_dot(vector(g + 3), d),
                                          vec3_dot(vector(g + 6), d)));
            want = vec3_madd(want, w * m->position[k].weight, vec3_sub(goal, x));
            if (m->velocity) {
                const OozeMatchVelocity *motion = &m->motion[region];
                OozeVec3 arm = vec3_sub(x, vector(motion->x));
                OozeVec3 v = vec3_add(vector(motion->v), vec3_cross(vector(motion->spin), arm));
                want = vec3_madd(want, w * m->velocity[k].weight,
                                 vec3_sub(v, vector(m->velocity[k].at)));
            }
        }
        worst = fmax(worst, vec3_length(vec3_sub(want, pull_of(m, k))));
        assert_true(m->pull[k][3] == 0);
    }
    return worst;
}

/* The pulls add up to zero, and so do their moments. */
static double check_balance(const OozeMatching *m)
{
    OozeVec3 force = vec3(0, 0, 0), torque = vec3(0, 0, 0);
    for (uint64_t k = 0; k < m->regions->n; k++) {
        OozeVec3 f = pull_of(m, k);
        force = vec3_add(force, f);
        torque = vec3_add(
            torque, vec3_cross(vec3_sub(vector(m->position[k].at), vector(m->position[0].at)), f));
    }
    return fmax(vec3_length(force), vec3_length(torque)) / (double)m->regions->n;
}

static void loops_match_sums_by_definition(void **state)
{
    (void)state;
    const OozeMatchingLoops *const tables[OOZE_ISA_COUNT] = EVERY_TABLE(ooze_matching_loops);
    double regions = 0, pulls = 0, balance = 0;
    for (int k = 0; k < 2 * TRIALS; k++) {
        const Trial *t = &trials[k / 2];
        for (int isa = 0; isa <= (int)ooze_isa(); isa++) {
            Shaped s;
            OozeMatching m;
            set_up(t, k % 2 ? OOZE_REGIONS_OF_CELLS : OOZE_REGIONS_OF_PARTICLES, &s, &m);
            run_loops(tables[isa], &m);
            regions = fmax(regions, check_regions(&s, &m));
            pulls = fmax(pulls, check_pulls(&s, &m));
            balance = fmax(balance, check_balance(&m));
            shaped_free(&s);
        }
        printf("  %s: regions %.2g, pulls %.2g, balance %.2g\n", t->name, regions, pulls, balance);
    }
    MEASURED("maps and motions of regions", regions, 0, 1e-8);
    MEASURED("pulls", pulls, 0, 1e-9);
    MEASURED("mean force and torque", balance, 0, 1e-9);
}

/* Shape matching gives the same bits for any number of threads. */
static void runs_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        double(*first)[4] = NULL;
        for (int count = 1; count <= 3; count++) {
            Shaped s;
            OozeMatching m;
            OozeThreads *threads = NULL;
            CHECK_OK(ooze_threads_create(count, &threads, &error));
            set_up(&trials[0], (OozeRegionKind)k, &s, &m);
            shaped_match(&s, &m, threads);
            if (!first) {
                first = malloc(s.regions.n * sizeof *first);
                assert_non_null(first);
                memcpy(first, m.pull, s.regions.n * sizeof *first);
            }
            assert_memory_equal(first, m.pull, s.regions.n * sizeof *first);
            ooze_threads_destroy(threads);
            shaped_free(&s);
        }
        free(first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops_match_sums_by_definition),
                                       cmocka_unit_test(runs_do_not_depend_on_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
