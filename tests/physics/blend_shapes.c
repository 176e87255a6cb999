/* Acceptance tests of the shape matching of the blend method, on regions alone: neighbour counts as
   published, invariance, inverted regions, and the modulus and viscosity that it acts as. */
#include "blend_regions.h"
#include "methods/blend/constants.h"

/* ---- T01: neighbours ------------------------------------------------------------------------- */

/* Mean number of particles within the radius of a particle, itself included, to the printed digit
   of Table 1. */
static void check_neighbours(const int n[3], double spacing, double sigma, double published)
{
    Shaped s = shaped_lattice(n, spacing, vec3(0.37, -1.2, 5.1));
    shaped_build(&s, OOZE_REGIONS_OF_PARTICLES, sigma, NULL);
    double mean = (double)s.regions.list_first[s.n] / (double)s.n;
    printf("  %d x %d x %d, sigma %g: published %g\n", n[0], n[1], n[2], sigma, published);
    MEASURED("mean number of neighbours, rounded", rint(10 * mean) / 10, published - 1e-9,
             published + 1e-9);
    shaped_free(&s);
}

static void blend_T01_neighbours(void **state)
{
    (void)state;
    const int bar[3] = {36, 10, 10}, large[3] = {22, 22, 22}, small[3] = {15, 15, 15};
    check_neighbours(bar, 40.0 / 36, 8, 755.3);
    check_neighbours(bar, 40.0 / 36, 5, 256.5);
    check_neighbours(bar, 40.0 / 36, 3, 64.3);
    check_neighbours(large, 1, 2.9, 80.7);
    check_neighbours(small, 1, 1.95, 23.6);
}

/* ---- T02, T03: invariance -------------------------------------------------------------------- */

static OozeVec3 as_it_is(OozeVec3 q, const void *user)
{
    (void)user;
    return q;
}

static OozeVec3 turned(OozeVec3 q, const void *user)
{
    OozeVec3 axis = vec3_unit(vec3(1, -2, 0.5), vec3(0, 0, 1));
    OozeQuat turn = quat_from_vector(vec3_scale(axis, 137 * M_PI / 180));
    return vec3_add(quat_rotate(turn, q), *(const OozeVec3 *)user);
}

enum { SHAPES = 4 };

/* A cube, a bar, a layer of one particle, and a cloud; spacing 1. */
static Shaped shape_of(int number)
{
    const int cube[3] = {15, 15, 15}, bar[3] = {20, 4, 4}, layer[3] = {12, 12, 1};
    const OozeVec3 centre = vec3(0.3, 2.1, -0.7);
    return number == 0   ? shaped_lattice(cube, 1, centre)
           : number == 1 ? shaped_lattice(bar, 1, centre)
           : number == 2 ? shaped_lattice(layer, 1, centre)
                         : shaped_cloud(1000, 10, centre, 3);
}

/* Longest way from a position to its goal, over all shapes, radii and kinds of regions. */
static double worst_pull(Deformer deform, const void *user)
{
    static const double radii[] = {1.95, 2.9, 5};
    double worst = 0;
    for (int k = 0; k < 2 * 3 * SHAPES; k++) {
        Shaped s = shape_of(k / 6);
        shaped_build(&s, (OozeRegionKind)(k % 2), radii[k / 2 % 3], NULL);
        OozeMatching m = shaped_matching(&s, false, deform, user);
        shaped_match(&s, &m, NULL);
        worst = fmax(worst, longest_pull(&m));
        shaped_free(&s);
    }
    return worst;
}

/* Eq 7 as printed at rest: the mean over the regions of a particle of their barycentres less the
   reference positions of their particles. */
static double printed_pull(void)
{
    Shaped s = shape_of(0);
    double worst = 0;
    shaped_build(&s, OOZE_REGIONS_OF_PARTICLES, 1.95, NULL);
    const OozeRegions *r = &s.regions;
    for (uint64_t i = 0; i < r->n; i++) {
        OozeVec3 shift = vec3(0, 0, 0);
        for (uint64_t e = r->list_first[i]; e < r->list_first[i + 1]; e++) {
            uint64_t j = r->list[e];
            OozeVec3 centre = vec3(0, 0, 0);
            for (uint64_t f = r->list_first[j]; f < r->list_first[j + 1]; f++) {
                centre = vec3_madd(centre, r->share[j], reference_of(&s, r->list[f]));
            }
            shift = vec3_madd(shift, r->share[i], vec3_sub(centre, reference_of(&s, j)));
        }
        worst = fmax(worst, vec3_length(shift));
    }
    shaped_free(&s);
    return worst;
}

static void blend_T02_rest_invariance(void **state)
{
    (void)state;
    MEASURED("|g - x| at rest (spacings)", worst_pull(as_it_is, NULL), 0, 1e-12);
    MEASURED("with eq 7 as printed", printed_pull(), 0.425, 0.435);
}

static void blend_T03_rigid_invariance(void **state)
{
    (void)state;
    OozeVec3 shift = vec3(20, -7, 3);
    MEASURED("|g - x| after a turn of 137 degrees", worst_pull(turned, &shift), 0, 1e-9);
}

/* ---- T14: inverted bodies -------------------------------------------------------------------- */

/* A cube is pressed flat and beyond, to its mirror image at a tenth of its height, in steps of a
   fiftieth: the rotations of its regions follow without a jump, and every particle of the
   outermost layers is pulled back to its own side. Regions at corners turn a little by shear. */
static OozeVec3 pressed(OozeVec3 q, const void *user)
{
    return vec3(q.x, *(const double *)user * q.y, q.z);
}

