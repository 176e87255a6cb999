/* Distances and contacts on the device against those of the processor. */
#include "cuda/shape_distance.cuh"
#include "device/device_check.h"

using namespace ooze;

enum { POINTS = 6000, VARIANTS = 6 };
static const double s = 0.05; /* spacing */

/* ---- shapes of every kind --------------------------------------------------------------- */

static float heights[24 * 17];

enum { PARTS = 3 };
static OozeShapeDef parts[PARTS];

static const OozeVec3 corners[8] = {{-0.5, -0.5, -0.5}, {0.5, -0.5, -0.5}, {-0.5, 0.5, -0.5},
                                    {0.5, 0.5, -0.5},   {-0.5, -0.5, 0.5}, {0.5, -0.5, 0.5},
                                    {-0.5, 0.5, 0.5},   {0.5, 0.5, 0.5}};
static const uint32_t cube[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                  2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

/* Odd variants are containers; from the third on sizes are uneven, and from the fifth on a mesh is
   a shell (a cube without a side) and a height field stands on one cell. */
static OozeShapeDef shape_of(OozeShapeKind kind, int variant)
{
    OozeShapeDef def = ooze_shape_def_default(kind);
    def.normal = vec3(0.3, 0.8, -0.2);
    def.tube_radius = 0.17;
    def.height = 0.8;
    def.size = vec3(1.5, 0.7, 1.2);
    def.inverted = variant & 1;
    def.scale = variant & 2 ? vec3(1.2, 0.7, 0.9) : vec3(1.0, 1.0, 1.0);
    for (int i = 0; i < 24 * 17; i++) {
        heights[i] = (float)(0.3 * sin(0.7 * (i % 24)) * cos(0.9 * (i / 24)));
    }
    def.field.heights = heights;
    def.field.columns = variant & 4 ? 2 : 24;
    def.field.rows = variant & 4 ? 2 : 17;
    def.mesh.vertices = corners;
    def.mesh.vertex_count = 8;
    def.mesh.triangles = cube;
    def.mesh.triangle_count = variant & 4 ? 10 : 12;
    bool container =
        kind == OOZE_SHAPE_OPEN_BOX || kind == OOZE_SHAPE_OPEN_CYLINDER || kind == OOZE_SHAPE_BOWL;
    def.thickness = variant & 4 ? 0.15 : container ? 0.1 : 0.0;
    if (kind ==
        OOZE_SHAPE_COMPOUND) { /* a box, a ball and a mesh, turned and apart or within each other */
        for (int k = 0; k < PARTS; k++) {
            static const OozeShapeKind kinds[PARTS] = {OOZE_SHAPE_BOX, OOZE_SHAPE_SPHERE,
                                                       OOZE_SHAPE_MESH};
            parts[k] = shape_of(kinds[k], 0);
            parts[k].size = vec3(0.6, 0.4, 0.5);
            parts[k].radius = 0.3;
            parts[k].position = vec3(0.4 * k - 0.4, variant & 4 ? 0.1 : 0.7 * k, 0.1 * k);
            parts[k].rotation = quat_unit(quat(0.1 * k, 0.2, -0.1, 0.9));
        }
        def.parts = parts;
        def.part_count = PARTS;
        def.scale = variant & 2 ? vec3(0.8, 0.8, 0.8) : vec3(1.0, 1.0, 1.0);
    }
    return def;
}

static OozeSolid solid_of(OozeShapeKind kind, int variant)
{
    OozeSolidDef def = ooze_solid_def_default();
    def.shape = shape_of(kind, variant);
    def.shape.position = vec3(0.3, -0.2, 0.1);
    def.shape.rotation = quat_unit(quat(0.1, 0.4, -0.2, 0.8));
    def.motion.velocity = vec3(0.5, -1.0, 0.25);
    def.motion.spin = ooze_vec3_degrees(vec3(3.0, -1.0, 2.0));
    def.motion.pivot = vec3(0.1, 0.2, 0.0);
    def.friction = 0.25 * variant;
    def.restitution = 0.125;
    OozeSolid solid;
    CHECK_OK(ooze_solid_create(&solid, &def, (OozeAxis)(variant % 3), s, NULL, &error));
    return solid;
}

/* Inside, around, far away, on planes of symmetry and on the axes. */
static OozeVec3 point_of(uint64_t i)
{
    double reach = i % 4 == 3 ? 20.0 : i % 4 == 2 ? 1.5 : 0.7;
    OozeVec3 p = vec3(random_between(i, 0, -reach, reach), random_between(i, 1, -reach, reach),
                      random_between(i, 2, -reach, reach));
    p.x = i % 7 == 0 ? 0.0 : p.x;
    p.y = i % 11 == 0 ? 0.0 : p.y;
    p.z = i % 13 == 0 ? 0.0 : p.z;
    return p;
}

struct Contacts {
    TestGpu gpu;
    OozeVec3 *points;
    OozeContact *found;
    DeviceBuffer point_buffer = {}, found_buffer = {};
    OozeVec3 *here;

    Contacts()
    {
        Gpu *m = &gpu.m;
        points = buffer<OozeVec3>(m, &point_buffer, POINTS);
        found = buffer<OozeContact>(m, &found_buffer, POINTS);
        here = static_cast<OozeVec3 *>(malloc(POINTS * sizeof *here));
        for (uint64_t i = 0; i < POINTS; i++) {
            here[i] = point_of(i);
        }
    }
    ~Contacts()
    {
        free(here);
        buffer_free(&gpu.m, &point_buffer);
        buffer_free(&gpu.m, &found_buffer);
    }
};

static void ask(Gpu *m, SolidsView solids, int k, const OozeVec3 *points, OozeContact *found)
{
    for_each(
        m, POINTS, OOZE_BODY(uint32_t i) { found[i] = solid_contact(solids.items[k], points[i]); });
}

/* A fused product and sum may round once less on the device; where two parts of a surface are
   equally near, that may choose the other, and only the distance is the same. The distance of an
   unevenly scaled round shape is iterated, and rounding may end the iteration a round earlier. */
static void check_contact(const OozeSolid *solid, OozeVec3 p, const OozeContact *found,
                          double tolerance, int *others)
{
    OozeContact right = ooze_solid_contact(solid, p);
    double scale = 1.0 + vec3_length(p), apart;
    CHECK_NEAR(found->distance, right.distance, tolerance * scale);
    apart = vec3_length(vec3_sub(found->normal, right.normal));
    if (apart > 1e-9 * scale) {
        (*others)++;
        CHECK_NEAR(vec3_length(found->normal), 1.0, 1e-12);
        return;
    }
    CHECK_NEAR(vec3_length(vec3_sub(found->velocity, right.velocity)), 0.0, 1e-8 * scale);
}

static void contacts_agree_with_the_processor(void **)
{
    Contacts contacts;
    Gpu *m = &contacts.gpu.m;
    for (int kind = 0; kind < OOZE_SHAPE_KIND_COUNT; kind++) {
        OozeSolid solids[VARIANTS];
        Solids sent = {};
        OozeStepContext context = {};
        context.solids = solids;
        context.solid_count = VARIANTS;
        context.spacing = s;
        context.dt = 0.01;
        for (int k = 0; k < VARIANTS; k++) {
            solids[k] = solid_of((OozeShapeKind)kind, k);
            ooze_solid_advance(&solids[k], 0.3, 0.01);
        }
        CHECK_OK(solids_send(m, &sent, &context, &error));
        for (int k = 0; k < VARIANTS; k++) {
            /* a third of the points on the surface itself */
            for (uint64_t i = 0; i < POINTS; i += 3) {
                OozeContact near = ooze_solid_contact(&solids[k], contacts.here[i]);
                contacts.here[i] = vec3_madd(contacts.here[i], -near.distance, near.normal);
            }
            copy_in(m, contacts.points, contacts.here, POINTS * sizeof *contacts.here);
            ask(m, sent.view, k, contacts.points, contacts.found);
            OozeContact *found = brought_home(m, contacts.found, POINTS);
            /* on the surface itself, rounding decides on which side a point lies, and so its normal
               */
            int others = 0, on_surface = 0;
            for (uint64_t i = 0; i < POINTS; i++) {
                check_contact(&solids[k], contacts.here[i], &found[i], k & 2 ? 1e-6 : 1e-12,
                              i % 3 == 0 ? &on_surface : &others);
            }
            assert_in_range(others, 0, POINTS / 20);
            free(found);
        }
        CHECK_OK(status(m, POINTS, &error));
        solids_free(m, &sent);
        for (int k = 0; k < VARIANTS; k++) {
            ooze_solid_free(&solids[k]);
        }
    }
}

/* ---- what is near ----------------------------------------------------------------------- */

static void ask_near(Gpu *m, SolidsView solids, int k, const OozeVec3 *points, float reach,
                     uint8_t *found)
{
    for_each(
        m, POINTS, OOZE_BODY(uint32_t i) {
            float4 x = narrow(points[i]);
            found[i] = (uint8_t)(solid_near(solids.items[k], x, reach, false) |
                                 solid_near(solids.items[k], x, reach, true) << 1);
        });
}

/* Whatever is within reach is near, and most of what is far is not, but for containers, whose box
   says nothing. */
static void far_solids_are_excluded(void **)
{
    Contacts contacts;
    Gpu *m = &contacts.gpu.m;
    const float reach = 0.1f;
    const double dt = 0.02;
    uint8_t *near = scratch<uint8_t>(m, POINTS);
    copy_in(m, contacts.points, contacts.here, POINTS * sizeof *contacts.here);
    for (int kind = 0; kind < OOZE_SHAPE_KIND_COUNT; kind++) {
        OozeSolid solids[2] = {solid_of((OozeShapeKind)kind, 0), solid_of((OozeShapeKind)kind, 1)};
        Solids sent = {};
        OozeStepContext context = {};
        context.solids = solids;
        context.solid_count = 2;
        context.spacing = s;
        context.dt = dt;
        for (int k = 0; k < 2; k++) {
            bool boxed = k == 0 || kind == OOZE_SHAPE_PLANE;
            CHECK_OK(solids_send(m, &sent, &context, &error));
            ask_near(m, sent.view, k, contacts.points, reach, near);
            uint8_t *found = brought_home(m, near, POINTS);
            uint64_t far = 0, kept = 0;
            for (uint64_t i = 0; i < POINTS; i++) {
                OozeContact right = ooze_solid_contact(&solids[k], contacts.here[i]);
                double travel = dt * vec3_length(right.velocity);
                assert_true(right.distance > reach || found[i] & 1);
                assert_true(right.distance > reach + travel || found[i] & 2);
                far += right.distance > 2.0;
                kept += right.distance > 2.0 && found[i] & 1;
            }
            assert_true(far > 500 || !boxed);
            assert_true(kept == 0 || !boxed);
            free(found);
        }
        CHECK_OK(ooze_solid_set(&solids[0], OOZE_SOLID_COLLIDES, 0.0, &error));
        CHECK_OK(solids_send(m, &sent, &context, &error));
        ask_near(m, sent.view, 0, contacts.points, reach, near);
        uint8_t *found = brought_home(m, near, POINTS);
        for (uint64_t i = 0; i < POINTS; i++) {
            assert_int_equal(found[i], 0);
        }
        free(found);
        solids_free(m, &sent);
        ooze_solid_free(&solids[0]);
        ooze_solid_free(&solids[1]);
    }
}

/* ---- what is sent ----------------------------------------------------------------------- */

static SolidView first_of(Gpu *m, SolidsView view)
{
    SolidView solid;
    copy_out(m, &solid, view.items, sizeof solid);
    return solid;
}

static void changed_solids_are_sent_again(void **)
{
    TestGpu gpu;
    Gpu *m = &gpu.m;
    OozeSolid solid = solid_of(OOZE_SHAPE_MESH, 4);
    Solids sent = {};
    OozeStepContext context = {};
    context.solids = &solid;
    context.solid_count = 1;
    context.spacing = s;
    context.dt = 0.01;
    CHECK_OK(solids_send(m, &sent, &context, &error));
    size_t held = m->allocated;
    for (int step = 1; step <= 3; step++) {
        ooze_solid_advance(&solid, 0.01 * step, 0.01);
        CHECK_OK(ooze_solid_set(&solid, OOZE_SOLID_FRICTION, step, &error));
        CHECK_OK(solids_send(m, &sent, &context, &error));
        assert_int_equal(sent.view.count, 1);
        SolidView there = first_of(m, sent.view);
        assert_memory_equal(&there.pose, &solid.pose, sizeof solid.pose);
        assert_memory_equal(&there.previous, &solid.previous, sizeof solid.previous);
        CHECK_NEAR(there.friction, step, 0.0);
        CHECK_NEAR(there.restitution, 0.125, 0.0);
        assert_true(there.collides);
    }
    assert_int_equal(m->allocated, held); /* the shape was sent once */
    context.solid_count = 0;
    CHECK_OK(solids_send(m, &sent, &context, &error));
    assert_int_equal(sent.view.count, 0);
    solids_free(m, &sent);
    assert_true(m->allocated < held);
    ooze_solid_free(&solid);
}

/* Out of memory, here or there: one clear error, nothing lost, and the next call does it all. */
static void running_out_of_memory_is_survived(void **)
{
    TestGpu gpu;
    Gpu *m = &gpu.m;
    size_t held = m->allocated;
    OozeSolid solids[2] = {solid_of(OOZE_SHAPE_MESH, 0), solid_of(OOZE_SHAPE_HEIGHTFIELD, 0)};
    Solids sent = {};
    OozeStepContext context = {};
    context.solids = solids;
    context.solid_count = 2;
    context.spacing = s;
    context.dt = 0.01;
    for (uint64_t n = 1; n <= 3; n++) { /* places, and a record of each shape */
        ooze_memory_fail_after(n);
        CHECK_FAILS(solids_send(m, &sent, &context, &error), OOZE_ERROR_MEMORY, "");
        ooze_memory_fail_after(0);
        solids_free(m, &sent);
        assert_int_equal(m->allocated, held);
    }
    record_error(m, cudaErrorMemoryAllocation);
    CHECK_FAILS(solids_send(m, &sent, &context, &error), OOZE_ERROR_MEMORY, "GPU");
    CHECK_OK(solids_send(m, &sent, &context, &error));
    SolidView there = first_of(m, sent.view);
    assert_memory_equal(&there.pose, &solids[0].pose, sizeof there.pose);
    solids_free(m, &sent);
    assert_int_equal(m->allocated, held);
    ooze_solid_free(&solids[0]);
    ooze_solid_free(&solids[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_agree_with_the_processor),
        cmocka_unit_test(far_solids_are_excluded),
        cmocka_unit_test(changed_solids_are_sent_again),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
