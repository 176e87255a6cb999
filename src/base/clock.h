/* Wall-clock seconds for profiles and progress; never part of a result. */
#ifndef OOZE_BASE_CLOCK_H
#define OOZE_BASE_CLOCK_H

double ooze_clock(void);

#endif
