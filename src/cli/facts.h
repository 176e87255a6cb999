/* A list of named facts, printed as aligned text or as one JSON object. */
#ifndef OOZE_CLI_FACTS_H
#define OOZE_CLI_FACTS_H

#include "base/text.h"
#include "ooze/frame.h"

typedef struct OozeFacts {
    bool json;
    bool first;
    OozeText out;
} OozeFacts;

void ooze_facts_begin(OozeFacts *facts, bool json);
void ooze_facts_text(OozeFacts *facts, const char *key, const char *value);
void ooze_facts_count(OozeFacts *facts, const char *key, uint64_t value);
void ooze_facts_real(OozeFacts *facts, const char *key, double value, const char *unit);
void ooze_facts_flag(OozeFacts *facts, const char *key, bool value);
void ooze_facts_vector(OozeFacts *facts, const char *key, OozeVec3 value, const char *unit);
/* Type and range of each field, in JSON as an array of objects. */
void ooze_facts_fields(OozeFacts *facts, const OozeFrame *frame);
/* Tables of the state: names and values of rows that are not zero; in JSON of all rows. */
void ooze_facts_state(OozeFacts *facts, const OozeFrame *frame);
void ooze_facts_names(OozeFacts *facts, const char *key, int count,
                      const char *(*name)(const void *items, int i), const void *items);
/* Prints on stdout and frees; returns the exit code. */
int ooze_facts_end(OozeFacts *facts);

#endif
