/* Signals. Long commands finish what they are doing and stop in order; nothing is done inside a
   handler but setting a flag, so a second Ctrl-C can disturb nothing. */
#ifndef OOZE_CLI_INTERRUPT_H
#define OOZE_CLI_INTERRUPT_H

#include <stdbool.h>

/* SIGINT, SIGTERM and SIGHUP set the flag (a SIGHUP or SIGINT that the parent turned off, as nohup
   does, stays off). Broken pipes and file-size limits become write errors instead of deaths. */
void ooze_interrupt_install(void);

bool ooze_interrupted(void);
const char *ooze_interrupt_name(void); /* "SIGINT", ... of the first one */

#endif
