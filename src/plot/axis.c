#include "plot/axis.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PADDING 0.06 /* of an axis beyond its data, as a share of their range */

/* Labels of logarithmic axes are plain numbers from here to here, otherwise powers of ten. */
#define PLAIN_LOW  1e-3
#define PLAIN_HIGH 1e5

/* Ten to an integer power by products: the result of pow differs between C libraries. */
static double power_of_ten(int power)
{
    double value = 1;
    for (int i = power < 0 ? -power : power; i > 0; i--) {
        value *= 10;
    }
    return power < 0 ? 1 / value : value;
}

/* Exponent of the largest power of ten that is not above `value`. */
static int decade_of(double value)
{
    int power = (int)floor(log10(value));
    return power_of_ten(power + 1) <= value * (1 + 1e-12) ? power + 1 : power;
}

double ooze_axis_step_below(double value)
{
    double unit = power_of_ten(decade_of(value)), ratio = value / unit * (1 + 1e-9);
    return (ratio >= 5 ? 5 : ratio >= 2 ? 2 : 1) * unit;
}

/* ---- ticks ---------------------------------------------------------------------------------- */

static void set_linear_ticks(OozeAxisScale *axis, double step)
{
    axis->step = step;
    axis->tick_count = 0;
    double tolerance = step * 1e-6;
    double first = ceil((axis->low - tolerance) / step);
    double last = floor((axis->high + tolerance) / step);
    for (double k = first; k <= last && axis->tick_count < OOZE_TICKS_MAX; k++) {
        axis->ticks[axis->tick_count++] = k == 0 ? 0 : k * step;
    }
}

static void make_linear(OozeAxisScale *axis, int tick_target)
{
    double target = (axis->high - axis->low) / fmax(tick_target, 1);
    double step = ooze_axis_step_below(target);
    set_linear_ticks(axis, step < target * (1 - 1e-9) ? ooze_axis_step_below(step * 2.5) : step);
    if (axis->tick_count < 2) {
        set_linear_ticks(axis, step);
    }
    if (axis->tick_count < 2) {
        set_linear_ticks(axis, ooze_axis_step_below(step / 2));
    }
    double largest = fmax(fabs(axis->low), fabs(axis->high));
    int decade = decade_of(largest);
    axis->exponent = largest < 0.1 || largest >= 1e6 ? (int)floor(decade / 3.0) * 3 : 0;
    int digits = axis->exponent - decade_of(axis->step);
    axis->decimals = digits > 0 ? digits : 0;
}

/* Whether k times a power of ten has a label on an axis of few decades. */
static bool is_labelled(int k, double ratio_of_ends)
{
    return k == 2 || k == 5 || (ratio_of_ends <= 10 && (k == 3 || k == 7));
}

/* Ticks at powers of ten; over less than two decades also at some multiples of these. The other
   multiples are minor ticks, unless there are too many decades. */
static void make_logarithmic(OozeAxisScale *axis, int tick_target)
{
    int first = decade_of(axis->low), last = decade_of(axis->high);
    int stride = 1 + (last - first) / (tick_target < 1 ? 3 : tick_target + 2);
    bool few_decades = last - first < 2, with_minor = last - first <= 8;
    axis->as_powers = axis->low < PLAIN_LOW * (1 - 1e-9) || axis->high > PLAIN_HIGH;
    for (int power = first; power <= last; power++) {
        for (int k = 1; k < 10; k++) {
            double tick = k * power_of_ten(power);
            if (tick < axis->low * (1 - 1e-9) || tick > axis->high * (1 + 1e-9)) {
                continue;
            }
            bool major = k == 1 ? power % stride == 0
                                : few_decades && is_labelled(k, axis->high / axis->low);
            if (major && axis->tick_count < OOZE_TICKS_MAX) {
                axis->ticks[axis->tick_count++] = tick;
            } else if (!major && with_minor && axis->minor_count < OOZE_MINOR_TICKS_MAX) {
                axis->minor_ticks[axis->minor_count++] = tick;
            }
        }
    }
}

OozeAxisScale ooze_axis_make(OozeRange ends, bool logarithmic, int tick_target)
{
    OozeAxisScale axis = {.low = ends.low, .high = ends.high, .logarithmic = logarithmic};
    if (logarithmic) {
        make_logarithmic(&axis, tick_target);
    } else {
        make_linear(&axis, tick_target);
    }
    return axis;
}

OozeRange ooze_axis_extend(OozeRange data, bool logarithmic, bool tight)
{
    double low = data.low, high = data.high;
    if (logarithmic) {
        double factor = high > low * (1 + 1e-9) ? (tight ? 1 : pow(high / low, 0.05)) : 2;
        return (OozeRange){low / factor, high * factor};
    }
    double range = high - low, size = fmax(fabs(low), fabs(high));
    if (range <= size * 1e-9) {
        double margin = size > 0 ? size / 2 : 1;
        return (OozeRange){low - margin, high + margin};
    }
    if (tight) { /* a series whose first reading follows one step still begins at time zero */
        return (OozeRange){low > 0 && low < range / 20 ? 0 : low, high};
    }
    bool from_zero = low >= 0 && low < range / 2, to_zero = high <= 0 && -high < range / 2;
    return (OozeRange){from_zero ? 0 : low - PADDING * range, to_zero ? 0 : high + PADDING * range};
}

