/* Warnings of a method about materials and settings that are valid but do not act as they
   suggest. */
#ifndef OOZE_METHODS_ADVICE_H
#define OOZE_METHODS_ADVICE_H

#include "base/fail.h"
#include "methods/method.h"

struct OozeAdvice {
    double extent; /* m: estimated height of the fluid */
    /* `material`: index, -1: the method's settings; `key`: the number that the message is about */
    void (*warn)(void *user, int material, const char *key, const char *hint, const char *message);
    void *user;
};

void ooze_advise(const OozeAdvice *advice, int material, const char *key, const char *hint,
                 const char *format, ...) OOZE_PRINTF(5, 6);

/* Warns where viscosity, modulus, compliance and relaxation time contradict each other. */
void ooze_advise_numbers(const OozeStepContext *context, const OozeAdvice *advice);

#endif
