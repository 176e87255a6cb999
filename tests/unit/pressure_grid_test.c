/* The pressure grid: rest under weight is exact, rows are exact for rigid motions of fluid, walls
   and bodies, forces are the transpose of rates and keep momenta, and its preconditioner
   converges. */
#include "check.h"

#include "solvers/pressure/pressure_grid.h"

#define SPACING 0.01

enum { SIDE = 12, WIDE = 18, MOST = WIDE * WIDE * WIDE };

typedef struct Case {
    uint64_t n;
    OozeF32x4 *x, *u, *f;
    float *inverse_mass, *p, *rate;
    OozePeriodic periodic;
    OozeSolid solids[6];
    int solid_count;
    double radius; /* of a ball in the middle of a full block, a body; 0: none */
    OozeVec3 centre;
    OozeArena *arena;
    OozeGridMultigrid *multigrid;
    OozePressureGrid grid;
} Case;

static double noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static void add_plane(Case *c, OozeVec3 at, OozeVec3 normal)
{
    OozeSolidDef def = ooze_solid_def_default();
    def.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    def.shape.position = at;
    def.shape.normal = normal;
    CHECK_OK(
        ooze_solid_create(&c->solids[c->solid_count++], &def, OOZE_AXIS_Y, SPACING, NULL, &error));
}

static void add_ball(Case *c)
{
    OozeSolidDef def = ooze_solid_def_default();
    def.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    def.shape.position = c->centre;
    def.shape.radius = c->radius;
    def.density = 1000;
    CHECK_OK(
        ooze_solid_create(&c->solids[c->solid_count++], &def, OOZE_AXIS_Y, SPACING, NULL, &error));
    uint64_t kept = 0;
    for (uint64_t i = 0; i < c->n; i++) {
        OozeVec3 x = vec3((double)c->x[i][0], (double)c->x[i][1], (double)c->x[i][2]);
        if (vec3_length(vec3_sub(x, c->centre)) > c->radius) {
            c->x[kept++] = c->x[i];
        }
    }
    c->n = kept;
}

/* A block of SIDE x SIDE x layers with its corner at `off`, disordered; WIDE x WIDE with a ball in
   it. */
static void begin_with_ball(Case *c, int layers, double off, double jitter, bool walls,
                            double radius)
{
    uint32_t seed = 1;
    static const int body[6] = {0, -1, -1, -1, -1, -1};
    const int side = radius > 0 ? WIDE : SIDE;
    double middle = off + 0.5 * side * SPACING;
    *c = (Case){.n = (uint64_t)(side * side * layers),
                .radius = radius,
                .centre = vec3(middle, off + 0.5 * layers * SPACING, middle)};
    c->arena = ooze_arena_create();
    c->multigrid = ooze_grid_multigrid_create();
    c->x = ooze_alloc_zero(MOST, sizeof *c->x);
    c->u = ooze_alloc_zero(MOST, sizeof *c->u);
    c->f = ooze_alloc_zero(MOST, sizeof *c->f);
    c->inverse_mass = ooze_alloc_zero(MOST, sizeof(float));
    for (uint64_t i = 0; i < c->n; i++) {
        int at[3] = {(int)i % side, (int)i / (side * side), (int)i / side % side};
        for (int k = 0; k < 3; k++) {
            c->x[i][k] = (float)(off + SPACING * (at[k] + 0.5 + jitter * noise(&seed)));
        }
        c->inverse_mass[i] = 1.0f;
    }
    double end = off + side * SPACING;
    if (radius > 0) {
        add_ball(c);
    }
    if (walls) {
        add_plane(c, vec3(0, off, 0), vec3(0, 1, 0));
        add_plane(c, vec3(off, 0, 0), vec3(1, 0, 0));
        add_plane(c, vec3(end, 0, 0), vec3(-1, 0, 0));
        add_plane(c, vec3(0, 0, off), vec3(0, 0, 1));
        add_plane(c, vec3(0, 0, end), vec3(0, 0, -1));
    }
    const OozePressureGridInput input = {.n = c->n,
                                         .x = c->x,
                                         .spacing = SPACING,
                                         .dt = 0.01,
                                         .periodic = &c->periodic,
                                         .inverse_mass = c->inverse_mass,
                                         .solids = c->solids,
                                         .solid_count = c->solid_count,
                                         .body = body,
                                         .body_centre = &c->centre,
                                         .body_count = radius > 0,
                                         .arena = c->arena};
    CHECK_OK(ooze_pressure_grid_build(&c->grid, c->multigrid, &input, &error));
    c->p = ooze_alloc_zero(c->grid.nodes, sizeof(float));
    c->rate = ooze_alloc_zero(c->grid.nodes, sizeof(float));
}

