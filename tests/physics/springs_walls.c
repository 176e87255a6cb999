/* Acceptance tests of the springs method: wet friction, stickiness, thin walls, the isosurface. */
#include "physics/springs_fixtures.h"

#include "physics/contact.h"
#include "physics/surface_field.h"
#include "surface/point.h"

static const double MARGIN = 0.5 * OOZE_SPRINGS_BULK_SPACING;

/* ---- friction -------------------------------------------------------------------------------- */

static void springs_T11_friction(void **state)
{
    (void)state;
    /* the last: two steps a time unit take as much as one */
    const double mus[] = {0, 0.5, 1, INFINITY, 0.75}, keeps[] = {1, 0.5, 0, 0, 0.5};
    for (int k = 0; k < 5; k++) {
        double dt = k == 4 ? 0.5 : 1;
        OozeWorld *world = springs_world((Bulk){.time_step = dt, .gravity = vec3(0, -0.002, 0)});
        OozeMaterialId dust = add_dust(world);
        add_floor(world, mus[k]);
        OozeVec3 x[2] = {vec3(0, MARGIN, 0), vec3(50, MARGIN, 0)};
        OozeVec3 v[2] = {vec3(0.1, -0.05, 0.2), vec3(0.1, 0.05, 0.2)};
        CHECK_OK(ooze_world_add_particles(world, dust, 2, x, v, &error));
        printf("  friction %g\n", mus[k]);
        double share = 1;
        for (int n = 0; n < 3; n++) {
            step_world(world);
            share *= keeps[k];
            const OozeFrame *frame = ooze_world_frame(world);
            const OozeFieldView *now = ooze_frame_field(frame, "velocity"),
                                *at = ooze_frame_field(frame, "position");
            uint64_t slides = ooze_field_value(at, 0, 0) < 40 ? 0 : 1;
            OozeVec3 a = read_vector(now, slides), b = read_vector(now, 1 - slides);
            MEASURED("tangential speed over that at the start", a.z / 0.2, share - 1e-6,
                     share + 1e-6);
            MEASURED("normal speed", fabs(a.y), 0, 1e-6);
            MEASURED("tangential speed of one that leaves, over that", b.z / 0.2, 1 - 1e-6,
                     1 + 1e-6);
            MEASURED("its normal speed over that of free flight",
                     b.y / (0.05 - 0.002 * dt * (n + 1)), 1 - 1e-5, 1 + 1e-5);
        }
        ooze_world_destroy(world);
    }
}

/* ---- thin walls ------------------------------------------------------------------------------ */

/* A jet at four supports a step meets a plate a tenth of a support thick: nothing is behind it
   afterwards. */
static void springs_T11_thin_wall(void **state)
{
    (void)state;
    OozeWorld *world = springs_world((Bulk){0});
    OozeMaterialId fluid = add_paper_fluid(world, 0.1, 0.5);
    OozeSolidDef plate = ooze_solid_def_default();
    plate.friction = 0.5;
    plate.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    plate.shape.size = vec3(40, 0.1, 40);
    CHECK_OK(ooze_world_add_solid(world, &plate, NULL, &error));
    const OozeVec3 fall = vec3(0, -4, 0);
    uint64_t n = add_drop(world, fluid, 1.5, vec3(0, 9, 0));
    OozeFloat4 *v = ooze_particles_velocities(world->particles);
    for (uint64_t i = 0; i < n; i++) {
        v[i] = (OozeFloat4){0, (float)fall.y, 0, 0};
    }
    step_many(world, 12);
    Census end = take_census(world);
    assert_int_equal(end.count, n);
    MEASURED("lowest above the middle of the plate", end.low.y, 0.05 + MARGIN - 1e-4, 10);
    ooze_world_destroy(world);
}

/* ---- stickiness ------------------------------------------------------------------------------ */

