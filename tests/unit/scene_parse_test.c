/* Values of scene files are stored in the right fields of the definitions. */
#include "scene_text.h"

#include "base/vec3.h"

static const char *const MATERIAL = "materials: {honey: {density: 1400, drag: 2}}\n";

static void world_values(void **state)
{
    (void)state;
    OozeScene *scene = load_good("ooze: 2\n"
                                 "title: 'A #1 scene'\n"
                                 "up: y\n"
                                 "method: {name: ballistic, contact_distance: 3/4}\n"
                                 "spacing: 1/100\n"
                                 "support_ratio: 2\n"
                                 "time_step: 1/240\n"
                                 "duration: 2.5\n"
                                 "frame_rate: 30\n"
                                 "gravity: [0, -1.62, 0]\n"
                                 "seed: 42\n"
                                 "periodic: {x: [-1, 1], z: [0, 2*pi]}\n");
    const OozeSceneDef *def = &scene->def;
    assert_string_equal(def->title, "A #1 scene");
    assert_true(def->world.up == OOZE_AXIS_Y);
    assert_string_equal(def->world.method, "ballistic");
    assert_true(def->method.params[0] == 0.75);
    assert_true(def->world.spacing == 1.0 / 100.0);
    assert_true(def->world.support_ratio == 2.0);
    assert_true(def->world.gravity.y == -1.62);
    assert_true(def->world.seed == 42);
    assert_true(def->world.periodic[0] && !def->world.periodic[1] && def->world.periodic[2]);
    assert_true(def->world.periodic_min.x == -1.0 && def->world.periodic_max.z == 2.0 * M_PI);
    ooze_scene_free(scene);
}

static void up_turns_gravity(void **state)
{
    (void)state;
    static const char *const axes[] = {"x", "y", "z"};
    for (int axis = 0; axis < 3; axis++) {
        char text[256];
        snprintf(text, sizeof text, HEAD "up: %s\n", axes[axis]);
        OozeScene *scene = load_good(text);
        for (int i = 0; i < 3; i++) {
            assert_true(vec3_component(scene->def.world.gravity, i) == (i == axis ? -9.81 : 0.0));
        }
        assert_true((int)scene->def.world.up == axis);
        ooze_scene_free(scene);
    }
}

static void shapes(void **state)
{
    (void)state;
    OozeScene *scene = load_good(
        HEAD "solids:\n"
             "  - shape: {type: plane, normal: [0, 1, 1]}\n"
             "  - shape: {type: box, size: [1, 2, 3], inverted: yes}\n"
             "  - shape: {type: capsule, radius: 0.1, height: 0.4, scale: 2}\n"
             "  - {name: last, friction: inf, restitution: 0.5, collides: off, sampled: no,\n"
             "     color: '#ff8000', shape: {type: torus, radius: 1, tube_radius: 0.2,\n"
             "     position: [1, 2, 3], scale: [1, 2, 3]}}\n");
    const OozeSolidDef *s = scene->def.solids;
    assert_int_equal(scene->def.solid_count, 4);
    assert_true(s[0].shape.kind == OOZE_SHAPE_PLANE && s[0].shape.normal.z == 1.0);
    assert_true(s[1].shape.kind == OOZE_SHAPE_BOX && s[1].shape.size.z == 3.0);
    assert_true(s[1].shape.inverted && !s[0].shape.inverted);
    assert_true(s[2].shape.scale.x == 2.0 && s[2].shape.scale.z == 2.0);
    assert_string_equal(s[0].name, "solid0");
    assert_string_equal(s[3].name, "last");
    assert_true(isinf(s[3].friction) && s[3].restitution == 0.5);
    assert_false(s[3].collides);
    assert_false(s[3].sampled);
    assert_true(s[3].shape.tube_radius == 0.2 && s[3].shape.position.y == 2.0);
    /* sRGB to linear: 1 -> 1, 0 -> 0, 128/255 -> ((0.50196 + 0.055)/1.055)^2.4 = 0.21586 */
    assert_true(s[3].color[0] == 1.0f && s[3].color[2] == 0.0f);
    CHECK_NEAR(s[3].color[1], 0.2158605, 1e-6); /* float rounding */
    /* What is not written is the default of the public definition. */
    assert_true(isnan(s[0].friction) && isnan(ooze_solid_def_default().friction));
    ooze_scene_free(scene);
}

