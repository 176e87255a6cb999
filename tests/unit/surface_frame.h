/* Small clouds of particles as frames, for the tests of the surface. Spacing 1 unless scaled. */
#ifndef OOZE_TESTS_SURFACE_FRAME_H
#define OOZE_TESTS_SURFACE_FRAME_H

#include <stdlib.h>

#include "base/hash.h"
#include "ooze/surface.h"

enum { CLOUD_FIELDS = 5 };

typedef struct CloudFrame {
    OozeFrame frame;
    OozeFieldView fields[CLOUD_FIELDS];
    OozeMaterialView materials[2];
    float *position, *velocity, *temperature;
    uint64_t *id;
    uint16_t *material;
    uint64_t room;
} CloudFrame;

static inline CloudFrame *cloud_create(uint64_t room, double spacing)
{
    CloudFrame *cloud = calloc(1, sizeof *cloud);
    cloud->room = room;
    cloud->position = calloc(4 * room + 4, sizeof(float));
    cloud->velocity = calloc(4 * room + 4, sizeof(float));
    cloud->temperature = calloc(room + 1, sizeof(float));
    cloud->id = calloc(room + 1, sizeof(uint64_t));
    cloud->material = calloc(room + 1, sizeof(uint16_t));
    const OozeFieldView fields[CLOUD_FIELDS] = {
        {"position", OOZE_FIELD_FLOAT32, 3, 4, "m", "", 0, cloud->position, NULL},
        {"velocity", OOZE_FIELD_FLOAT32, 3, 4, "m/s", "", 0, cloud->velocity, NULL},
        {"id", OOZE_FIELD_UINT64, 1, 1, "", "", 0, cloud->id, NULL},
        {"material", OOZE_FIELD_UINT16, 1, 1, "", "", 0, cloud->material, NULL},
        {"temperature", OOZE_FIELD_FLOAT32, 1, 1, "K", "", 0, cloud->temperature, NULL},
    };
    for (int f = 0; f < CLOUD_FIELDS; f++) {
        cloud->fields[f] = fields[f];
    }
    cloud->materials[0] = (OozeMaterialView){"red", 1000.0, {1.0f, 0.0f, 0.0f}};
    cloud->materials[1] = (OozeMaterialView){"blue", 1000.0, {0.0f, 0.0f, 1.0f}};
    cloud->frame = (OozeFrame){.spacing = spacing,
                               .support = 2.0 * spacing,
                               .up = OOZE_AXIS_Y,
                               .method = "conformation",
                               .field_count = CLOUD_FIELDS,
                               .fields = cloud->fields,
                               .material_count = 2,
                               .materials = cloud->materials};
    return cloud;
}

static inline void cloud_free(CloudFrame *cloud)
{
    free(cloud->position);
    free(cloud->velocity);
    free(cloud->temperature);
    free(cloud->id);
    free(cloud->material);
    free(cloud);
}

/* In units of the spacing. */
static inline void cloud_add(CloudFrame *cloud, double x, double y, double z)
{
    uint64_t i = cloud->frame.particle_count++;
    double s = cloud->frame.spacing;
    cloud->position[4 * i] = (float)(x * s);
    cloud->position[4 * i + 1] = (float)(y * s);
    cloud->position[4 * i + 2] = (float)(z * s);
    cloud->id[i] = i;
    for (int f = 0; f < CLOUD_FIELDS; f++) {
        cloud->fields[f].count = cloud->frame.particle_count;
    }
}

/* nx by ny by nz particles, each off its place by up to `jitter` spacings along each axis. */
static inline CloudFrame *cloud_block(int nx, int ny, int nz, double jitter, uint64_t seed,
                                      double spacing)
{
    CloudFrame *cloud = cloud_create((uint64_t)nx * (uint64_t)ny * (uint64_t)nz, spacing);
    for (int z = 0; z < nz; z++) {
        for (int y = 0; y < ny; y++) {
            for (int x = 0; x < nx; x++) {
                double off[3];
                for (int a = 0; a < 3; a++) {
                    off[a] =
                        jitter *
                        (2.0 * ooze_random01(seed, cloud->frame.particle_count, (uint64_t)a) - 1.0);
                }
                cloud_add(cloud, x + 0.13 + off[0], y + 0.21 + off[1], z + 0.37 + off[2]);
            }
        }
    }
    return cloud;
}

#endif
