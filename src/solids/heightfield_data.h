/* Data of a height field, for the files that create it and compute distances to it. */
#ifndef OOZE_SOLIDS_HEIGHTFIELD_DATA_H
#define OOZE_SOLIDS_HEIGHTFIELD_DATA_H

#include "base/vec3.h"
#include "solids/heightfield.h"

enum { OOZE_HEIGHT_LEVELS = 24 };

typedef struct OozeHeightRange {
    float low, high;
} OozeHeightRange;

/* Lowest and highest sample of cells; each level has half the resolution of the one before. */
typedef struct OozeHeightLevel {
    uint32_t columns, rows;
    OozeHeightRange *ranges;
} OozeHeightLevel;

struct OozeHeightfield {
    int axes[3];   /* of the world: along columns, along rows, up */
    bool mirrored; /* these three are left-handed */
    uint32_t columns, rows;
    double half[2]; /* of the span */
    double cell[2];
    double base, high;
    float *heights;
    OozeHeightLevel levels[OOZE_HEIGHT_LEVELS];
    int level_count;
};

/* Field coordinates: x along columns, y along rows, z up. */
OOZE_FORMULA OozeVec3 ooze_heightfield_from_local(const OozeHeightfield *field, OozeVec3 p)
{
    return vec3(vec3_component(p, field->axes[0]), vec3_component(p, field->axes[1]),
                vec3_component(p, field->axes[2]));
}

OOZE_FORMULA OozeVec3 ooze_heightfield_to_local(const OozeHeightfield *field, OozeVec3 p)
{
    double out[3];
    out[field->axes[0]] = p.x;
    out[field->axes[1]] = p.y;
    out[field->axes[2]] = p.z;
    return vec3(out[0], out[1], out[2]);
}

/* The last sample is exactly at the rim. */
OOZE_FORMULA OozeVec3 ooze_heightfield_sample(const OozeHeightfield *field, uint32_t i, uint32_t j)
{
    return vec3(i + 1 == field->columns ? field->half[0] : i * field->cell[0] - field->half[0],
                j + 1 == field->rows ? field->half[1] : j * field->cell[1] - field->half[1],
                field->heights[(uint64_t)j * field->columns + i]);
}

#endif