static void begin(Case *c, int layers, double off, double jitter, bool walls)
{
    begin_with_ball(c, layers, off, jitter, walls, 0);
}

static void end(Case *c)
{
    for (int k = 0; k < c->solid_count; k++) {
        ooze_solid_free(&c->solids[k]);
    }
    ooze_arena_destroy(c->arena);
    ooze_grid_multigrid_destroy(c->multigrid);
    void *arrays[] = {c->x, c->u, c->f, c->inverse_mass, c->p, c->rate};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        ooze_free(arrays[k]);
    }
}

/* A lattice samples a hat function of two spacings exactly, and one that a wall cuts off half a
   spacing from its node, the worst place, with an error of 1/23. In corners three walls do. */
static const double CORNER_ERROR = 24.0 / 23 * 24.0 / 23 * 24.0 / 23 - 1;

/* Shares of fluid and walls of a pool add up to 1 inside, wherever the nodes are. */
static void shares_fill_the_pool(void **state)
{
    (void)state;
    for (double off = 0; off < 0.02; off += 0.0043) {
        Case c;
        begin(&c, 8, off, 0, true);
        double worst = 0, top = off + 8 * SPACING;
        for (uint64_t a = 0; a < c.grid.nodes; a++) {
            OozeVec3 x = ooze_pressure_node_position(&c.grid, a);
            bool wall = x.y < off || x.x < off || x.z < off || x.x > off + SIDE * SPACING ||
                        x.z > off + SIDE * SPACING;
            assert_int_equal(wall, c.grid.kind[a] == OOZE_PRESSURE_WALL);
            if (!wall && x.y < top - 2 * SPACING) {
                worst = fmax(worst, fabs((double)c.grid.fill[a] - 1));
                assert_int_equal(c.grid.kind[a], OOZE_PRESSURE_UNKNOWN);
            } else if (!wall) {
                double d = (top - x.y) / (2 * SPACING);
                double fill =
                    d > 0 ? 1 - 0.5 * pow(fmax(0, 1 - d), 2) : 0.5 * pow(fmax(0, 1 + d), 2);
                assert_true(fabs(fill - (double)c.grid.fill[a]) < CORNER_ERROR);
            }
        }
        printf("  nodes %.4f off\n", off);
        MEASURED("fill less 1, worst", worst, 0, CORNER_ERROR);
        end(&c);
    }
}

/* Weight is balanced by a pressure that is linear, on any disorder. */
static void rests(void **state)
{
    (void)state;
    const double offs[] = {0, 0.003, 0.0061, 0.0137};
    for (int q = 0; q < 4; q++) {
        Case c;
        begin(&c, 10, offs[q], 0.3, true);
        double top = offs[q] + 10 * SPACING, worst = 0, inside = 0;
        for (uint64_t a = 0; a < c.grid.nodes; a++) {
            double y = ooze_pressure_node_position(&c.grid, a).y;
            c.p[a] = c.grid.idle[a] ? 0.0f : (float)(9.81 * (top - y));
        }
        ooze_pressure_force(&c.grid, c.p, false, c.f);
        for (uint64_t i = 0; i < c.n; i++) {
            const OozeF32x4 weight = {0, 9.81f, 0, 0};
            OozeF32x4 lack = c.f[i] + weight;
            double size = sqrt((double)ooze_f32x4_dot3(lack, lack)) / 9.81;
            worst = fmax(worst, size);
            inside = (double)c.x[i][1] < top - 4 * SPACING ? fmax(inside, size) : inside;
        }
        MEASURED("unbalanced weight, worst inside", inside, 0, 1e-4);
        MEASURED("unbalanced weight, worst", worst, 0, 0.5);
        end(&c);
    }
}

static void rigid(Case *c, OozeVec3 v, OozeVec3 spin)
{
    for (uint64_t i = 0; i < c->n; i++) {
        OozeVec3 x = vec3((double)c->x[i][0], (double)c->x[i][1], (double)c->x[i][2]);
        OozeVec3 u = vec3_add(v, vec3_cross(spin, x));
        c->u[i] = ooze_f32x4((float)u.x, (float)u.y, (float)u.z, 0);
    }
}

