/* Which experiments a material calls for: rates and frequencies about its own times, as far as a
   time step resolves them. */
#ifndef OOZE_RHEOMETER_PROTOCOL_H
#define OOZE_RHEOMETER_PROTOCOL_H

#include "rheometer/experiment.h"

enum { OOZE_PROTOCOL_MAX = 8 };

/* The time that rates and frequencies are made from: the longest relaxation time, or that of
   thinning, or of the solvent beside the yield stress; of a material that has none, 20 time
   steps. */
double ooze_protocol_time(const OozeTheory *theory, double time_step);

/* As long as a cell waits for anything but a period, s. */
double ooze_protocol_capped(double seconds, double time_step);

/* The slowest oscillation that is waited for, rad/s. */
double ooze_protocol_slowest(double time_step);

/* Time of flow before a reading, s: slow materials are read while their stress still grows. A
   material with a yield strain flows beyond it (experiment.c), for any solvent. */
double ooze_protocol_seconds(const OozeTheory *theory, double time_step);

/* Fills `experiments` and returns how many there are. */
int ooze_protocol(const OozeTheory *theory, const OozeSample *sample, OozeExperiment *experiments);

/* Parts of a step in which a strain, or a period, is resolved. */
#define OOZE_PROTOCOL_STRAIN 0.25 /* most strain of a step */
#define OOZE_PROTOCOL_PERIOD 20.0 /* fewest steps of a period */

#endif