double ooze_axis_position(const OozeAxisScale *axis, double value)
{
    if (axis->logarithmic) {
        return value > 0 ? log(value / axis->low) / log(axis->high / axis->low) : NAN;
    }
    return (value - axis->low) / (axis->high - axis->low);
}

/* ---- labels --------------------------------------------------------------------------------- */

static void append_power(char *text, int capacity, int power)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    snprintf(plain, sizeof plain, "%d", power);
    for (const char *c = plain; *c; c++) {
        int used = (int)strlen(text);
        snprintf(text + used, (size_t)(capacity - used), "%s", *c == '-' ? "⁻" : digits[*c - '0']);
    }
}

/* A decimal number with a true minus sign and no-break spaces between groups of three digits. */
static void print_grouped(double value, int decimals, char label[OOZE_LABEL_MAX])
{
    char plain[OOZE_LABEL_MAX / 2];
    snprintf(plain, sizeof plain, "%.*f", decimals, fabs(value));
    int digits = (int)strcspn(plain, "."), used = 0;
    if (value < 0) {
        used = snprintf(label, OOZE_LABEL_MAX, "−");
    }
    for (int i = 0; plain[i] && used < OOZE_LABEL_MAX - 4; i++) {
        if (i > 0 && i < digits && (digits - i) % 3 == 0 && digits > 4) {
            used += snprintf(label + used, 4, "\xc2\xa0");
        }
        label[used++] = plain[i];
    }
    label[used] = '\0';
}

void ooze_axis_label(const OozeAxisScale *axis, double tick, char label[OOZE_LABEL_MAX])
{
    if (!axis->logarithmic) {
        print_grouped(tick / power_of_ten(axis->exponent), tick == 0 ? 0 : axis->decimals, label);
        return;
    }
    int power = decade_of(tick);
    if (!axis->as_powers) {
        print_grouped(tick, power < 0 ? -power : 0, label);
        return;
    }
    double multiple = round(tick / power_of_ten(power));
    snprintf(label, OOZE_LABEL_MAX, multiple > 1 ? "%.0f×10" : "10", multiple);
    append_power(label, OOZE_LABEL_MAX, power);
}

/* The SI prefix of ten to an exponent; NULL for units that take none and for other exponents. */
static const char *prefix_of(const char *unit, int exponent)
{
    static const char *const units[] = {"m", "s", "J", "Pa", "N", "W", "Pa s", "m/s"};
    bool large = exponent > 0, found = false;
    for (int i = 0; i < (int)(sizeof units / sizeof units[0]); i++) {
        found = found || strcmp(unit, units[i]) == 0;
    }
    if (!found || (large && strchr("ms", unit[0]))) { /* not km, ks */
        return NULL;
    }
    return exponent == -9   ? "n"
           : exponent == -6 ? "µ"
           : exponent == -3 ? "m"
           : exponent == 3  ? "k"
           : exponent == 6  ? "M"
                            : NULL;
}

/* "m2" as "m²", "degC" as "°C". */
static void print_unit(const char *unit, char text[OOZE_LABEL_MAX])
{
    text[0] = '\0';
    for (const char *c = unit; *c && strlen(text) + 4 < OOZE_LABEL_MAX; c++) {
        size_t used = strlen(text);
        bool power = c > unit && isalpha((unsigned char)c[-1]) && (*c == '2' || *c == '3');
        if (strncmp(c, "degC", 4) == 0) {
            snprintf(text + used, OOZE_LABEL_MAX - used, "°");
            c += 2;
        } else {
            snprintf(text + used, OOZE_LABEL_MAX - used, power ? "%s" : "%.1s",
                     power ? (*c == '2' ? "²" : "³") : c);
        }
    }
}

void ooze_axis_title(const OozeAxisScale *axis, const char *name, const char *unit, char *title,
                     int capacity)
{
    char unit_text[OOZE_LABEL_MAX], factor[OOZE_LABEL_MAX] = "";
    print_unit(unit, unit_text);
    const char *prefix = prefix_of(unit, axis->exponent);
    if (prefix) {
        snprintf(factor, sizeof factor, "%s", prefix);
    } else if (axis->exponent != 0) {
        snprintf(factor, sizeof factor, "10");
        append_power(factor, sizeof factor, axis->exponent);
        snprintf(factor + strlen(factor), sizeof factor - strlen(factor), unit[0] ? " " : "");
    }
    bool plain = !factor[0] && !unit_text[0];
    snprintf(title, (size_t)capacity, plain ? "%s" : "%s%s(%s%s)", name, name[0] ? " " : "", factor,
             unit_text);
}
