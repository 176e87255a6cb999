/* Wall-clock seconds for profiles and progress; never part of a result. */
#ifndef OOZE_BASE_CLOCK_H
#define OOZE_BASE_CLOCK_H

double ooze_clock(void);
/* The same of all cores that have worked for this process: the time of a machine that others use too. */
double ooze_clock_processor(void);

#endif
