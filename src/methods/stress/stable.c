/* The bound of stable steps, for the present state and for a block at rest with its free
   surfaces. */
#include <math.h>

#include "methods/stress/stability_formula.h"
#include "physics/gradient_correction.h"
#include "physics/kernels.h"
#include "physics/lattice.h"

/* Tolerance for a block at rest at exactly the step of its bound, in single precision. */
static const double BOUND_ROUNDING = 1e-4;

bool ooze_stress_exceeds_bound(const OozeStepContext *c, float worst)
{
    double rate = 0.0;
    for (int m = 0; m < c->material_count; m++) {
        rate = fmax(rate, ooze_stress_substep_material(c, m).rate);
    }
    return (double)worst + 2.0 * c->dt * rate > OOZE_STRESS_BOUND * (1.0 + BOUND_ROUNDING);
}

/* Layers of particles within the largest support that a world takes, 8 spacings. */
enum { LAYERS_MAX = 8, KINDS_MAX = (LAYERS_MAX + 1) * (LAYERS_MAX + 1) * (LAYERS_MAX + 1) };

/* The rest lattice at the corner of a block. Particles of one kind have as many layers between
   them and each of the three free surfaces; `layers` of them or more are as in the interior. */
typedef struct Corner {
    const OozeStepContext *context;
    int layers;
    double volume;          /* V0, m3 */
    double norm[KINDS_MAX]; /* |B| of each kind */
    double row;             /* largest of 2 sum (|B_i| + |B_j|) f */
    double degree;          /* largest of 4 sum f: a row of weights 1 */
    double smallest_norm;
} Corner;

static int kind_of(const Corner *corner, const int depth[3])
{
    int n = corner->layers, kind = 0;
    for (int axis = 0; axis < 3; axis++) {
        kind = kind * (n + 1) + (depth[axis] < n ? depth[axis] : n);
    }
    return kind;
}

/* Finds |B| of the particle at `depth`, or with `rows` its row: all |B| are known then. */
static void visit(Corner *corner, const int depth[3], bool rows)
{
    double spacing = corner->context->spacing;
    float h = (float)corner->context->support;
    int n = corner->layers, across = 2 * n + 1, own = kind_of(corner, depth);
    unsigned neighbours = 0;
    double row = 0.0, degree = 0.0;
    OozeSym3 moment = ooze_sym3_identity(0);
    for (int k = 0; k < across * across * across; k++) {
        int a = k % across - n, b = k / across % across - n, c = k / (across * across) - n;
        int far_end[3] = {depth[0] + a, depth[1] + b, depth[2] + c};
        float x = (float)(a * spacing), y = (float)(b * spacing), z = (float)(c * spacing);
        float r = sqrtf(x * x + y * y + z * z);
        float slope = ooze_kernel_gradient_scale(ooze_cubic_slope(r, h), r, h);
        float f = -(float)corner->volume * slope;
        if (far_end[0] < 0 || far_end[1] < 0 || far_end[2] < 0 || !(f > 0.0f)) {
            continue;
        }
        neighbours++;
        row += rows ? 2.0 * (corner->norm[own] + corner->norm[kind_of(corner, far_end)]) * (double)f
                    : 0.0;
        degree += 4.0 * (double)f;
        OozeSym3 outer = ooze_sym3(x * x, y * y, z * z, x * y, x * z, y * z);
        moment = ooze_sym3_add(moment, ooze_sym3_scale(outer, f));
    }
    corner->norm[own] = ooze_stress_correction_norm(ooze_gradient_correction(moment, neighbours));
    corner->smallest_norm = fmin(corner->smallest_norm, corner->norm[own]);
    corner->row = fmax(corner->row, row);
    corner->degree = fmax(corner->degree, degree);
}

static Corner corner_of(const OozeStepContext *c)
{
    int n = (int)fmin(c->support / c->spacing, LAYERS_MAX);
    Corner corner = {.context = c,
                     .layers = n,
                     .volume = 1.0 / ooze_lattice_sum(c->spacing, c->support),
                     .smallest_norm = INFINITY};
    for (int pass = 0; pass < 2; pass++) {
        for (int kind = 0; kind < (n + 1) * (n + 1) * (n + 1); kind++) {
            int depth[3] = {kind / ((n + 1) * (n + 1)), kind / (n + 1) % (n + 1), kind % (n + 1)};
            visit(&corner, depth, pass == 1);
        }
    }
    return corner;
}

/* The left side of the condition. max(a |B|, c) is at most a |B| + max(0, c - a smallest |B|). */
static double load_of(const Corner *corner, const OozeStressMaterial *m, double dt)
{
    double a = ooze_stress_linear_stiffness(m, 1.0, dt);
    double beyond = ooze_stress_hourglass_stiffness(m, dt) - a * corner->smallest_norm;
    double load = a * corner->row + fmax(beyond, 0.0) * corner->degree;
    return load / m->relative_mass + 2.0 * dt * m->rate;
}

/* By bisection: the load grows with dt. */
static double step_of(const Corner *corner, const OozeStressMaterial *m)
{
    enum { HALVINGS = 60 };
    double low = 0.0, high = 1.0;
    if (!(load_of(corner, m, high) > 0.0)) {
        return INFINITY;
    }
    while (load_of(corner, m, high) < OOZE_STRESS_BOUND) {
        high *= 2.0;
    }
    for (int k = 0; k < HALVINGS; k++) {
        double middle = 0.5 * (low + high);
        *(load_of(corner, m, middle) > OOZE_STRESS_BOUND ? &high : &low) = middle;
    }
    return low;
}

double ooze_stress_stable_step(const OozeStepContext *c)
{
    Corner corner = corner_of(c);
    double longest = INFINITY;
    for (int k = 0; k < c->material_count; k++) {
        OozeStressMaterial m = ooze_stress_material(c, k);
        longest = fmin(longest, step_of(&corner, &m));
    }
    return longest;
}
