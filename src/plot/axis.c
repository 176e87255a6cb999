#include "plot/axis.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Ten to a whole power, the same on every machine (pow need not be exact). */
static double ten_to(int power)
{
    double value = 1;
    for (int i = power < 0 ? -power : power; i > 0; i--) {
        value *= 10;
    }
    return power < 0 ? 1 / value : value;
}

static int decade_of(double value)
{
    int power = (int)floor(log10(value));
    if (ten_to(power + 1) <= value * (1 + 1e-12)) {
        power++;
    }
    return power;
}

double ooze_axis_round(double wish)
{
    int power = decade_of(wish);
    double unit = ten_to(power), share = wish / unit * (1 + 1e-9);
    return (share >= 5 ? 5 : share >= 2 ? 2 : 1) * unit;
}

static void put_ticks(OozeAxisScale *axis, double step)
{
    axis->step = step;
    axis->tick_count = 0;
    double slack = step * 1e-6;
    double first = ceil((axis->low - slack) / step), last = floor((axis->high + slack) / step);
    for (double k = first; k <= last && axis->tick_count < OOZE_TICKS_MAX; k++) {
        axis->ticks[axis->tick_count++] = k == 0 ? 0 : k * step;
    }
}

static void tick_linear(OozeAxisScale *axis, int wanted)
{
    double wish = (axis->high - axis->low) / (wanted < 1 ? 1 : wanted);
    double step = ooze_axis_round(wish); /* no coarser than wished, so mostly too fine */
    put_ticks(axis, step < wish * (1 - 1e-9) ? ooze_axis_round(step * 2.5) : step);
    if (axis->tick_count < 2) { /* one number alone gives no scale */
        put_ticks(axis, step);
    }
    if (axis->tick_count < 2) {
        put_ticks(axis, ooze_axis_round(step / 2));
    }
    double largest = fmax(fabs(axis->low), fabs(axis->high));
    int decade = decade_of(largest);
    axis->exponent = largest < 0.1 || largest >= 1e6 ? (int)floor(decade / 3.0) * 3 : 0;
    int below = axis->exponent - decade_of(axis->step);
    axis->decimals = below > 0 ? below : 0;
}

/* Ticks at powers of ten; over less than two decades at 1, 2 and 5 times these. */
static void tick_logarithmic(OozeAxisScale *axis, int wanted)
{
    int first = decade_of(axis->low), last = decade_of(axis->high);
    int stride = 1 + (last - first) / (wanted < 1 ? 3 : wanted + 2); /* short labels, close rows */
    bool fine = last - first < 2;
    axis->step = ten_to(stride);
    for (int power = first; power <= last; power++) {
        static const double parts[] = {1, 2, 5};
        for (int k = 0; k < (fine ? 3 : 1) && axis->tick_count < OOZE_TICKS_MAX; k++) {
            double tick = parts[k] * ten_to(power);
            bool inside = tick >= axis->low * (1 - 1e-9) && tick <= axis->high * (1 + 1e-9);
            if (inside && (fine || power % stride == 0)) {
                axis->ticks[axis->tick_count++] = tick;
            }
        }
    }
}

OozeAxisScale ooze_axis_between(double low, double high, bool logarithmic, int wanted)
{
    OozeAxisScale axis = {.low = low, .high = high, .logarithmic = logarithmic};
    if (logarithmic) {
        tick_logarithmic(&axis, wanted);
    } else {
        tick_linear(&axis, wanted);
    }
    return axis;
}

OozeAxisScale ooze_axis_make(double low, double high, bool logarithmic, bool tight, int wanted)
{
    if (logarithmic) {
        double factor = high > low * (1 + 1e-9) ? (tight ? 1 : pow(high / low, 0.05)) : 2;
        return ooze_axis_between(low / factor, high * factor, true, wanted);
    }
    double range = high - low, size = fmax(fabs(low), fabs(high));
    if (range <= size * 1e-9) { /* one number: half of it around it, or one around zero */
        double room = size > 0 ? size / 2 : 1;
        return ooze_axis_between(low - room, high + room, false, wanted);
    }
    if (tight) { /* a first reading after one step still counts from zero */
        return ooze_axis_between(low > 0 && low < range / 20 ? 0 : low, high, false, wanted);
    }
    double air = range * 0.06;
    bool from_zero = low >= 0 && low < range / 2, to_zero = high <= 0 && -high < range / 2;
    return ooze_axis_between(from_zero ? 0 : low - air, to_zero ? 0 : high + air, false, wanted);
}

