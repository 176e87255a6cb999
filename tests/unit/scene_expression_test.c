#include "check.h"

#include "scene/expression.h"

static void check(const char *text, double expected)
{
    double value;
    const char *problem = "";
    int offset = 0;
    if (!ooze_expression(text, &value, &problem, &offset)) {
        fail_msg("'%s' at %d: %s", text, offset, problem);
    }
    if (!(value == expected)) {
        fail_msg("'%s' = %.17g; expected %.17g", text, value, expected);
    }
}

static void refuse(const char *text, int where, const char *part)
{
    double value = 0.0;
    const char *problem = "";
    int offset = -1;
    if (ooze_expression(text, &value, &problem, &offset)) {
        fail_msg("'%s' gave %g", text, value);
    }
    if (offset != where || !strstr(problem, part)) {
        fail_msg("'%s' at %d: %s; expected %d: %s", text, offset, problem, where, part);
    }
}

static void numbers(void **state)
{
    (void)state;
    check("12", 12.0);
    check(" 0.5 ", 0.5);
    check(".5", 0.5);
    check("5.", 5.0);
    check("1e-3", 1e-3);
    check("2.5E+2", 250.0);
    check("010", 10.0); /* not octal */
    check("inf", INFINITY);
    check("-inf", -INFINITY);
    check(".inf", INFINITY);
}

static void arithmetic(void **state)
{
    (void)state;
    check("1/240", 1.0 / 240.0);
    check("2*pi/3", 2.0 * M_PI / 3.0);
    check("1 + 2*3 - 4/2", 5.0);
    check("(1 + 2)*3", 9.0);
    check("-2^2", -4.0);
    check("2^-1", 0.5);
    check("2^3^2", 512.0); /* from the right, as on paper */
    check("8/4/2", 1.0);   /* from the left */
    check("--3", 3.0);
    check("1-1-1", -1.0);
}

static void functions(void **state)
{
    (void)state;
    check("sqrt(16) + cbrt(27)", 7.0);
    check("sin(0) + cos(0)", 1.0);
    check("max(1, min(5, 3))", 3.0);
    check("abs(-2) * floor(2.7) + ceil(0.1) + round(2.5)", 8.0);
    check("atan2(1, 1)", 45.0);
    check("sin(30)", sin(M_PI / 6.0));
    check("cos(60) + tan(0)", cos(M_PI / 3.0));
    check("asin(1) + acos(0) + atan(0)", 180.0);
    check("tau", 2.0 * M_PI);
    check("log(exp(0))", 0.0);
    /* Every name that the reference page lists works. */
    for (int i = 0; ooze_expression_constant(i); i++) {
        double value;
        const char *problem;
        int offset;
        assert_true(ooze_expression(ooze_expression_constant(i), &value, &problem, &offset));
    }
    for (int i = 0; ooze_expression_function(i); i++) {
        char one[64], two[64];
        double value;
        const char *problem;
        int offset;
        snprintf(one, sizeof one, "%s(0.5)", ooze_expression_function(i));
        snprintf(two, sizeof two, "%s(0.5, 0.25)", ooze_expression_function(i));
        assert_true(ooze_expression(one, &value, &problem, &offset) !=
                    ooze_expression(two, &value, &problem, &offset));
    }
}

static void mistakes(void **state)
{
    (void)state;
    refuse("", 0, "missing");
    refuse("1 +", 3, "missing");
    refuse("2*(3", 4, "')' is missing");
    refuse("3)", 1, "not understood");
    refuse("2 pi", 2, "not understood");
    refuse("45*deg", 3, "in degrees already");
    refuse("foo", 0, "not a number");
    refuse("1 + bar", 4, "not a number");
    refuse("sqrt 4", 5, "parentheses");
    refuse("min(1)", 5, "two arguments");
    refuse("3m", 1, "SI");
    refuse("0x10", 1, "SI");
    refuse("1_000", 1, "SI");
    refuse("1:30", 1, "not understood");
    refuse("1.2.3", 3, "SI");
    refuse("1/0", 1, "division by zero");
    refuse("sqrt(-1)", 0, "not a number");
    refuse("inf - inf", 0, "not a number");
    refuse("nan", 0, "not a number");
    refuse("1e999", 0, "too large");
    refuse("1,5", 1, "not understood");
    refuse(".", 0, "missing");
}

static void depth_is_bounded(void **state)
{
    (void)state;
    enum { N = 100000 };
    char *deep = malloc(N + 1);
    const char *const openings = "(-";
    for (int k = 0; k < 2; k++) {
        memset(deep, openings[k], N);
        deep[N] = '\0';
        double value;
        const char *problem = "";
        int offset;
        assert_false(ooze_expression(deep, &value, &problem, &offset));
        assert_non_null(strstr(problem, "deeply"));
    }
    free(deep);
    check("((((((((((1))))))))))", 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),  cmocka_unit_test(arithmetic),       cmocka_unit_test(functions),
        cmocka_unit_test(mistakes), cmocka_unit_test(depth_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
