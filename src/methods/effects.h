/* What the numbers of a material stand for in its motion, to say which of it a method shows. */
#ifndef OOZE_METHODS_EFFECTS_H
#define OOZE_METHODS_EFFECTS_H

/* Bits of a set of effects. */
enum {
    OOZE_EFFECT_VISCOSITY = 1 << 0,
    OOZE_EFFECT_ELASTICITY = 1 << 1, /* modulus, and the time in which stress relaxes */
    OOZE_EFFECT_MODES = 1 << 2,      /* further relaxation times */
    OOZE_EFFECT_YIELD = 1 << 3,
    OOZE_EFFECT_THINNING = 1 << 4,
    OOZE_EFFECT_TENSION = 1 << 5,
    OOZE_EFFECT_COUNT = 6
};

typedef struct OozeEffectInfo {
    const char *name;    /* "yield stress" */
    const char *keys[8]; /* the material numbers that give it, NULL-terminated */
} OozeEffectInfo;

/* The table: row i is the effect of bit i. */
extern const OozeEffectInfo ooze_effects[OOZE_EFFECT_COUNT];
/* The bit of the effect that a material number gives; 0: none, as of the density. */
unsigned ooze_effect_of(const char *key);

#endif
