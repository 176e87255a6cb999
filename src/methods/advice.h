/* What a method has to say about materials and settings before a run: things that are allowed but will
   not do what they seem to ask for. */
#ifndef OOZE_METHODS_ADVICE_H
#define OOZE_METHODS_ADVICE_H

#include "base/fail.h"
#include "methods/method.h"

struct OozeAdvice {
    double extent; /* m: how far fluid reaches, at a guess */
    /* `material`: its index, -1: the method's settings; `key`: of the number it is about. */
    void (*say)(void *user, int material, const char *key, const char *hint, const char *message);
    void *user;
};

void ooze_advise(const OozeAdvice *advice, int material, const char *key, const char *hint,
                 const char *format, ...) OOZE_PRINTF(5, 6);

/* About viscosity, modulus, compliance and relaxation time that contradict each other. */
void ooze_advise_numbers(const OozeStepContext *context, const OozeAdvice *advice);

#endif
