/* Numbers in double that know how far the same steps in float may be from them: what
   single-precision loops are held to.

   Every operation adds half a unit in the last place of its result, u = 2^-24, to the errors that
   come in (Wilkinson's running error analysis); second-order terms are kept. A sum of k terms,
   whose order is the loop's own affair, adds min(k, 2 sqrt(k)) u times the sum of their sizes: k u
   is what k additions can lose at most, but they round either way, a third of u rms, and the
   partial sums of a chain that only grows are 0.58 of the last rms, so that sqrt(k) u / 3 is the
   rms error of one chain and the bound is six times that. It is 2.8 eps for 8 neighbours and 14 eps
   for 200. */
#ifndef OOZE_TESTS_ROUNDING_H
#define OOZE_TESTS_ROUNDING_H

#include <stdbool.h>

#include "check.h"

#define ROUNDING  0x1p-24
#define UNDERFLOW 0x1p-126 /* where floats begin to lose digits */

typedef struct Near {
    double v, e; /* value, and bound on the error of a float that stands for it */
} Near;

static inline Near exact(double v)
{
    return (Near){v, 0.0};
}

static inline Near rounded(double v, double e)
{
    return (Near){v, e + ROUNDING * (fabs(v) + e)};
}

static inline Near plus(Near a, Near b)
{
    return rounded(a.v + b.v, a.e + b.e);
}

static inline Near minus(Near a, Near b)
{
    return rounded(a.v - b.v, a.e + b.e);
}

static inline Near negative(Near a)
{
    return (Near){-a.v, a.e};
}

static inline Near times(Near a, Near b)
{
    double v = a.v * b.v;
    double e = fabs(a.v) * b.e + fabs(b.v) * a.e + a.e * b.e;
    return rounded(v, e + (v != 0.0 ? UNDERFLOW : 0.0));
}

static inline Near scaled(double s, Near a)
{
    return times(exact(s), a);
}

static inline Near over(Near a, Near b)
{
    double v = a.v / b.v, least = fabs(b.v) - b.e;
    return rounded(v, least > 0.0 ? (a.e + fabs(v) * b.e) / least + UNDERFLOW : INFINITY);
}

static inline Near root(Near a)
{
    double v = sqrt(a.v);
    return rounded(v, fmax(sqrt(a.v + a.e) - v, v - sqrt(fmax(a.v - a.e, 0.0))));
}

static inline Near size_of(Near a)
{
    return (Near){fabs(a.v), a.e};
}

static inline Near at_least(Near a, double least)
{
    return (Near){fmax(a.v, least), a.e};
}

/* A sum in whatever order. */
typedef struct Sum {
    double v, e, size, terms;
} Sum;

static inline void add(Sum *sum, Near term)
{
    sum->v += term.v;
    sum->e += term.e;
    sum->size += fabs(term.v) + term.e;
    sum->terms += 1;
}

static inline Near total(const Sum *sum)
{
    double additions = fmin(sum->terms, 2 * sqrt(sum->terms));
    return (Near){sum->v, sum->e + additions * ROUNDING * sum->size};
}

static inline Near sum3(Near a, Near b, Near c)
{
    Sum sum = {0};
    add(&sum, a);
    add(&sum, b);
    add(&sum, c);
    /* no more than two additions, in any order */
    return (Near){sum.v, sum.e + 2 * ROUNDING * sum.size};
}

static inline Near dot3(const Near a[3], const Near b[3])
{
    return sum3(times(a[0], b[0]), times(a[1], b[1]), times(a[2], b[2]));
}

/* ---- 3x3 matrices --------------------------------------------------------------------------- */

typedef struct NearMat {
    Near m[3][3];
} NearMat;

static inline NearMat near_product(const NearMat *a, const NearMat *b)
{
    NearMat c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = sum3(times(a->m[i][0], b->m[0][j]), times(a->m[i][1], b->m[1][j]),
                             times(a->m[i][2], b->m[2][j]));
        }
    }
    return c;
}

static inline NearMat near_transpose(const NearMat *a)
{
    NearMat c;
    for (int k = 0; k < 9; k++) {
        c.m[k / 3][k % 3] = a->m[k % 3][k / 3];
    }
    return c;
}

static inline NearMat near_plus(const NearMat *a, const NearMat *b)
{
    NearMat c;
    for (int k = 0; k < 9; k++) {
        c.m[k / 3][k % 3] = plus(a->m[k / 3][k % 3], b->m[k / 3][k % 3]);
    }
    return c;
}

static inline NearMat near_scaled(Near s, const NearMat *a)
{
    NearMat c;
    for (int k = 0; k < 9; k++) {
        c.m[k / 3][k % 3] = times(s, a->m[k / 3][k % 3]);
    }
    return c;
}

static inline NearMat near_symmetric(const float *s) /* xx yy zz xy xz yz */
{
    static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    NearMat c;
    for (int k = 0; k < 9; k++) {
        c.m[k / 3][k % 3] = exact((double)s[place[k]]);
    }
    return c;
}

/* ---- comparison ----------------------------------------------------------------------------- */

/* What is being compared, for reports, and the largest deviation in units of its bound so far. */
typedef struct Comparison {
    const char *subject, *setting, *isa;
    double worst;
} Comparison;

static inline void compare(Comparison *c, const char *what, uint64_t i, double got, Near want)
{
    double off = fabs(got - want.v);
    if (!isfinite(got) || !(off <= want.e)) {
        fail_msg("%s, %s, %s: %s of %llu is %.9g; expected %.9g within %.3g", c->subject,
                 c->setting, c->isa, what, (unsigned long long)i, got, want.v, want.e);
    }
    c->worst = want.e > 0.0 ? fmax(c->worst, off / want.e) : c->worst;
}

/* Prints what the bound left over. */
static inline void conclude(const Comparison *c)
{
    printf("  %s: largest deviation %.3f of the bound\n", c->subject, c->worst);
}

#endif