static void check_turned(OozeQuat q, OozeVec3 from, OozeVec3 to)
{
    OozeVec3 turned = quat_rotate(q, from);
    CHECK_NEAR(vec3_length(vec3_sub(turned, to)), 0.0, 1e-12); /* a few roundings of order one */
}

static void rotations(void **state)
{
    (void)state;
    OozeScene *scene =
        load_good(HEAD "solids:\n"
                       "  - shape: {type: plane, rotation: {axis: [0, 0, 2], degrees: 90}}\n"
                       "  - shape: {type: plane, rotation: [90, 0, 90]}\n"
                       "  - shape: {type: plane, rotation: [0, 360/4, 0]}\n");
    const OozeSolidDef *s = scene->def.solids;
    check_turned(s[0].shape.rotation, vec3(1, 0, 0), vec3(0, 1, 0));
    /* About x first: y goes to z, which the turn about z leaves alone; x goes to y. */
    check_turned(s[1].shape.rotation, vec3(0, 1, 0), vec3(0, 0, 1));
    check_turned(s[1].shape.rotation, vec3(1, 0, 0), vec3(0, 1, 0));
    check_turned(s[2].shape.rotation, vec3(0, 0, 1), vec3(1, 0, 0));
    ooze_scene_free(scene);
}

static void motion(void **state)
{
    (void)state;
    OozeScene *scene = load_good(
        HEAD "solids:\n"
             "  - shape: {type: sphere, radius: 1, position: [0, 5, 0], rotation: [0, 90, 0]}\n"
             "    motion:\n"
             "      interpolation: linear\n"
             "      keyframes:\n"
             "        - {time: 0}\n"
             "        - {time: 1, position: [1, 0, 0]}\n"
             "        - {time: 2, rotation: [0, 0, 90]}\n"
             "      spin: [0, 360, 0]\n"
             "      pivot: [1, 0, 0]\n"
             "      sine: {amplitude: [0.1, 0, 0], frequency: 2, phase: 90}\n"
             "      start: 0.5\n"
             "      stop: inf\n"
             "      ramp_time: 0.01\n");
    const OozeMotionDef *m = &scene->def.solids[0].motion;
    assert_true(m->interpolation == OOZE_MOTION_LINEAR);
    assert_int_equal(m->keyframe_count, 3);
    /* A keyframe that leaves something out keeps the shape's own pose. */
    assert_true(m->keyframes[0].position.y == 5.0 && m->keyframes[2].position.y == 5.0);
    assert_true(m->keyframes[1].position.x == 1.0 && m->keyframes[1].time == 1.0);
    check_turned(m->keyframes[1].rotation, vec3(0, 0, 1), vec3(1, 0, 0));
    check_turned(m->keyframes[2].rotation, vec3(1, 0, 0), vec3(0, 1, 0));
    assert_true(m->spin.y == 360.0 && m->pivot.x == 1.0);
    assert_true(m->sine_amplitude.x == 0.1 && m->sine_frequency == 2.0);
    assert_true(m->sine_phase == 90.0 && m->start == 0.5 && isinf(m->stop));
    assert_true(m->ramp_time == 0.01);
    ooze_scene_free(scene);
}

