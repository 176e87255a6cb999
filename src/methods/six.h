/* What a rigid body has six of: velocities, momenta, or one row of a constraint on velocities. Linear, then angular. Valid
   C and C++. */
#ifndef OOZE_METHODS_SIX_H
#define OOZE_METHODS_SIX_H

typedef struct OozeSix {
    double v[6];
} OozeSix;

static inline double ooze_six_dot(const OozeSix *a, const OozeSix *b)
{
    double sum = 0.0;
    for (int c = 0; c < 6; c++) {
        sum += a->v[c] * b->v[c];
    }
    return sum;
}

/* a += s b */
static inline void ooze_six_add(OozeSix *a, double s, const OozeSix *b)
{
    for (int c = 0; c < 6; c++) {
        a->v[c] += s * b->v[c];
    }
}

#endif
