/* Fixtures of the tests of the links method: materials, balls, and measurements of a frame. */
#ifndef OOZE_TESTS_PHYSICS_LINKS_FIXTURES_H
#define OOZE_TESTS_PHYSICS_LINKS_FIXTURES_H

#include "physics/fixtures.h"

static inline OozeMaterialId add_linked(OozeWorld *world, double extension, double rate,
                                        bool elastic)
{
    OozeMaterialDef def = ooze_material_def_default();
    OozeMaterialId id = {0};
    CHECK_OK(ooze_material_def_set(&def, "extension", extension, &error));
    CHECK_OK(ooze_material_def_set(&def, "stretch_rate", rate, &error));
    CHECK_OK(ooze_material_def_set(&def, "label", elastic, &error));
    CHECK_OK(ooze_world_add_material(world, &def, &id, &error));
    return id;
}

/* A ball cut out of the lattice; gives the number of particles. `side`: -1 or 1, the half with x of
   that sign; 0: all. */
typedef struct Ball {
    OozeMaterialId material;
    double radius, spacing;
    OozeVec3 centre;
    int side;
} Ball;

static inline uint64_t add_ball(OozeWorld *world, Ball b)
{
    int reach = (int)(b.radius / b.spacing) + 1, side = 2 * reach;
    OozeVec3 *x = calloc((size_t)(side * side * side), sizeof *x);
    uint64_t n = 0;
    assert_non_null(x);
    for (int k = 0; k < side; k++) {
        for (int j = 0; j < side; j++) {
            for (int i = 0; i < side; i++) {
                OozeVec3 at =
                    vec3_scale(vec3(i - reach + 0.5, j - reach + 0.5, k - reach + 0.5), b.spacing);
                if (vec3_length(at) < b.radius && (double)b.side * at.x >= 0.0) {
                    x[n++] = vec3_add(b.centre, at);
                }
            }
        }
    }
    CHECK_OK(ooze_world_add_particles(world, b.material, n, x, NULL, &error));
    free(x);
    return n;
}

/* 95th percentile of the distance to the vertical axis through the centre of what is looked at:
   particles of one material, or of all (-1). */
static inline double spread(OozeWorld *world, int material)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *m = ooze_frame_field(frame, "material");
    double *r = calloc(frame->particle_count, sizeof *r), cx = 0, cz = 0;
    uint64_t n = 0;
    assert_non_null(r);
    for (int pass = 0; pass < 2; pass++) {
        n = 0;
        for (uint64_t i = 0; i < frame->particle_count; i++) {
            if (material >= 0 && (int)ooze_field_value(m, i, 0) != material) {
                continue;
            }
            OozeVec3 p = read_vector(x, i);
            if (pass == 0) {
                cx += p.x;
                cz += p.z;
            } else {
                r[n] = hypot(p.x - cx, p.z - cz);
            }
            n++;
        }
        cx /= pass == 0 ? (double)n : 1;
        cz /= pass == 0 ? (double)n : 1;
    }
    double result = percentile(r, n, 0.95);
    free(r);
    return result;
}

/* Links there are, after a step: every row belongs to a particle, every link to two of them, each
   pair has one at most, and none is longer than `longest`. */
static inline uint64_t count_links(OozeWorld *world, double longest)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *count = ooze_frame_state(frame, "link_count");
    const OozeFieldView *other = ooze_frame_state(frame, "link_other");
    const OozeFieldView *rest = ooze_frame_state(frame, "link_rest");
    const OozeFieldView *row = ooze_frame_field(frame, "link_row");
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    uint64_t n = frame->particle_count, link = 0;
    uint64_t *particle = calloc(n, sizeof *particle);
    assert_non_null(particle);
    assert_int_equal(count->count, n);
    for (uint64_t i = 0; i < n; i++) {
        particle[i] = UINT64_MAX;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t own = (uint64_t)ooze_field_value(row, i, 0);
        assert_true(own < n && particle[own] == UINT64_MAX);
        particle[own] = i;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t before = i;
        for (uint64_t k = 0; k < (uint64_t)ooze_field_value(count, i, 0); k++, link++) {
            uint64_t j = (uint64_t)ooze_field_value(other, link, 0);
            assert_true(j > before && j < n);
            assert_true(ooze_field_value(rest, link, 0) > 0);
            OozeVec3 a = read_vector(x, particle[i]), b = read_vector(x, particle[j]);
            assert_true(vec3_length(vec3_sub(a, b)) <= longest);
            before = j;
        }
    }
    assert_int_equal(link, other->count);
    free(particle);
    return link;
}

/* Of the particles, those that are elastic. */
static inline double elastic_share(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *elastic = ooze_frame_field(frame, "elastic");
    double sum = 0;
    assert_non_null(elastic);
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        sum += ooze_field_value(elastic, i, 0);
    }
    return sum / (double)frame->particle_count;
}

#endif