static void flow(void **state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof text,
             HEAD
             "%s"
             "fluids:\n"
             "  - {name: drop, material: honey, shape: {type: sphere, radius: 0.5},\n"
             "     fill: jittered, jitter: 0.1, velocity: [1, 2, 3], spin: [0, 0, 1]}\n"
             "emitters:\n"
             "  - {material: honey, outline: star, radius: 0.2, inner_radius: 0.1, points: 7,\n"
             "     position: [0, 1, 0], direction: [0, -1, 0], roll: 180, speed: 2, start: 0.1,\n"
             "     stop: 0.9, limit: 1000}\n"
             "  - {material: honey, outline: rectangle, size: [0.4, 0.5]}\n"
             "sinks:\n"
             "  - {shape: {type: plane}, start: 1, stop: 2}\n"
             "probes:\n"
             "  - {kind: height, percentile: 50, point: [0, 1, 0]}\n"
             "  - {name: e, kind: energy, every_step: on, material: honey}\n",
             MATERIAL);
    OozeScene *scene = load_good(text);
    const OozeSceneDef *d = &scene->def;
    assert_string_equal(d->materials[0].name, "honey");
    assert_true(d->materials[0].values[0] == 1400.0);
    assert_string_equal(d->fluids[0].material, "honey");
    assert_true(d->fluids[0].def.fill == OOZE_FILL_JITTERED && d->fluids[0].def.jitter == 0.1);
    assert_true(d->fluids[0].def.velocity.z == 3.0 && d->fluids[0].def.spin.z == 1.0);
    const OozeEmitterDef *e = &d->emitters[0].def;
    assert_true(e->outline == OOZE_OUTLINE_STAR && e->points == 7 && e->inner_radius == 0.1);
    assert_true(e->roll == 180.0 && e->start == 0.1 && e->stop == 0.9 && e->limit == 1000);
    assert_true(d->emitters[1].def.size.x == 0.4 && d->emitters[1].def.size.y == 0.5);
    assert_true(isinf(d->emitters[1].def.stop));
    assert_true(d->sinks[0].start == 1.0 && d->sinks[0].stop == 2.0);
    assert_true(d->probes[0].def.percentile == 50.0 && d->probes[0].def.point.y == 1.0);
    assert_string_equal(d->probes[0].def.name, "height"); /* called by its kind */
    assert_true(d->probes[1].def.every_step);
    assert_string_equal(d->probes[1].material, "honey");
    ooze_scene_free(scene);
}

static void thread_probes(void **state)
{
    (void)state;
    OozeScene *scene =
        load_good(HEAD "solids:\n"
                       "  - {name: floor, shape: {type: plane}}\n"
                       "  - {name: plate, shape: {type: cylinder, radius: 1, "
                       "height: 0.1}}\n"
                       "probes:\n"
                       "  - {kind: thread, lower: floor, upper: plate}\n"
                       "  - {name: jet, kind: thread, axis: [1, 0, 0], from: -0.5, to: 2,\n"
                       "     slice: 1.5, margin: 0, contact: 1, link_length: 2}\n");
    const OozeProbeDef *a = &scene->def.probes[0].def, *b = &scene->def.probes[1].def;
    assert_true(a->kind == OOZE_PROBE_THREAD && isnan(a->from) && isnan(a->to));
    assert_string_equal(a->lower, "floor");
    assert_string_equal(a->upper, "plate");
    assert_true(a->slice == 1.0 && a->margin == 2.0 && a->contact == 2.0 && a->link_length == 1.6);
    assert_true(b->from == -0.5 && b->to == 2.0 && b->slice == 1.5 && b->margin == 0.0);
    assert_true(b->contact == 1.0 && b->link_length == 2.0 && b->axis.x == 1.0);
    ooze_scene_free(scene);
}

static void check_info(const char *step, const char *duration, const char *rate, uint64_t steps,
                       uint64_t frames)
{
    char text[256];
    snprintf(text, sizeof text,
             "{ooze: 2, method: {name: ballistic}, spacing: 0.1, time_step: %s, duration: %s, "
             "frame_rate: %s}",
             step, duration, rate);
    OozeScene *scene = load_good(text);
    const OozeSceneInfo *info = ooze_scene_info(scene);
    assert_int_equal(info->steps_per_frame, steps);
    assert_int_equal(info->frame_count, frames);
    CHECK_NEAR(info->time_step * (double)steps * info->frame_rate, 1.0, 1e-12);
    ooze_scene_free(scene);
}

