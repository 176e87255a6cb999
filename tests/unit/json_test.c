/* JSON text: any string and number becomes valid JSON that reads back. */
#include "check.h"

#include <math.h>

#include "base/json.h"

static void expect(OozeText *json, const char *wanted)
{
    assert_false(json->failed);
    assert_string_equal(json->data, wanted);
    ooze_text_clear(json);
}

static void strings_are_escaped(void **state)
{
    (void)state;
    OozeText json = {0};
    ooze_json_text(&json, "a \"b\" \\ \n \x01 \xc3\xa9 <c>");
    expect(&json, "\"a \\\"b\\\" \\\\ \\u000a \\u0001 \xc3\xa9 <c>\"");
    ooze_json_text(&json, "\xff\xc3"); /* neither is UTF-8 */
    expect(&json, "\"??\"");
    ooze_json_text(&json, NULL);
    expect(&json, "null");
}

static void numbers_read_back(void **state)
{
    (void)state;
    const double values[] = {0.1, 1.0 / 3.0, -2.5e-300, 1e22, 12345678901234567.0, 0.0};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        OozeText json = {0};
        ooze_json_value(&json, values[i]);
        assert_true(strtod(json.data, NULL) == values[i]);
        size_t shortest = json.length;
        ooze_text_clear(&json);
        ooze_json_number(&json, values[i]);
        assert_true(strtod(json.data, NULL) == values[i]);
        assert_true(shortest <= json.length);
        ooze_text_clear(&json);
    }
    OozeText json = {0};
    ooze_json_value(&json, INFINITY);
    ooze_json_number(&json, NAN);
    expect(&json, "nullnull");
}

static void members_are_separated(void **state)
{
    (void)state;
    OozeText json = {0};
    ooze_text_append(&json, "{");
    ooze_json_put_text(&json, "name", "x");
    ooze_json_put_numbers(&json, "list", (const double[]){1, 0.5}, 2);
    ooze_json_put_switch(&json, "on", true);
    ooze_json_member(&json, ", ", "value", 0.1);
    ooze_text_append(&json, "}");
    expect(&json, "{\"name\":\"x\",\"list\":[1,0.5],\"on\":true, \"value\": "
                  "0.10000000000000001}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(numbers_read_back),
        cmocka_unit_test(members_are_separated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
