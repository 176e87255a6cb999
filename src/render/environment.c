/* Importance sampling of environments: a table of cells of equal angles, chosen in proportion to
   their luminance and solid angle (Pharr, Jakob and Humphreys 2016, 14.2.4). Within a cell all
   directions are equally likely by angles; the radiance itself is computed, not tabulated, so that
   the table decides the noise and never the mean. */
#include "render/environment.h"

#include "base/angle.h"

enum { ROWS = OOZE_ENVIRONMENT_ROWS, COLUMNS = OOZE_ENVIRONMENT_COLUMNS };

#define LEAST_SHARE 0.05f /* of the mean luminance: every direction may be sampled */

/* Local: x to the right, y up, z forward. `theta` from the axis up, `phi` about it. */
static OozeF3 direction_at(float theta, float phi)
{
    return f3(sinf(theta) * sinf(phi), cosf(theta), sinf(theta) * cosf(phi));
}

static OozeF3 to_world(const OozeEnvironment *environment, OozeF3 local)
{
    OozeF3 v = f3_scale(environment->right, local.x);
    return f3_madd(f3_madd(v, local.y, environment->up), local.z, environment->forward);
}

/* Mean luminance of a cell, from points within it. */
static float cell_luminance(const OozeEnvironment *environment, int row, int column)
{
    enum { POINTS = 3 };
    float sum = 0.0f;
    for (int i = 0; i < POINTS * POINTS; i++) {
        float v = ((float)row + ((float)(i / POINTS) + 0.5f) / POINTS) / ROWS;
        float u = ((float)column + ((float)(i % POINTS) + 0.5f) / POINTS) / COLUMNS;
        OozeF3 local = direction_at(OOZE_PI_F * v, 2.0f * OOZE_PI_F * u);
        sum += f3_luminance(ooze_environment_radiance(environment, to_world(environment, local)));
    }
    return sum / (POINTS * POINTS);
}

/* Solid angle of a cell of a row. */
static float cell_angle(int row)
{
    double top = cos(M_PI * row / ROWS), bottom = cos(M_PI * (row + 1) / ROWS);
    return (float)(2.0 * M_PI / COLUMNS * (top - bottom));
}

static void fill_table(OozeEnvironment *environment)
{
    double total = 0.0;
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            float luminance = cell_luminance(environment, row, column);
            environment->cell_sums[row][column + 1] = luminance;
            total += (double)luminance * (double)cell_angle(row);
        }
    }
    environment->mean_luminance = (float)(total / (4.0 * M_PI));
    float least = fmaxf(LEAST_SHARE * environment->mean_luminance, 1e-6f);
    double all = 0.0, rows[ROWS];
    for (int row = 0; row < ROWS; row++) {
        float *sums = environment->cell_sums[row];
        double sum = 0.0;
        for (int column = 1; column <= COLUMNS; column++) {
            sum += (double)fmaxf(sums[column], least);
            sums[column] = (float)sum;
        }
        for (int column = 1; column <= COLUMNS; column++) {
            sums[column] = column < COLUMNS ? (float)((double)sums[column] / sum) : 1.0f;
        }
        rows[row] = sum * (double)cell_angle(row);
        all += rows[row];
    }
    double sum = 0.0;
    for (int row = 0; row < ROWS; row++) {
        sum += rows[row];
        environment->row_sums[row + 1] = row < ROWS - 1 ? (float)(sum / all) : 1.0f;
    }
}

void ooze_environment_make(OozeEnvironment *environment, const OozeRenderDef *def, OozeF3 up,
                           OozeF3 forward)
{
    float angle = (float)ooze_radians(def->environment_rotation);
    OozeF3 turned = f3_rotate(f3_scale(up, angle), forward);
    turned = angle == 0.0f ? forward : turned;
    *environment = (OozeEnvironment){.type = def->environment,
                                     .up = up,
                                     .forward = turned,
                                     .right = f3_cross(turned, up),
                                     .strength = (float)def->environment_strength};
    fill_table(environment);
}

/* Index of the interval of cumulative probabilities that holds `random`. */
static int find_interval(const float *sums, int count, float random)
{
    int low = 0, high = count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (sums[middle] <= random) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Per steradian: the probability of the cell over its extent in angles, and the sine of the
   metric. */
static float cell_pdf(const OozeEnvironment *environment, int row, int column, float sine)
{
    const float *sums = environment->cell_sums[row];
    float share = (environment->row_sums[row + 1] - environment->row_sums[row]) *
                  (sums[column + 1] - sums[column]);
    const float angles = 2.0f * OOZE_PI_F * OOZE_PI_F / ((float)ROWS * COLUMNS);
    return sine > 0.0f ? share / (angles * sine) : 0.0f;
}

OozeF3 ooze_environment_sample(const OozeEnvironment *environment, OozePair random, float *pdf)
{
    const float *rows = environment->row_sums;
    int row = find_interval(rows, ROWS, random.v);
    const float *cells = environment->cell_sums[row];
    int column = find_interval(cells, COLUMNS, random.u);
    float v = (random.v - rows[row]) / fmaxf(rows[row + 1] - rows[row], 1e-30f);
    float u = (random.u - cells[column]) / fmaxf(cells[column + 1] - cells[column], 1e-30f);
    float theta = OOZE_PI_F * ((float)row + clampf(v, 0.0f, 1.0f)) / ROWS;
    float phi = 2.0f * OOZE_PI_F * ((float)column + clampf(u, 0.0f, 1.0f)) / COLUMNS;
    *pdf = cell_pdf(environment, row, column, sinf(theta));
    return to_world(environment, direction_at(theta, phi));
}

float ooze_environment_pdf(const OozeEnvironment *environment, OozeF3 direction)
{
    float x = f3_dot(direction, environment->right), y = f3_dot(direction, environment->up),
          z = f3_dot(direction, environment->forward);
    float theta = acosf(clampf(y, -1.0f, 1.0f)), phi = atan2f(x, z);
    phi = phi < 0.0f ? phi + 2.0f * OOZE_PI_F : phi;
    int row = (int)(theta / OOZE_PI_F * ROWS), column = (int)(phi / (2.0f * OOZE_PI_F) * COLUMNS);
    row = row < ROWS ? row : ROWS - 1;
    column = column < COLUMNS ? column : COLUMNS - 1;
    return cell_pdf(environment, row, column, sqrtf(fmaxf(0.0f, 1.0f - y * y)));
}
