/* The field at any point, and the contributions of the particles. */
#ifndef OOZE_SURFACE_POINT_H
#define OOZE_SURFACE_POINT_H

#include "surface/cloud.h"

enum { OOZE_POINT_WEIGHTS_MAX = 128 };

typedef struct OozePointWeights {
    float value, gradient[3];
    uint32_t nearest; /* particle, by its sorted index */
    int count;        /* particles listed: 1 to OOZE_POINT_WEIGHTS_MAX */
    uint32_t particle[OOZE_POINT_WEIGHTS_MAX];
    float share[OOZE_POINT_WEIGHTS_MAX]; /* of the sum; they add up to 1 */
} OozePointWeights;

float ooze_field_value_at(const OozeCloud *cloud, const float point[3]);
/* The contributions of two materials. */
void ooze_field_labels_at(const OozeCloud *cloud, const float point[3], uint8_t first,
                          uint8_t second, float values[2]);
/* Shares of the particles within OOZE_SURFACE_ATTRIBUTES spacings, by distance alone, and the
   nearest; `value` and `gradient` are not set. Where there is none, those of ooze_field_weights. */
void ooze_point_weights(const OozeCloud *cloud, const float point[3], OozePointWeights *parts);
/* Outside all kernels the nearest particle has the whole weight. */
void ooze_field_weights(const OozeCloud *cloud, const float point[3], OozePointWeights *parts);

#endif
