/* Wall-clock seconds for profiles and progress; never part of a result. */
#ifndef OOZE_BASE_CLOCK_H
#define OOZE_BASE_CLOCK_H

double ooze_clock(void);
/* Processor seconds of all threads of this process; other processes on the host do not add to them.
   */
double ooze_clock_processor(void);

#endif
