/* A session of `ooze view`: its thread simulates at its own pace, pages command it and read packets
   from other threads. */
#include "check.h"

#include <time.h>

#include "scratch_folder.h"
#include "view/session.h"

static const char scene_text[] =
    "ooze: 2\n"
    "method: {name: ballistic}\n"
    "spacing: 0.1\n"
    "time_step: 1/500\n"
    "duration: 1\n"
    "materials: {dust: {drag: 1}}\n"
    "fluids: [{material: dust, shape: {type: box, size: [0.5, 0.5, 0.5]}}]\n"
    "solids: [{name: ball, shape: {type: sphere, radius: 0.1, position: [2, 0, 0]}}]\n";

static OozeViewSession *open_session(bool paused, bool polled)
{
    char path[256];
    snprintf(path, sizeof path, "%s/scene.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(scene_text, file) >= 0 && fclose(file) == 0);
    OozeViewSession *session = NULL;
    const OozeViewOptions options = {.path = path,
                                     .paused = paused,
                                     .polled = polled,
                                     .build = {.threads = 1, .device = OOZE_DEVICE_CPU}};
    CHECK_OK(ooze_view_session_open(&options, &session, &error));
    return session;
}

static void say(OozeViewSession *session, const char *text)
{
    OozeViewMessage message;
    assert_true(ooze_view_message_parse(text, strlen(text), &message));
    assert_true(ooze_view_session_command(session, &message));
}

/* The next packet of the topic, as text where it is one; waits for at most ten seconds. */
static uint64_t wait_for(OozeViewSession *session, OozeViewTopic topic, uint64_t after,
                         const char *part)
{
    for (int i = 0; i < 2000; i++) {
        ooze_view_session_want(session);
        OozePacket *packet = ooze_view_session_news(session, topic, after);
        uint64_t number = packet ? packet->number : 0;
        bool found = packet && (!part || memmem(packet->bytes, packet->size, part, strlen(part)));
        ooze_packet_release(packet);
        if (found) {
            return number;
        }
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    fail_msg("no packet with '%s' came", part ? part : "anything");
    return 0;
}

static void a_session_describes_simulates_and_handles_messages(void **state)
{
    (void)state;
    OozeViewSession *session = open_session(true, false);
    wait_for(session, OOZE_TOPIC_SCENE, 0, "\"path\":\"materials.dust.drag\"");
    wait_for(session, OOZE_TOPIC_SOLIDS, 0, NULL);
    uint64_t first = wait_for(session, OOZE_TOPIC_STATE, 0, "\"step\":0,");
    say(session, "step");
    uint64_t second = wait_for(session, OOZE_TOPIC_STATE, first, "\"step\":1,");
    say(session, "set 0 5");
    wait_for(session, OOZE_TOPIC_STATE, second, "\"rows\":1,");
    say(session, "drag solid 0 1 2 3 0.004");
    wait_for(session, OOZE_TOPIC_STATE, second, "\"rows\":4,");
    say(session, "undo");
    say(session, "undo");
    wait_for(session, OOZE_TOPIC_STATE, second, "\"rows\":0,");
    say(session, "preset 0 water");
    wait_for(session, OOZE_TOPIC_STATE, second, "\"rows\":1,");
    say(session, "preset 0 honey"); /* at once: each is a step of undo */
    wait_for(session, OOZE_TOPIC_STATE, second, "\"undo\":2,");
    say(session, "undo");
    wait_for(session, OOZE_TOPIC_STATE, second, "\"rows\":1,");
    say(session, "undo");
    wait_for(session, OOZE_TOPIC_STATE, second, "\"rows\":0,");
    say(session, "preset 1 water");
    wait_for(session, OOZE_TOPIC_NOTICE, 0, "no such material");
    say(session, "preset 0 watr");
    wait_for(session, OOZE_TOPIC_NOTICE, 0, "watr");
    say(session, "set 99 1");
    wait_for(session, OOZE_TOPIC_NOTICE, 0, "no such parameter");
    say(session, "save");
    wait_for(session, OOZE_TOPIC_REPLY, 0, "\"yaml\":\"ooze: 2");
    say(session, "play");
    uint64_t frame = wait_for(session, OOZE_TOPIC_FRAME, 0, NULL);
    for (int i = 0; i < 5; i++) {
        frame = wait_for(session, OOZE_TOPIC_FRAME, frame, NULL); /* newer ones */
    }
    ooze_view_session_close(session);
}

/* Commands beyond the queue are lost, and the caller is told at once: it never waits. */
static void a_full_queue_refuses(void **state)
{
    (void)state;
    OozeViewSession *session = open_session(false, false);
    OozeViewMessage message;
    assert_true(ooze_view_message_parse("speed 0", 7, &message));
    bool all = true;
    for (int i = 0; i < 100000 && all; i++) {
        all = ooze_view_session_command(session, &message);
    }
    assert_false(all);
    wait_for(session, OOZE_TOPIC_FRAME, 0, NULL);
    ooze_view_session_close(session);
}

static bool has_packet(OozeViewSession *session, OozeViewTopic topic, const char *part)
{
    OozePacket *packet = ooze_view_session_news(session, topic, 0);
    bool found = packet && memmem(packet->bytes, packet->size, part, strlen(part));
    ooze_packet_release(packet);
    return found;
}

/* Without a thread the session works in polls only, and a poll does not wait. */
static void a_polled_session_takes_one_step_in_a_poll(void **state)
{
    (void)state;
    OozeViewSession *session = open_session(true, true);
    say(session, "step");
    ooze_view_session_want(session);
    nanosleep(&(struct timespec){0, 50000000}, NULL);
    assert_false(has_packet(session, OOZE_TOPIC_STATE, "\"step\":"));
    assert_true(ooze_view_session_poll(session) == 0.0); /* a frame; messages wait */
    assert_true(has_packet(session, OOZE_TOPIC_STATE, "\"step\":0,"));
    ooze_view_session_want(session);
    assert_true(ooze_view_session_poll(session) <= 1.0 / 30.0);
    nanosleep(&(struct timespec){0, 40000000}, NULL);
    assert_true(ooze_view_session_poll(session) == 0.0);
    assert_true(has_packet(session, OOZE_TOPIC_STATE, "\"step\":1,"));
    assert_true(ooze_view_session_poll(session) > 60.0); /* it is paused */
    say(session, "speed 0");
    say(session, "play");
    for (int i = 0; i < 10; i++) {
        assert_true(ooze_view_session_poll(session) == 0.0);
    }
    nanosleep(&(struct timespec){0, 40000000}, NULL);
    ooze_view_session_want(session);
    ooze_view_session_poll(session);
    assert_true(has_packet(session, OOZE_TOPIC_STATE, "\"step\":11,"));
    ooze_view_session_close(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_describes_simulates_and_handles_messages),
        cmocka_unit_test(a_full_queue_refuses),
        cmocka_unit_test(a_polled_session_takes_one_step_in_a_poll),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
