/* Messages of a page: what is one, and what is not. */
#include "check.h"

#include "view/message.h"

static bool parse(const char *text, OozeViewMessage *message)
{
    return ooze_view_message_parse(text, strlen(text), message);
}

static void words_and_numbers_are_read(void **state)
{
    (void)state;
    OozeViewMessage message;
    assert_true(parse("drag solid 2 0.5 -1e-3 7 0.04", &message));
    assert_int_equal(message.verb, OOZE_VIEW_DRAG);
    assert_string_equal(message.word, "solid");
    assert_int_equal(message.number_count, 5);
    assert_true(message.numbers[0] == 2 && message.numbers[2] == -1e-3);
    assert_true(parse("set 3 inf", &message));
    assert_string_equal(message.value, "inf");
    assert_true(message.numbers[0] == 3);
    assert_true(parse("preset 1 whipped_cream", &message));
    assert_string_equal(message.value, "whipped_cream");
    assert_true(message.numbers[0] == 1);
    assert_true(parse("play", &message) && message.number_count == 0);
}

static void anything_else_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",       " ",     "plya",      "play ",      " play",          "play 1",
        "ack",    "ack x", "ack nan",   "ack 0x10",   "ack 1e999",      "ack  1",
        "ack 1 ", "set 1", "set 1 2 3", "field a\tb", "field \x80\xff", "speed 1\n",
    };
    OozeViewMessage message;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (parse(texts[i], &message)) {
            fail_msg("'%s' was taken for a message", texts[i]);
        }
    }
    char word[300] = "field ";
    memset(word + 6, 'a', OOZE_VIEW_WORD_MAX - 1);
    assert_true(ooze_view_message_parse(word, 6 + OOZE_VIEW_WORD_MAX - 1, &message));
    word[6 + OOZE_VIEW_WORD_MAX - 1] = 'a';
    assert_false(ooze_view_message_parse(word, 6 + OOZE_VIEW_WORD_MAX, &message));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_numbers_are_read),
        cmocka_unit_test(anything_else_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