static void frames_fall_on_steps(void **state)
{
    (void)state;
    check_info("1/240", "1", "24", 10, 24); /* exact up to rounding: not 11 */
    check_info("1/24", "10", "24", 1, 240);
    check_info("0.001", "0.1", "24", 42, 2); /* 41.67 steps: shortened */
    check_info("1", "1", "24", 1, 24);       /* longer than a frame: shortened to one */
    check_info("0.1", "0.3", "10", 1, 3);    /* 0.3 * 10 is just below 3 in binary */
    check_info("0.1", "0", "10", 1, 0);
    /* numbers that are rounded in the file */
    check_info("1/240", "0.458333333", "24", 10, 11);
    check_info("1/240", "0.4583", "24", 10, 11);
    check_info("1/240", "0.458", "24", 10, 10); /* a hundredth of a frame is no rounding */
    check_info("0.00208333", "1", "24", 20, 24);
    check_info("0.00208", "1", "24", 21, 24);
}

static void words_of_yaml(void **state)
{
    (void)state;
    /* Words that YAML 1.1 would take for switches, numbers or dates are text where text is due. */
    OozeScene *scene = load_good(HEAD "title: no\n"
                                      "materials: {on: {density: 1e3}, 15e3: {}, null: {}}\n"
                                      "fluids:\n"
                                      "  - {name: yes, material: on,\n"
                                      "     shape: {type: sphere, radius: 010}}\n");
    assert_string_equal(scene->def.title, "no");
    assert_string_equal(scene->def.materials[0].name, "on");
    assert_string_equal(scene->def.fluids[0].def.name, "yes");
    assert_true(scene->def.fluids[0].def.shape.radius == 10.0);
    ooze_scene_free(scene);
}

/* Each corner of the palette has the colour of its material, others are between them. */
static void colours_of_the_palette(void **state)
{
    (void)state;
    OozeScene *scene =
        load_good(HEAD "materials:\n"
                       "  elastic: {modulus: 1e6, color: palette}\n"
                       "  viscous: {relaxation_time: 0, compliance: 0, color: palette}\n"
                       "  thin: {viscosity: 0.001, color: palette}\n"
                       "  between: {relaxation_time: 0.15, viscosity: 100,\n"
                       "            solvent_viscosity: 100, color: palette}\n");
    const OozeMaterialDef *m = scene->def.materials;
    const float corners[3][3] = {{0.8879f, 0.5333f, 0.0762f},  /* #f2c14e */
                                 {0.6724f, 0.0331f, 0.1500f},  /* #d6336c */
                                 {0.0160f, 0.4793f, 0.6239f}}; /* #22b8cf */
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(m[i].color[k], corners[i][k], 1e-3); /* stiff, not infinitely stiff */
        }
    }
    for (int k = 0; k < 3; k++) { /* half of the memory, half of the viscosity */
        CHECK_NEAR(m[3].color[k], 0.5 * corners[2][k] + 0.25 * (corners[0][k] + corners[1][k]),
                   1e-6);
    }
    ooze_scene_free(scene);
}

static void aliases(void **state)
{
    (void)state;
    OozeScene *scene = load_good(HEAD "solids:\n"
                                      "  - shape: &ball {type: sphere, radius: &r 0.25}\n"
                                      "  - shape: *ball\n"
                                      "  - shape: {type: torus, radius: 1, tube_radius: *r}\n");
    assert_true(scene->def.solids[1].shape.radius == 0.25);
    assert_true(scene->def.solids[2].shape.tube_radius == 0.25);
    ooze_scene_free(scene);
}

static void unicode(void **state)
{
    (void)state;
    OozeScene *scene = load_good("\xef\xbb\xbf" HEAD "title: \"\\u00e4 \xc3\xa4\"\r\n");
    assert_string_equal(scene->def.title, "\xc3\xa4 \xc3\xa4"); /* after a byte order mark */
    ooze_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(world_values),
        cmocka_unit_test(up_turns_gravity),
        cmocka_unit_test(shapes),
        cmocka_unit_test(rotations),
        cmocka_unit_test(motion),
        cmocka_unit_test(flow),
        cmocka_unit_test(thread_probes),
        cmocka_unit_test(words_of_yaml),
        cmocka_unit_test(frames_fall_on_steps),
        cmocka_unit_test(colours_of_the_palette),
        cmocka_unit_test(aliases),
        cmocka_unit_test(unicode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