static void make_sticky(OozeWorld *world, OozeSolidId solid, double distance, double strength)
{
    CHECK_OK(ooze_world_set_solid(world, solid, OOZE_SOLID_STICK_DISTANCE, distance, &error));
    CHECK_OK(ooze_world_set_solid(world, solid, OOZE_SOLID_STICK_STRENGTH, strength, &error));
}

static double attached(double strength)
{
    const double reach = 0.3;
    OozeWorld *world = springs_world((Bulk){.gravity = vec3(0, -0.002, 0)});
    OozeMaterialId fluid = add_paper_fluid(world, 0.2, 0);
    OozeSolidId plate = add_plane(world, 0, -1, 0.5);
    make_sticky(world, plate, strength > 0 ? reach : 0, strength);
    add_lattice(world, (Lattice){.material = fluid,
                                 .n = {10, 1, 6},
                                 .spacing = 0.37,
                                 .corner = vec3(-1.85, -0.37 - 0.1, -1.11)});
    step_many(world, 100);
    const OozeFieldView *x = ooze_frame_field(ooze_world_frame(world), "position");
    double held = 0;
    for (uint64_t i = 0; i < x->count; i++) {
        held += ooze_field_value(x, i, 1) > -MARGIN - reach;
    }
    take_census(world);
    ooze_world_destroy(world);
    return held / 60;
}

/* Pieces of at least `least` particles that are linked by steps of 1.6 spacings and touch the
   sphere nowhere. */
static int falling_drops(OozeWorld *world, double radius, int least)
{
    enum { MOST = 2000 };
    static int piece[MOST], stack[MOST];
    Crowd c = look_at(world);
    int found = 0;
    assert_true(c.n <= MOST);
    memset(piece, 0, sizeof piece);
    for (uint64_t i = 0; i < c.n; i++) {
        if (piece[i]) {
            continue;
        }
        int size = 0, left = 0;
        bool touches = false;
        stack[left++] = (int)i;
        piece[i] = 1;
        while (left > 0) {
            OozeVec3 at = c.x[stack[--left]];
            size++;
            touches = touches || vec3_length(at) < radius + MARGIN + 0.5;
            for (uint64_t j = 0; j < c.n; j++) {
                if (!piece[j] &&
                    vec3_length(vec3_sub(at, c.x[j])) < 1.6 * OOZE_SPRINGS_BULK_SPACING) {
                    piece[j] = 1;
                    stack[left++] = (int)j;
                }
            }
        }
        found += !touches && size >= least;
    }
    forget(c);
    return found;
}

/* Figure 7: fluid that lies on a sphere runs down, holds to it underneath, and drips. */
static void film_under_a_sphere(void)
{
    const double radius = 1.6;
    OozeWorld *world = springs_world((Bulk){.gravity = vec3(0, -0.006, 0)});
    OozeMaterialId fluid = add_paper_fluid(world, 0.1, 0);
    OozeSolidDef ball = ooze_solid_def_default();
    OozeSolidId id = {0};
    ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    ball.shape.radius = radius;
    ball.friction = 0.02;
    CHECK_OK(ooze_world_add_solid(world, &ball, &id, &error));
    make_sticky(world, id, 0.35, 0.2);
    add_drop(world, fluid, 1.8, vec3(0.4, radius + 1.7, 0.2));
    int most = 0, under = 0;
    for (int k = 0; k < 60; k++) {
        step_many(world, 10);
        const OozeFieldView *x = ooze_frame_field(ooze_world_frame(world), "position");
        int held = 0;
        for (uint64_t i = 0; i < x->count; i++) {
            OozeVec3 p = read_vector(x, i);
            held += p.y < -0.5 * radius && vec3_length(p) < radius + MARGIN + 0.35;
        }
        under = held > under ? held : under;
        int drops = falling_drops(world, radius, 4);
        most = drops > most ? drops : most;
    }
    take_census(world);
    MEASURED("particles held underneath at once, at most", under, 10, 1000);
    MEASURED("drops that fall from the sphere", most, 1, 100);
    ooze_world_destroy(world);
}

