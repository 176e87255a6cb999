/* Signals. Handlers only set a flag; long commands test it and stop in order. */
#ifndef OOZE_CLI_INTERRUPT_H
#define OOZE_CLI_INTERRUPT_H

#include <stdbool.h>

/* SIGINT, SIGTERM and SIGHUP set the flag (SIGHUP and SIGINT stay ignored where the parent ignores
   them, as nohup does). Broken pipes and file-size limits become write errors. */
void ooze_interrupt_install(void);

bool ooze_interrupted(void);
const char *ooze_interrupt_name(void); /* "SIGINT", ... of the first one */

#endif