double ooze_axis_place(const OozeAxisScale *axis, double value)
{
    if (axis->logarithmic) {
        return value > 0 ? log(value / axis->low) / log(axis->high / axis->low) : NAN;
    }
    return (value - axis->low) / (axis->high - axis->low);
}

static void append_power(char *text, int room, int power)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    snprintf(plain, sizeof plain, "%d", power);
    for (const char *c = plain; *c; c++) {
        int used = (int)strlen(text);
        snprintf(text + used, (size_t)(room - used), "%s", *c == '-' ? "⁻" : digits[*c - '0']);
    }
}

void ooze_axis_label(const OozeAxisScale *axis, double tick, char label[OOZE_LABEL_MAX])
{
    if (axis->logarithmic) {
        int power = decade_of(tick);
        double share = round(tick / ten_to(power));
        if (power >= -2 && power <= 3) {
            snprintf(label, OOZE_LABEL_MAX, "%.*f", power < 0 ? -power : 0, tick);
        } else {
            snprintf(label, OOZE_LABEL_MAX, share > 1 ? "%.0f×10" : "10", share);
            append_power(label, OOZE_LABEL_MAX, power);
        }
        return;
    }
    char plain[OOZE_LABEL_MAX / 2];
    snprintf(plain, sizeof plain, "%.*f", tick == 0 ? 0 : axis->decimals,
             fabs(tick / ten_to(axis->exponent)));
    int digits = (int)strcspn(plain, "."), used = 0;
    if (tick < 0) {
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

/* A plain unit that takes a prefix: "m" to "mm", "Pa" to "kPa". */
static const char *prefix_of(const char *unit, int exponent)
{
    static const char *const plain[] = {"m", "s", "J", "Pa", "N", "W", "Pa s", "m/s"};
    for (int i = 0; i < (int)(sizeof plain / sizeof plain[0]); i++) {
        if (strcmp(unit, plain[i]) == 0) {
            switch (exponent) {
            case -9:
                return "n";
            case -6:
                return "µ";
            case -3:
                return "m";
            case 3:
                return strchr("ms", unit[0]) ? NULL : "k";
            case 6:
                return strchr("ms", unit[0]) ? NULL : "M";
            default:
                return NULL;
            }
        }
    }
    return NULL;
}

void ooze_axis_title(const OozeAxisScale *axis, const char *name, const char *unit, char *title,
                     int room)
{
    char nice[OOZE_LABEL_MAX] = "";
    for (const char *c = unit; *c && strlen(nice) + 4 < sizeof nice; c++) {
        size_t used = strlen(nice);
        bool power = c > unit && isalpha((unsigned char)c[-1]) && (*c == '2' || *c == '3');
        snprintf(nice + used, sizeof nice - used, power ? "%s" : "%.1s",
                 power ? (*c == '2' ? "²" : "³") : c);
    }
    char scale[OOZE_LABEL_MAX] = "";
    if (axis->exponent != 0) {
        const char *prefix = prefix_of(unit, axis->exponent);
        snprintf(scale, sizeof scale, prefix ? "%s" : "10", prefix);
        if (!prefix) {
            append_power(scale, sizeof scale, axis->exponent);
            size_t used = strlen(scale);
            snprintf(scale + used, sizeof scale - used, "%s", nice[0] ? " " : "");
        }
    }
    bool bare = !scale[0] && !nice[0];
    snprintf(title, (size_t)room, bare ? "%s" : "%s%s(%s%s)", name, name[0] ? " " : "", scale,
             nice);
}
