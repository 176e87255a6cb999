/* Light from all around, computed without files: its radiance, and directions sampled in proportion
   to it. */
#ifndef OOZE_RENDER_ENVIRONMENT_H
#define OOZE_RENDER_ENVIRONMENT_H

#include "ooze/render.h"
#include "ooze/status.h"
#include "render/float3.h"
#include "render/sampler.h"

enum { OOZE_ENVIRONMENT_ROWS = 128, OOZE_ENVIRONMENT_COLUMNS = 256 };

typedef struct OozeEnvironment {
    OozeEnvironmentType type;
    OozeF3 right, up, forward; /* its axes; forward: horizontal, from the camera */
    float strength;
    float mean_luminance; /* over all directions */
    /* Cumulative probabilities of the rows (equal angles from the axis up), and of the cells of
       each row. */
    float row_sums[OOZE_ENVIRONMENT_ROWS + 1];
    float cell_sums[OOZE_ENVIRONMENT_ROWS][OOZE_ENVIRONMENT_COLUMNS + 1];
} OozeEnvironment;

/* `forward`: horizontal, from the camera. */
void ooze_environment_make(OozeEnvironment *environment, const OozeRenderDef *def, OozeF3 up,
                           OozeF3 forward);

/* Radiance from a direction, without the sun. */
OozeF3 ooze_environment_radiance(const OozeEnvironment *environment, OozeF3 direction);
/* What the camera sees behind the scene: the environment without its lights, out of focus. */
OozeF3 ooze_environment_background(const OozeEnvironment *environment, OozeF3 direction);

/* The sun of an environment that has one: direction towards it, and the radiance of a white surface
   that faces it. False: it has none. */
bool ooze_environment_sun(const OozeEnvironment *environment, OozeF3 *direction, OozeF3 *radiance);

/* A direction, in proportion to the radiance of its cell; `pdf` per steradian. */
OozeF3 ooze_environment_sample(const OozeEnvironment *environment, OozePair random, float *pdf);
float ooze_environment_pdf(const OozeEnvironment *environment, OozeF3 direction);

#endif
