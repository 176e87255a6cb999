/* The experiments for a material: rates and frequencies around its characteristic time, as far as
   the time step resolves them. */
#ifndef OOZE_RHEOMETER_PROTOCOL_H
#define OOZE_RHEOMETER_PROTOCOL_H

#include "rheometer/experiment.h"

enum { OOZE_PROTOCOL_MAX = 8 };

/* Characteristic time, s: the longest relaxation time, or the time of thinning, or the solvent's
   viscosity over the yield stress; 20 time steps for a material without any. */
double ooze_protocol_time(const OozeTheory *theory, double time_step);

/* `seconds`, but not above the longest duration of an experiment. */
double ooze_protocol_capped(double seconds, double time_step);

/* The lowest frequency of an oscillation, rad/s. */
double ooze_protocol_slowest(double time_step);

/* Duration of a flow before it is read, s; capped, so that slow materials are read during the
   transient. Materials with a yield stress need a strain instead, see experiment.c. */
double ooze_protocol_seconds(const OozeTheory *theory, double time_step);

/* Fills `experiments` (OOZE_PROTOCOL_MAX) and returns their number. */
int ooze_protocol(const OozeTheory *theory, const OozeSample *sample, OozeExperiment *experiments);

/* Resolution by time steps. */

#define OOZE_PROTOCOL_STRAIN 0.25 /* largest strain of a step */
#define OOZE_PROTOCOL_PERIOD 20.0 /* smallest number of steps of a period */

#endif