/* Rates of the exact rows over the size of a deforming motion's. */
static void check_rows(Case *c, OozeVec3 v, OozeVec3 spin, double bound)
{
    double size = vec3_length(v) / SPACING + vec3_length(spin), worst = 0, plain = 0;
    rigid(c, v, spin);
    ooze_pressure_rate(&c->grid, c->u, false, c->p);
    ooze_pressure_rate(&c->grid, c->u, true, c->rate);
    for (uint64_t a = 0; a < c->grid.nodes; a++) {
        if (!c->grid.idle[a]) {
            worst = fmax(worst, fabs((double)c->rate[a]) / 8 / size);
            plain = fmax(plain, fabs((double)c->p[a]) / 8 / size);
        }
    }
    printf("  plain rows %.3f\n", plain);
    MEASURED("rate of volume under a rigid motion", worst, 0, bound);
}

static void rows_are_exact_for_rigid_motions(void **state)
{
    (void)state;
    Case c;
    begin(&c, SIDE, 0.003, 0.3, false);
    check_rows(&c, vec3(1, 2, -1), vec3(0, 0, 0), 1e-4);
    check_rows(&c, vec3(0, 0, 0), vec3(3, -1, 2), 1e-3);
    end(&c);
}

/* Walls that move with the fluid. */
static void rows_are_exact_with_walls(void **state)
{
    (void)state;
    Case c;
    begin(&c, 8, 0.003, 0.3, true);
    OozeVec3 v = vec3(1, 0, 0.5);
    rigid(&c, v, vec3(0, 0, 0));
    ooze_pressure_rate(&c.grid, c.u, true, c.rate);
    double worst = 0;
    for (uint64_t g = 0; g < c.grid.nodes; g++) {
        double walls = 0;
        for (uint32_t k = c.grid.column_first[g]; k < c.grid.column_first[g + 1]; k++) {
            const OozePressureSums *s = &c.grid.sums[c.grid.column_node[k]];
            walls += (double)c.grid.column_weight[k] *
                     ((double)(s->gradient[0] + s->wall_gradient[0]) * v.x +
                      (double)(s->gradient[2] + s->wall_gradient[2]) * v.z);
        }
        /* the row of fluid and walls, with its change, is 0 */
        const OozePressureRow *r = &c.grid.row[g];
        double change =
            (double)c.grid.weight[g] * ((double)r->shift[0] * v.x + (double)r->shift[2] * v.z);
        worst = c.grid.idle[g] ? worst : fmax(worst, fabs(walls + change));
    }
    MEASURED("rate of volume where walls move along", worst * SPACING / 8, 0, 1e-4);
    end(&c);
}

/* A ball that moves with the fluid around it. */
static void check_rows_with_ball(Case *c, OozeVec3 v, OozeVec3 spin, double bound)
{
    OozeVec3 at = vec3_add(v, vec3_cross(spin, c->centre));
    OozeTwist motion = {{at.x, at.y, at.z, spin.x, spin.y, spin.z}};
    double size = vec3_length(v) / SPACING + vec3_length(spin), worst = 0, without = 0;
    rigid(c, v, spin);
    ooze_pressure_rate(&c->grid, c->u, true, c->rate);
    for (uint64_t a = 0; a < c->grid.nodes; a++) {
        c->rate[a] = c->grid.idle[a] ? 0.0f : c->rate[a];
        without = fmax(without, fabs((double)c->rate[a]) / 8 / size);
    }
    ooze_pressure_bodies_rate(&c->grid, &motion, c->rate);
    for (uint64_t a = 0; a < c->grid.nodes; a++) {
        worst = fmax(worst, fabs((double)c->rate[a]) / 8 / size);
    }
    printf("  without the ball %.3f\n", without);
    MEASURED("rate of volume under a rigid motion of fluid and ball", worst, 0, bound);
}

static void rows_are_exact_with_a_ball(void **state)
{
    (void)state;
    Case c;
    begin_with_ball(&c, WIDE, 0.003, 0.3, false, 3 * SPACING);
    check_rows_with_ball(&c, vec3(1, 2, -1), vec3(0, 0, 0), 1e-4);
    check_rows_with_ball(&c, vec3(0, 0, 0), vec3(3, -1, 2), 1e-3);
    end(&c);
}

