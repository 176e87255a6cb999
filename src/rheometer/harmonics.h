/* Least-squares fit of sines and cosines of given frequencies to a signal. */
#ifndef OOZE_RHEOMETER_HARMONICS_H
#define OOZE_RHEOMETER_HARMONICS_H

enum { OOZE_HARMONICS_MAX = 12 };

/* Amplitudes of sin(omega t) and cos(omega t). */
typedef struct OozeWave {
    double in, out;
} OozeWave;

typedef struct OozeHarmonics {
    int waves;
    double omega[OOZE_HARMONICS_MAX];
    /* normal equations of the sines, the cosines and a constant */
    double matrix[2 * OOZE_HARMONICS_MAX + 1][2 * OOZE_HARMONICS_MAX + 1];
    double right[2 * OOZE_HARMONICS_MAX + 1];
} OozeHarmonics;

void ooze_harmonics_begin(OozeHarmonics *h, const double *omega, int waves);
void ooze_harmonics_add(OozeHarmonics *h, double time, double value);
void ooze_harmonics_solve(OozeHarmonics *h, OozeWave *waves);

#endif
