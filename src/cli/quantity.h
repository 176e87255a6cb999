/* Formatted quantities. Each function writes into `text` and returns it. */
#ifndef OOZE_CLI_QUANTITY_H
#define OOZE_CLI_QUANTITY_H

#include <stdint.h>

enum { OOZE_QUANTITY_SIZE = 40 };

char *ooze_quantity_bytes(char text[OOZE_QUANTITY_SIZE], double bytes);     /* "1.5 MiB" */
char *ooze_quantity_count(char text[OOZE_QUANTITY_SIZE], uint64_t count);   /* "1,234,567" */
char *ooze_quantity_seconds(char text[OOZE_QUANTITY_SIZE], double seconds); /* "2 h 05 min" */
char *ooze_quantity_rate(char text[OOZE_QUANTITY_SIZE], double rate);       /* three figures */

#endif