/* W^T of the pressure value + slope (y - top). */
static OozeTwist ball_force(Case *c, double value, double slope)
{
    OozeTwist force;
    for (uint64_t a = 0; a < c->grid.nodes; a++) {
        double y = ooze_pressure_node_position(&c->grid, a).y - c->centre.y - 0.5 * WIDE * SPACING;
        c->p[a] = c->grid.idle[a] ? 0.0f : (float)(value + slope * y);
    }
    ooze_pressure_bodies_force(&c->grid, c->p, &force);
    return force;
}

static double length3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The volume of the ball times the gradient of a linear pressure, wherever the nodes are; no moment
   about its centre. */
static void buoyancy_of_a_ball(void **state)
{
    (void)state;
    const double offs[] = {0, 0.003, 0.0061, 0.0137}, radii[] = {2, 3, 4};
    for (int k = 0; k < 12; k++) {
        Case c;
        double off = offs[k % 4], radius = radii[k / 4] * SPACING;
        begin_with_ball(&c, WIDE, off, 0.3, true, radius);
        double volume = 4.0 / 3 * M_PI * pow(radius / SPACING, 3);
        printf("  radius %g, nodes %.4f off\n", radii[k / 4], off);
        OozeTwist force = ball_force(&c, 1, 0);
        MEASURED("constant pressure: force over pressure and section",
                 length3(force.v) * SPACING * SPACING / (M_PI * radius * radius), 0, 1e-5);
        force = ball_force(&c, 0, 1 / SPACING);
        MEASURED("linear: force over that of theory", force.v[1] / volume * SPACING, 0.985, 1.015);
        force.v[1] = 0;
        MEASURED("the same across", length3(force.v) / volume * SPACING, 0, 1e-3);
        MEASURED("moment over force and radius", length3(force.v + 3) / volume * SPACING / radius,
                 0, 5e-3);
        end(&c);
    }
}

static void forces_are_the_transpose(void **state)
{
    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        Case c;
        uint32_t seed = 3;
        begin(&c, 9, 0.004, 0.3, true);
        double left = 0, right = 0;
        for (uint64_t i = 0; i < c.n; i++) {
            c.u[i] = ooze_f32x4((float)noise(&seed), (float)noise(&seed), (float)noise(&seed), 0);
        }
        for (uint64_t a = 0; a < c.grid.nodes; a++) {
            c.p[a] = c.grid.idle[a] ? 0.0f : (float)noise(&seed);
        }
        ooze_pressure_rate(&c.grid, c.u, exact, c.rate);
        ooze_pressure_force(&c.grid, c.p, exact, c.f);
        for (uint64_t a = 0; a < c.grid.nodes; a++) {
            left += (double)c.p[a] * (double)c.rate[a];
        }
        for (uint64_t i = 0; i < c.n; i++) {
            right += (double)ooze_f32x4_dot3(c.u[i], c.f[i]);
        }
        MEASURED("p . D u over u . D^T p", left / right, 1 - 1e-4, 1 + 1e-4);
        end(&c);
    }
}

/* Values of particles give the nodes back where pressure is linear. */
static void values_return(void **state)
{
    (void)state;
    Case c;
    begin(&c, 10, 0.003, 0.3, true);
    double top = 0.003 + 10 * SPACING, worst = 0;
    for (uint64_t a = 0; a < c.grid.nodes; a++) {
        c.p[a] = (float)(9.81 * (top - ooze_pressure_node_position(&c.grid, a).y));
        c.p[a] = c.grid.idle[a] ? 0.0f : c.p[a];
    }
    ooze_pressure_to_particles(&c.grid, c.p, c.f);
    ooze_pressure_from_particles(&c.grid, c.f, c.rate);
    for (uint64_t a = 0; a < c.grid.nodes; a++) {
        bool deep = ooze_pressure_node_position(&c.grid, a).y < top - 6 * SPACING;
        worst = deep ? fmax(worst, fabs((double)(c.rate[a] - c.p[a]))) : worst;
    }
    MEASURED("change of pressure over that of a layer", worst / (9.81 * SPACING), 0, 1e-3);
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_fill_the_pool),
        cmocka_unit_test(rests),
        cmocka_unit_test(rows_are_exact_for_rigid_motions),
        cmocka_unit_test(rows_are_exact_with_walls),
        cmocka_unit_test(rows_are_exact_with_a_ball),
        cmocka_unit_test(buoyancy_of_a_ball),
        cmocka_unit_test(forces_are_the_transpose),
        cmocka_unit_test(values_return),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
