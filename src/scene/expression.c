#include "scene/expression.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/angle.h"

enum { DEPTH_MAX = 64 };

typedef struct Parser {
    const char *start, *at;
    const char *problem; /* the first one stops everything */
    const char *problem_at;
    int depth;
} Parser;

static double sum(Parser *p);

static double fail(Parser *p, const char *at, const char *problem)
{
    if (!p->problem) {
        p->problem = problem;
        p->problem_at = at;
    }
    return NAN;
}

static char next(Parser *p)
{
    while (*p->at == ' ' || *p->at == '\t') {
        p->at++;
    }
    return *p->at;
}

static bool accept(Parser *p, char c)
{
    if (p->problem || next(p) != c) {
        return false;
    }
    p->at++;
    return true;
}

typedef struct Constant {
    const char *name;
    double value;
} Constant;

static const Constant constants[] = {{"pi", M_PI}, {"tau", 2.0 * M_PI}, {"inf", INFINITY}};
enum { CONSTANT_COUNT = sizeof constants / sizeof constants[0] };

typedef struct Function {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
} Function;

/* Angles are in degrees, as in the keys of a scene. */
static double sine(double degrees)
{
    return sin(ooze_radians(degrees));
}

static double cosine(double degrees)
{
    return cos(ooze_radians(degrees));
}

static double tangent(double degrees)
{
    return tan(ooze_radians(degrees));
}

static double arc_sine(double x)
{
    return ooze_degrees(asin(x));
}

static double arc_cosine(double x)
{
    return ooze_degrees(acos(x));
}

static double arc_tangent(double x)
{
    return ooze_degrees(atan(x));
}

static double arc_tangent_2(double y, double x)
{
    return ooze_degrees(atan2(y, x));
}

static const Function functions[] = {
    {"sqrt", sqrt, NULL},       {"cbrt", cbrt, NULL},        {"abs", fabs, NULL},
    {"exp", exp, NULL},         {"log", log, NULL},          {"sin", sine, NULL},
    {"cos", cosine, NULL},      {"tan", tangent, NULL},      {"asin", arc_sine, NULL},
    {"acos", arc_cosine, NULL}, {"atan", arc_tangent, NULL}, {"atan2", NULL, arc_tangent_2},
    {"floor", floor, NULL},     {"ceil", ceil, NULL},        {"round", round, NULL},
    {"min", NULL, fmin},        {"max", NULL, fmax},
};

enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

const char *ooze_expression_constant(int index)
{
    return index >= 0 && index < CONSTANT_COUNT ? constants[index].name : NULL;
}

const char *ooze_expression_function(int index)
{
    return index >= 0 && index < FUNCTION_COUNT ? functions[index].name : NULL;
}

static bool is_word(const char *word, const char *begin, size_t length)
{
    return strlen(word) == length && memcmp(word, begin, length) == 0;
}

static double call(Parser *p, const Function *function)
{
    if (!accept(p, '(')) {
        return fail(p, p->at, "a function needs its argument in parentheses");
    }
    double a = sum(p);
    double b = 0.0;
    if (function->two) {
        if (!accept(p, ',')) {
            return fail(p, p->at, "this function takes two arguments");
        }
        b = sum(p);
    }
    if (!accept(p, ')')) {
        return fail(p, p->at, "')' is missing");
    }
    return function->two ? function->two(a, b) : function->one(a);
}

static double name(Parser *p)
{
    const char *begin = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_') {
        p->at++;
    }
    size_t length = (size_t)(p->at - begin);
    for (int i = 0; i < CONSTANT_COUNT; i++) {
        if (is_word(constants[i].name, begin, length)) {
            return constants[i].value;
        }
    }
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        if (is_word(functions[i].name, begin, length)) {
            return call(p, &functions[i]);
        }
    }
    if (is_word("deg", begin, length)) {
        return fail(p, begin, "angles are in degrees already: leave out 'deg'");
    }
    return fail(p, begin, "not a number, a known constant or a function");
}

static const char *skip_digits(const char *c)
{
    while (isdigit((unsigned char)*c)) {
        c++;
    }
    return c;
}

static double number(Parser *p)
{
    const char *begin = p->at;
    if (strncmp(begin, ".inf", 4) == 0) { /* as YAML itself spells it */
        p->at += 4;
        return INFINITY;
    }
    const char *end = skip_digits(begin);
    if (*end == '.') {
        end = skip_digits(end + 1);
    }
    if (end - begin == 1 && *begin == '.') {
        return fail(p, begin, "a number is missing");
    }
    if (*end == 'e' || *end == 'E') {
        const char *digits = end + 1 + (end[1] == '+' || end[1] == '-');
        end = isdigit((unsigned char)*digits) ? skip_digits(digits) : end;
    }
    char *parsed;
    double value = strtod(begin, &parsed);
    p->at = end;
    if (parsed != end || isalpha((unsigned char)*end) || *end == '_' || *end == '.') {
        return fail(p, end, "not part of a number (units are not written: all values are SI)");
    }
    return isfinite(value) ? value : fail(p, begin, "too large a number");
}

static double atom(Parser *p)
{
    char c = next(p);
    if (p->problem) {
        return NAN;
    }
    if (accept(p, '(')) {
        double value = sum(p);
        return accept(p, ')') ? value : fail(p, p->at, "')' is missing");
    }
    if (isdigit((unsigned char)c) || c == '.') {
        return number(p);
    }
    if (isalpha((unsigned char)c)) {
        return name(p);
    }
    return fail(p, p->at, "a number is missing");
}

static double sign(Parser *p);

static double power(Parser *p)
{
    double base = atom(p);
    return accept(p, '^') ? pow(base, sign(p)) : base;
}

/* Binds less than ^, as on paper: -2^2 is -4. */
static double sign(Parser *p)
{
    if (++p->depth > DEPTH_MAX) {
        return fail(p, p->at, "nested too deeply");
    }
    double value = accept(p, '-') ? -sign(p) : accept(p, '+') ? sign(p) : power(p);
    p->depth--;
    return value;
}

static double product(Parser *p)
{
    double value = sign(p);
    while (!p->problem) {
        if (accept(p, '*')) {
            value *= sign(p);
        } else if (next(p) == '/') {
            const char *at = p->at++;
            double divisor = sign(p);
            value = divisor == 0.0 ? fail(p, at, "division by zero") : value / divisor;
        } else {
            break;
        }
    }
    return value;
}

static double sum(Parser *p)
{
    double value = product(p);
    while (!p->problem) {
        if (accept(p, '+')) {
            value += product(p);
        } else if (accept(p, '-')) {
            value -= product(p);
        } else {
            break;
        }
    }
    return value;
}

bool ooze_expression(const char *text, double *value, const char **problem, int *offset)
{
    Parser p = {.start = text, .at = text};
    double result = sum(&p);
    if (!p.problem && next(&p) != '\0') {
        fail(&p, p.at, "not understood in an expression");
    }
    if (!p.problem && isnan(result)) {
        fail(&p, p.start, "the result is not a number");
    }
    if (p.problem) {
        *problem = p.problem;
        *offset = (int)(p.problem_at - p.start);
        return false;
    }
    *value = result;
    return true;
}