static void springs_T13_stick(void **state)
{
    (void)state;
    float half = ooze_stick_impulse(1.0f, 0.2f, 0.15f, 0.3f);
    MEASURED("impulse at half the reach over k d / 2", (double)half / (0.2 * 0.15 / 2), 1 - 1e-6,
             1 + 1e-6);
    for (int k = 1; k < 30; k++) {
        assert_true(ooze_stick_impulse(1.0f, 0.2f, 0.01f * (float)k, 0.3f) <= half * (1 + 1e-6f));
    }
    MEASURED(
        "impulses at 0 and at the reach",
        (double)(ooze_stick_impulse(1, 0.2f, 0, 0.3f) + ooze_stick_impulse(1, 0.2f, 0.3f, 0.3f)), 0,
        0);
    MEASURED("share under a plate that does not stick", attached(0), 0, 0);
    MEASURED("share under one that does", attached(0.2), 0.9, 1);
    film_under_a_sphere();
}

/* ---- the isosurface -------------------------------------------------------------------------- */

/* Eq 13 around one particle: a cone, whose level c is a sphere of h (1 - c); h and c are the
   surface's own. */
static void springs_T17_isosurface(void **state)
{
    (void)state;
    const double dx = OOZE_SPRINGS_BULK_SPACING, h = OOZE_SURFACE_CONE * dx;
    const double radius = h * (1 - sqrt(OOZE_SURFACE_CONE_ISO_SQUARED));
    OozeWorld *world = springs_world((Bulk){0});
    OozeVec3 at = vec3(0.1, 0.2, -0.3);
    CHECK_OK(ooze_world_add_particles(world, add_dust(world), 1, &at, NULL, &error));
    OozeSurfaceSettings settings = ooze_surface_default();
    settings.method = OOZE_SURFACE_CLAVET;
    settings.mesh_smoothing = 0;
    OozeSurface *surface = NULL;
    CHECK_OK(ooze_surface_build(ooze_world_frame(world), &settings, 1, &surface, &error));
    double worst = 0;
    for (uint64_t i = 0; i < surface->vertex_count; i++) {
        const float *p = surface->positions + 3 * i;
        double off = fabs(vec3_length(vec3_sub(vec3(p[0], p[1], p[2]), at)) - radius);
        if (off > worst) {
            worst = off;
        }
    }
    MEASURED("vertices off the sphere, in cells", worst / (settings.cell * dx), 0, 0.1);
    /* every edge has two triangles: V - E + F = 2 with E = 3 F / 2 */
    double euler = (double)surface->vertex_count - 0.5 * (double)surface->triangle_count;
    MEASURED("Euler's number", euler, 2, 2);
    ooze_surface_free(surface);
    OozeCloud cloud;
    CHECK_OK(ooze_cloud_open(ooze_world_frame(world), NULL, &cloud, &error));
    CHECK_OK(ooze_cloud_shape(&cloud, &settings, NULL, &error));
    for (int k = 1; k < 9; k++) {
        float a[3] = {(float)(at.x + 0.1 * k * h), (float)at.y, (float)at.z}, b[3];
        memcpy(b, a, sizeof b);
        b[0] += (float)(0.05 * h);
        double slope =
            (double)(ooze_field_value_at(&cloud, a) - ooze_field_value_at(&cloud, b)) / (0.05 * h);
        MEASURED("slope along a line, times h", slope * h, 0.98, 1.02);
    }
    ooze_cloud_close(&cloud);
    ooze_world_destroy(world);
}

ACCEPTANCE_MAIN(cmocka_unit_test(springs_T11_friction), cmocka_unit_test(springs_T11_thin_wall),
                cmocka_unit_test(springs_T13_stick), cmocka_unit_test(springs_T17_isosurface))
