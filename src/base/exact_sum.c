#include "base/exact_sum.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    MANTISSA_BITS = 52,
    EXPONENT_MAX = 0x7ff,
    DIGIT_BITS = 32,
    LEAST_EXPONENT = 1074, /* the least double is 2^-1074 */
    CARRY_AFTER = 1 << 30  /* additions, each of less than 2^32 to a digit of 63 bits */
};

static const uint64_t DIGIT_MASK = 0xffffffffu;

static void add_one(OozeExactSum *sum, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t exponent = (uint32_t)(bits >> MANTISSA_BITS) & EXPONENT_MAX;
    uint64_t mantissa = bits & ((UINT64_C(1) << MANTISSA_BITS) - 1);
    if (exponent == EXPONENT_MAX) {
        sum->not_finite++;
        return;
    }
    mantissa |= exponent > 0 ? UINT64_C(1) << MANTISSA_BITS : 0;
    uint32_t place = exponent > 0 ? exponent - 1 : 0, shift = place % DIGIT_BITS;
    /* 53 bits shifted by up to 31: two digits of 32 bits, and 20 bits in a third */
    uint64_t low = (mantissa & DIGIT_MASK) << shift;
    uint64_t high = ((mantissa >> DIGIT_BITS) << shift) + (low >> DIGIT_BITS);
    int64_t *digit = sum->digit + place / DIGIT_BITS, sign = bits >> 63 ? -1 : 1;
    digit[0] += sign * (int64_t)(low & DIGIT_MASK);
    digit[1] += sign * (int64_t)(high & DIGIT_MASK);
    digit[2] += sign * (int64_t)(high >> DIGIT_BITS);
}

/* Carries, so that all digits but the highest are in [0, 2^32): some 10^9 such sums can be added
   digit by digit. */
static void carry_digits(OozeExactSum *sum)
{
    int64_t carry = 0;
    for (int k = 0; k + 1 < OOZE_EXACT_DIGITS; k++) {
        int64_t all = sum->digit[k] + carry;
        int64_t digit = (int64_t)((uint64_t)all & DIGIT_MASK);
        carry = (all - digit) / (INT64_C(1) << DIGIT_BITS);
        sum->digit[k] = digit;
    }
    sum->digit[OOZE_EXACT_DIGITS - 1] += carry;
    sum->added = 1; /* the digits that are left count as one number */
}

void ooze_exact_add(OozeExactSum *sum, const double *values, uint64_t count, uint64_t stride)
{
    while (count > 0) {
        uint64_t room = (uint64_t)(CARRY_AFTER - sum->added), now = count < room ? count : room;
        for (uint64_t k = 0; k < now; k++) {
            add_one(sum, values[k * stride]);
        }
        sum->added += (int64_t)now;
        values += now * stride;
        count -= now;
        if (sum->added == CARRY_AFTER) {
            carry_digits(sum);
        }
    }
}

/* Bits [at, at + 53) of digits below 2^32, of which the highest bit is at most at + 52. */
static uint64_t take_bits(const int64_t *digit, int at)
{
    int first = at / DIGIT_BITS, shift = at % DIGIT_BITS;
    uint64_t bits = (uint64_t)digit[first] >> shift;
    for (int k = 1; k <= 2 && first + k < OOZE_EXACT_DIGITS; k++) {
        int up = k * DIGIT_BITS - shift;
        bits |= up < 64 ? (uint64_t)digit[first + k] << up : 0;
    }
    return bits;
}

/* Whether one of the bits below `at` is set. */
static int any_below(const int64_t *digit, int at)
{
    int last = at / DIGIT_BITS;
    int64_t found = digit[last] & ((INT64_C(1) << at % DIGIT_BITS) - 1);
    for (int k = 0; k < last; k++) {
        found |= digit[k];
    }
    return found != 0;
}

static double round_one(OozeExactSum *sum)
{
    int64_t *digit = sum->digit;
    carry_digits(sum);
    bool negative = digit[OOZE_EXACT_DIGITS - 1] < 0;
    if (negative) {
        for (int k = 0; k < OOZE_EXACT_DIGITS; k++) {
            digit[k] = -digit[k];
        }
        carry_digits(sum);
    }
    int top = OOZE_EXACT_DIGITS - 1;
    while (top > 0 && digit[top] == 0) {
        top--;
    }
    int highest = top * DIGIT_BITS; /* bit */
    for (uint64_t rest = (uint64_t)digit[top] >> 1; rest > 0; rest >>= 1) {
        highest++;
    }
    int lowest = highest > MANTISSA_BITS ? highest - MANTISSA_BITS : 0; /* bit that is kept */
    uint64_t kept = take_bits(digit, lowest);
    if (lowest > 0) {
        int half = lowest - 1;
        bool up = digit[half / DIGIT_BITS] >> half % DIGIT_BITS & 1;
        kept += up && ((kept & 1) || any_below(digit, half)) ? 1 : 0;
    }
    double value = ldexp((double)kept, lowest - LEAST_EXPONENT);
    return negative ? -value : value;
}

void ooze_exact_round(OozeExactSum *sums, int count, OozeRanks *ranks, double *rounded)
{
    const int words = (int)(sizeof *sums / sizeof(uint64_t));
    for (int k = 0; k < count && ranks; k++) {
        carry_digits(&sums[k]);
    }
    if (ranks) { /* sums modulo 2^64 are those of signed numbers too */
        ranks->sum(ranks, (uint64_t *)sums, count * words);
    }
    for (int k = 0; k < count; k++) {
        rounded[k] = sums[k].not_finite > 0 ? NAN : round_one(&sums[k]);
    }
}
