/* Six numbers of a rigid body, linear then angular: velocities, momenta, or one row of a constraint
   on velocities. Valid C and C++. */
#ifndef OOZE_SOLVERS_TWIST_H
#define OOZE_SOLVERS_TWIST_H

typedef struct OozeTwist {
    double v[6];
} OozeTwist;

static inline double ooze_twist_dot(const OozeTwist *a, const OozeTwist *b)
{
    double sum = 0.0;
    for (int c = 0; c < 6; c++) {
        sum += a->v[c] * b->v[c];
    }
    return sum;
}

/* a += s b */
static inline void ooze_twist_add(OozeTwist *a, double s, const OozeTwist *b)
{
    for (int c = 0; c < 6; c++) {
        a->v[c] += s * b->v[c];
    }
}

#endif
