/* A small scene and its first frame, for tests of whole pictures. */
#ifndef OOZE_TESTS_RENDER_RUN_H
#define OOZE_TESTS_RENDER_RUN_H

#include "check.h"

#include "base/vec3.h"
#include "ooze/ooze.h"

static const char block_scene[] =
    "ooze: 2\n"
    "method: {name: ballistic}\n"
    "spacing: 0.02\n"
    "time_step: 1/100\n"
    "duration: 1\n"
    "materials:\n"
    "  honey: {density: 1400}\n"
    "fluids:\n"
    "  - {material: honey, velocity: [0, -1, 0],\n"
    "     shape: {type: box, size: [0.2, 0.16, 0.12],\n"
    "             position: [0.05, 0.2, 0]}}\n"
    "solids:\n"
    "  - {name: floor, shape: {type: plane}, color: \"#c0c0c0\"}\n"
    "  - {name: ball, look: chocolate,\n"
    "     shape: {type: sphere, radius: 0.04, position: [-0.15, 0.04, 0]}}\n";

typedef struct Run {
    OozeScene *scene;
    OozeWorld *world;
    const OozeFrame *frame;
    OozeRenderDef def;
} Run;

static inline Run make_run(const char *text)
{
    Run run = {.scene = NULL};
    CHECK_OK(ooze_scene_load_text(text, strlen(text), "block.yaml", &run.scene, &error));
    CHECK_OK(ooze_scene_build(run.scene, NULL, &run.world, &error));
    run.frame = ooze_world_frame(run.world);
    run.def = *ooze_scene_render(run.scene);
    run.def.size = vec3(96, 64, 0);
    run.def.samples = 4;
    run.def.threads = 1;
    return run;
}

static inline void free_run(Run *run)
{
    ooze_world_destroy(run->world);
    ooze_scene_free(run->scene);
}

/* The caller frees it. */
static inline unsigned char *picture_of(const Run *run, const OozeFrame *frame)
{
    OozeRenderer *renderer = NULL;
    CHECK_OK(ooze_renderer_create(run->scene, &run->def, &renderer, &error));
    unsigned char *pixels = malloc((size_t)(run->def.size.x * run->def.size.y) * 3);
    CHECK_OK(ooze_renderer_survey(renderer, run->frame, &error)); /* the camera stays where it is */
    CHECK_OK(ooze_render_frame(renderer, frame, NULL, NULL, pixels, &error));
    ooze_renderer_free(renderer);
    return pixels;
}

/* Mean difference of two pictures in grey levels. */
static inline double difference(const Run *run, const unsigned char *a, const unsigned char *b)
{
    size_t count = (size_t)(run->def.size.x * run->def.size.y) * 3;
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += fabs((double)a[i] - (double)b[i]);
    }
    return sum / (double)count;
}

/* A frame with positions of its own: a copy of the first, to be moved about. */
typedef struct OwnFrame {
    OozeFrame frame;
    OozeFieldView fields[32];
    float *positions; /* four each */
} OwnFrame;

static inline void own_frame(OwnFrame *own, const OozeFrame *from, uint64_t count)
{
    own->frame = *from;
    own->frame.particle_count = count;
    memcpy(own->fields, from->fields, (size_t)from->field_count * sizeof *from->fields);
    own->frame.fields = own->fields;
    own->positions = calloc((size_t)count * 4 + 1, sizeof(float));
    for (int i = 0; i < from->field_count; i++) {
        own->fields[i].count = count;
        if (strcmp(own->fields[i].name, "position") == 0) {
            assert_int_equal(own->fields[i].stride, 4);
            memcpy(own->positions, own->fields[i].data, (size_t)count * 4 * sizeof(float));
            own->fields[i].data = own->positions;
        }
    }
}

#endif