static void blend_T14_inverted(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        const int n[3] = {8, 8, 8};
        Shaped s = shaped_lattice(n, 1, vec3(0, 0, 0));
        shaped_build(&s, (OozeRegionKind)kind, 2.9, NULL);
        double factor = 1, jump = 0, back = INFINITY;
        uint64_t regions = ooze_regions_count(&s.regions);
        OozeMatching m = shaped_matching(&s, false, pressed, &factor);
        double(*before)[4] = malloc(regions * sizeof *before);
        assert_non_null(before);
        for (int k = 0; k <= 55; k++) {
            memcpy(before, m.rotation, regions * sizeof *before);
            factor = 1 - 0.02 * k;
            for (uint64_t i = 0; i < s.n; i++) {
                m.position[i].at[1] = factor * reference_of(&s, i).y;
            }
            shaped_match(&s, &m, NULL);
            for (uint64_t r = 0; r < regions; r++) {
                const double *p = before[r], *q = m.rotation[r];
                double same = fabs(p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]);
                jump = fmax(jump, 2 * acos(fmin(1, same)));
            }
        }
        for (uint64_t i = 0; i < s.n; i++) {
            double y = reference_of(&s, i).y;
            back = fabs(y) > 3 ? fmin(back, pull_of(&m, i).y * (y > 0 ? 1 : -1)) : back;
        }
        free(before);
        MEASURED("turn of a region within a step (rad)", jump, 0, 0.2);
        MEASURED("least pull to the own side (spacings)", back, 0.1, 10);
        shaped_free(&s);
    }
}

/* ---- T15, T16: modulus and viscosity --------------------------------------------------------- */

/* A plane wave along z of displacements along x (shear) or z (longitudinal). */
typedef struct Wave {
    double number, size; /* rad per spacing; spacings */
    bool longitudinal;
} Wave;

static OozeVec3 wave_at(OozeVec3 q, const Wave *w)
{
    double u = w->size * cos(w->number * q.z);
    return vec3(w->longitudinal ? 0 : u, 0, w->longitudinal ? u : 0);
}

static OozeVec3 waved(OozeVec3 q, const void *user)
{
    return vec3_add(q, wave_at(q, user));
}

/* Modulus over density, in spacings^2 and the time of the pull, by the pulls on particles that are
   farther from the surface than regions of regions reach; with `damped`, viscosity of velocities of
   the same wave. Over that of ooze_match_modulus. */
static double wave_modulus(OozeRegionKind kind, double sigma, const Wave *w, bool damped)
{
    const double length = 2 * M_PI / w->number, reach = 3 * ooze_match_cell_edge(sigma) + 1;
    const int wide = 2 * (int)reach + 5, n[3] = {wide, wide, (int)(length + 2 * reach) + 2};
    const Wave none = {w->number, 0, false};
    Shaped s = shaped_lattice(n, 1, vec3(0.21, 0.13, 0.4));
    double pull = 0, size = 0;
    shaped_build(&s, kind, sigma, NULL);
    OozeMatching m = shaped_matching(&s, damped, waved, damped ? &none : w);
    for (uint64_t i = 0; damped && i < s.n; i++) {
        OozeVec3 v = wave_at(reference_of(&s, i), w);
        m.velocity[i] = (OozeMatchPoint){{v.x, v.y, v.z}, s.regions.share[i]};
    }
    shaped_match(&s, &m, NULL);
    for (uint64_t i = 0; i < s.n; i++) {
        OozeVec3 q = reference_of(&s, i), u = wave_at(q, w);
        bool inside = fabs(q.x - 0.21) < 0.5 * wide - reach &&
                      fabs(q.y - 0.13) < 0.5 * wide - reach && fabs(q.z - 0.4) < 0.5 * length;
        pull += inside ? vec3_dot(pull_of(&m, i), u) : 0;
        size += inside ? vec3_dot(u, u) : 0;
    }
    shaped_free(&s);
    assert_true(size > 0);
    return -pull / size / (w->number * w->number) /
           ooze_match_modulus(1, ooze_blend_matching_radius(kind, sigma, 1), 1);
}

static void check_waves(bool damped)
{
    static const double sigmas[] = {1.01, 1.95, 3, 4.2};
    for (int k = 0; k < 8; k++) {
        double sigma = sigmas[k / 2];
        if (k == 1 || (sanitized() && sigma > 2)) { /* cells smaller than a spacing */
            continue;
        }
        Wave shear = {2 * M_PI / (20 * sigma), 0.01, false}, push = shear;
        push.longitudinal = true;
        printf("  %s, sigma %g:\n", k % 2 ? "cells" : "particles", sigma);
        double modulus = wave_modulus((OozeRegionKind)(k % 2), sigma, &shear, damped);
        MEASURED("shear modulus over rho sigma^2 / (10 tau^2)", modulus, 0.97, 1.03);
        modulus = wave_modulus((OozeRegionKind)(k % 2), sigma, &push, damped);
        MEASURED("modulus of longitudinal waves over twice that", modulus / 2, 0.97, 1.03);
    }
}

static void blend_T15_modulus(void **state)
{
    (void)state;
    check_waves(false);
}

static void blend_T16_viscosity(void **state)
{
    (void)state;
    check_waves(true);
}

ACCEPTANCE_MAIN(cmocka_unit_test(blend_T01_neighbours), cmocka_unit_test(blend_T02_rest_invariance),
                cmocka_unit_test(blend_T03_rigid_invariance), cmocka_unit_test(blend_T14_inverted),
                cmocka_unit_test(blend_T15_modulus), cmocka_unit_test(blend_T16_viscosity))
