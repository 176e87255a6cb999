/* A frame with every type of field, odd numbers and known values, for the tests of the output. */
#ifndef OOZE_TESTS_SAMPLE_FRAME_H
#define OOZE_TESTS_SAMPLE_FRAME_H

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ooze/frame.h"

enum { SAMPLE_FIELDS = 9, SAMPLE_STATE = 3, SAMPLE_SOLIDS = 2, SAMPLE_MATERIALS = 3 };

typedef struct SampleFrame {
    OozeFrame frame;
    OozeFieldView fields[SAMPLE_FIELDS], state[SAMPLE_STATE];
    OozeSolidView solids[SAMPLE_SOLIDS];
    OozeMaterialView materials[SAMPLE_MATERIALS];
} SampleFrame;

/* Fills the array with bytes that depend on the seed; finite for floats, below `limit` for
   others. */
static inline void sample_field(OozeFieldView *field, uint64_t count, uint64_t seed, double limit)
{
    size_t size = ooze_field_type_size(field->type), width = (size_t)field->stride;
    unsigned char *data = calloc((size_t)count * width + 1, size);
    for (uint64_t i = 0; i < count * width; i++) {
        double x = limit * ooze_random01(seed, i, 0);
        switch (field->type) {
        case OOZE_FIELD_FLOAT32:
            ((float *)data)[i] = (float)(x - 0.5 * limit);
            break;
        case OOZE_FIELD_FLOAT64:
            ((double *)data)[i] = x - 0.5 * limit;
            break;
        case OOZE_FIELD_UINT8:
            data[i] = (uint8_t)x;
            break;
        case OOZE_FIELD_UINT16:
            ((uint16_t *)data)[i] = (uint16_t)x;
            break;
        case OOZE_FIELD_UINT32:
            ((uint32_t *)data)[i] = (uint32_t)x;
            break;
        default:
            ((uint64_t *)data)[i] = (uint64_t)x;
            break;
        }
    }
    field->count = count;
    field->data = data;
}

static inline SampleFrame *sample_create(uint64_t count, uint64_t index)
{
    static const OozeFieldView fields[SAMPLE_FIELDS] = {
        {"position", OOZE_FIELD_FLOAT32, 3, 4, "m", "where it is", 0, NULL, NULL},
        {"velocity", OOZE_FIELD_FLOAT32, 3, 4, "m/s", "how it moves", 0, NULL, NULL},
        {"id", OOZE_FIELD_UINT64, 1, 1, "", "its own number", 0, NULL, NULL},
        {"material", OOZE_FIELD_UINT16, 1, 1, "", "number of its material", 0, NULL, NULL},
        {"density", OOZE_FIELD_FLOAT32, 1, 1, "kg/m3", "mass around it", 0, NULL, NULL},
        {"stress", OOZE_FIELD_FLOAT32, 6, 8, "Pa", "xx yy zz xy yz zx", 0, NULL, NULL},
        {"age", OOZE_FIELD_FLOAT64, 1, 1, "s", "since it was emitted", 0, NULL, NULL},
        {"flags", OOZE_FIELD_UINT8, 1, 1, "", "bits", 0, NULL, NULL},
        {"bonds", OOZE_FIELD_UINT32, 2, 2, "", "first and last bond", 0, NULL, NULL},
    };
    static const double limits[SAMPLE_FIELDS] = {2.0, 10.0,  0.0, SAMPLE_MATERIALS, 2000.0, 1e5,
                                                 9.0, 256.0, 4e9};
    static const char *const columns[] = {"phase", "rate"};
    static const OozeFieldView state[SAMPLE_STATE] = {
        {"next_id", OOZE_FIELD_UINT64, 1, 1, "", "of the next particle", 0, NULL, NULL},
        {"emitter.phase", OOZE_FIELD_FLOAT64, 2, 2, "m", "of each nozzle", 0, NULL, columns},
        {"empty", OOZE_FIELD_UINT8, 1, 1, "", "nothing yet", 0, NULL, NULL},
    };
    SampleFrame *sample = calloc(1, sizeof *sample);
    memcpy(sample->fields, fields, sizeof fields);
    memcpy(sample->state, state, sizeof state);
    for (int i = 0; i < SAMPLE_FIELDS; i++) {
        sample_field(&sample->fields[i], count, 100 * index + (uint64_t)i, limits[i]);
    }
    uint64_t *ids = (uint64_t *)sample->fields[2].data;
    for (uint64_t i = 0; i < count; i++) {
        ids[i] = i * 7 + (i % 5 == 4 ? 1ull << 40 : 0); /* wider than 32 bits */
    }
    sample_field(&sample->state[0], 1, 8, 1e15);
    sample_field(&sample->state[1], 5, 9, 1.0);
    sample_field(&sample->state[2], 0, 9, 1.0);
    sample->solids[0] = (OozeSolidView){
        "bowl", {{1, 2, 3}, {0, 0.6, 0, 0.8}, {0.1, 0.2, 0.3}, {-1, -2, -3 - (double)index}}};
    sample->solids[1] = (OozeSolidView){"Löffel & \"<spoon>\"", {.rotation = {0, 0, 0, 1}}};
    sample->materials[0] = (OozeMaterialView){"honey", 1420.0, {0.9f, 0.6f, 0.1f}};
    sample->materials[1] = (OozeMaterialView){"", 1000.0, {0, 0, 1}};
    sample->materials[2] = (OozeMaterialView){"a rather long name", 0.1, {1, 1, 1}};
    sample->frame = (OozeFrame){
        .index = index,
        .step = 10 * index + 3,
        .time = 0.125 * (double)index + 0.001,
        .spacing = 0.01,
        .support = 0.02,
        .up = OOZE_AXIS_Z,
        .method = "ballistic",
        .particle_count = count,
        .field_count = SAMPLE_FIELDS,
        .fields = sample->fields,
        .solid_count = SAMPLE_SOLIDS,
        .solids = sample->solids,
        .material_count = SAMPLE_MATERIALS,
        .materials = sample->materials,
        .state_count = SAMPLE_STATE,
        .state = sample->state,
    };
    return sample;
}

static inline void sample_free(SampleFrame *sample)
{
    for (int i = 0; i < SAMPLE_FIELDS; i++) {
        free((void *)sample->fields[i].data);
    }
    for (int i = 0; i < SAMPLE_STATE; i++) {
        free((void *)sample->state[i].data);
    }
    free(sample);
}

#endif
