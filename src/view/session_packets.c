/* What a session tells its pages. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/json.h"
#include "view/describe.h"
#include "view/encode.h"
#include "view/session_data.h"

/* Publishes the text and frees it. Without memory for it the page keeps what it has. */
static void publish_text(OozeViewSession *session, OozeViewTopic topic, OozeText *json)
{
    OozePacket *packet = json->failed ? NULL
                                      : ooze_packet_create(ooze_view_next_number(session), false,
                                                           json->data, json->length);
    if (packet) {
        ooze_view_publish(session, topic, packet);
    }
    ooze_text_clear(json);
}

void ooze_view_notice(OozeViewSession *session, const char *sentence)
{
    OozeText json = {0};
    ooze_text_append(&json, "{\"type\":\"notice\"");
    ooze_json_put_text(&json, "text", sentence);
    ooze_text_append(&json, "}");
    publish_text(session, OOZE_TOPIC_NOTICE, &json);
}

/* ---- scene ------------------------------------------------------------------------------- */

typedef void PutColumn(const OozeProbeReading *reading, int column, OozeText *json);

/* A list with one item for every column of every probe, in one order for names and values. */
static void list_columns(OozeWorld *world, const char *key, PutColumn *put, OozeText *json)
{
    ooze_json_key(json, key);
    ooze_text_append(json, "[");
    for (int i = 0; i < ooze_world_probe_count(world); i++) {
        OozeProbeReading reading;
        if (ooze_world_probe(world, (OozeProbeId){i}, &reading, NULL)) {
            continue;
        }
        for (int k = 0; k < reading.column_count; k++) {
            ooze_json_next(json);
            put(&reading, k, json);
        }
    }
    ooze_text_append(json, "]");
}

static void put_name(const OozeProbeReading *reading, int column, OozeText *json)
{
    ooze_text_append(json, "{");
    ooze_json_put_text(json, "probe", reading->name);
    ooze_json_put_text(json, "column", reading->columns[column]);
    ooze_json_put_text(json, "unit", reading->units[column]);
    ooze_text_append(json, "}");
}

static void put_value(const OozeProbeReading *reading, int column, OozeText *json)
{
    ooze_json_value(json, reading->values[column]);
}

static void describe_live(OozeViewSession *session, OozeText *json)
{
    OozeLive *live = &session->live;
    ooze_json_put_switch(json, "live", true);
    ooze_json_key(json, "parameters");
    ooze_view_parameters_describe(&live->parameters, json);
    list_columns(live->world, "probes", put_name, json);
    ooze_json_key(json, "presets");
    ooze_view_describe_presets(json);
    const OozeFrame *frame = ooze_world_frame(live->world);
    if (frame) {
        ooze_json_key(json, "fields");
        ooze_view_describe_fields(frame, live->world, json);
    }
}

static void describe_run(OozeViewSession *session, OozeText *json)
{
    ooze_json_put_switch(json, "live", false);
    ooze_json_put_number(json, "frames", (double)session->playback.run->frame_count);
    ooze_json_key(json, "fields");
    ooze_view_describe_fields(session->playback.frame, NULL, json);
    ooze_text_append(json, ",\"parameters\":[],\"probes\":[],\"presets\":[]");
}

OozeStatus ooze_view_publish_scene(OozeViewSession *session, OozeError *error)
{
    const OozeScene *scene = session->plays_run ? session->playback.scene : session->live.scene;
    OozePacket *solids = NULL;
    OozeStatus status =
        ooze_view_encode_solids(ooze_view_next_number(session), &scene->def, &solids, error);
    if (status) {
        return status;
    }
    memset(&session->since, 0, sizeof session->since);
    OozeText json = {0};
    ooze_text_append(&json, "{\"type\":\"scene\"");
    ooze_view_describe_scene(scene, &json);
    if (session->plays_run) {
        describe_run(session, &json);
    } else {
        describe_live(session, &json);
    }
    ooze_json_key(&json, "scenes");
    ooze_view_library_describe(&session->library, &json);
    ooze_json_put_number(&json, "opened", session->opened);
    ooze_text_append(&json, "}");
    ooze_view_publish(session, OOZE_TOPIC_STATE, NULL); /* those of another scene */
    ooze_view_publish(session, OOZE_TOPIC_FRAME, NULL);
    publish_text(session, OOZE_TOPIC_SCENE, &json);
    ooze_view_publish(session, OOZE_TOPIC_SOLIDS, solids);
    return OOZE_OK;
}

/* ---- state ------------------------------------------------------------------------------- */

/* Rates over the last second. */
static void measure_rates(OozeViewSession *session, double time, const OozeWorldStats *stats)
{
    double now = ooze_clock(), passed = now - session->since.clock;
    if (passed < 1.0 && session->since.clock > 0.0) {
        return;
    }
    uint64_t steps = session->steps - session->since.steps;
    bool first = session->since.clock == 0.0;
    session->steps_per_second = first ? 0.0 : (double)steps / passed;
    session->real_time_factor = first ? 0.0 : fmax(time - session->since.time, 0.0) / passed;
    for (int i = 0; stats && i < stats->stage_count && i < OOZE_VIEW_STAGES; i++) {
        double seconds = stats->stages[i].seconds - session->since.stages[i];
        session->stage_ms[i] = !first && steps > 0 ? 1e3 * seconds / (double)steps : 0.0;
        session->since.stages[i] = stats->stages[i].seconds;
    }
    session->since.clock = now;
    session->since.time = time;
    session->since.steps = session->steps;
}

static void describe_stages(OozeViewSession *session, const OozeWorldStats *stats, OozeText *json)
{
    ooze_json_key(json, "stages");
    ooze_text_append(json, "{");
    for (int i = 0; i < stats->stage_count && i < OOZE_VIEW_STAGES; i++) {
        ooze_json_put_number(json, stats->stages[i].name, session->stage_ms[i]);
    }
    ooze_text_append(json, "}");
}

static void describe_world(OozeViewSession *session, OozeText *json)
{
    OozeLive *live = &session->live;
    OozeWorldStats stats;
    ooze_world_stats(live->world, &stats);
    measure_rates(session, live->world->time, &stats);
    ooze_json_put_number(json, "time", live->world->time);
    ooze_json_put_number(json, "step", (double)live->world->step);
    ooze_json_put_number(json, "particles", (double)stats.particles);
    ooze_json_put_number(json, "iterations", stats.iterations);
    ooze_json_put_number(json, "substeps", stats.substeps);
    ooze_json_put_number(json, "threads", stats.threads);
    ooze_json_put_text(json, "device", stats.device);
    ooze_json_put_number(json, "undo", live->action_count);
    ooze_json_put_number(json, "rows", live->row_count);
    describe_stages(session, &stats, json);
    ooze_json_key(json, "values");
    ooze_view_parameters_values(&live->parameters, live->world, json);
    list_columns(live->world, "readings", put_value, json);
}

void ooze_view_publish_state(OozeViewSession *session)
{
    OozeText json = {0};
    ooze_text_append(&json, "{\"type\":\"state\"");
    ooze_json_put_switch(&json, "playing", session->playing);
    ooze_json_put_number(&json, "speed", session->speed);
    ooze_json_put_text(&json, "field", session->field);
    if (session->plays_run) {
        const OozeFrame *frame = session->playback.frame;
        measure_rates(session, frame->time, NULL);
        ooze_json_put_number(&json, "time", frame->time);
        ooze_json_put_number(&json, "step", (double)frame->step);
        ooze_json_put_number(&json, "particles", (double)frame->particle_count);
        ooze_json_put_number(&json, "frame", (double)session->playback.index);
        ooze_json_put_switch(&json, "loops", session->playback.loops);
    } else {
        describe_world(session, &json);
    }
    ooze_json_put_number(&json, "stepsPerSecond", session->steps_per_second);
    ooze_json_put_number(&json, "realTimeFactor", session->real_time_factor);
    ooze_text_append(&json, "}");
    publish_text(session, OOZE_TOPIC_STATE, &json);
}

/* ---- frame ------------------------------------------------------------------------------- */

enum { NOZZLES_MAX = 256 };

void ooze_view_publish_frame(OozeViewSession *session)
{
    OozeVec3 nozzles[NOZZLES_MAX];
    int nozzle_count = 0;
    const OozeFrame *frame = session->playback.frame;
    OozeViewField field = {session->field, NULL};
    if (!session->plays_run) {
        const OozeWorld *world = session->live.world;
        frame = ooze_world_frame(session->live.world);
        for (; nozzle_count < world->emitters.count && nozzle_count < NOZZLES_MAX; nozzle_count++) {
            const OozeMotion *motion = &world->emitters.items[nozzle_count].motion;
            nozzles[nozzle_count] = ooze_motion_pose(motion, world->time).position;
        }
        field.values = ooze_derived_values(&session->derived, session->live.world, session->field);
    }
    OozePacket *packet = frame ? ooze_view_encode_frame(ooze_view_next_number(session), frame,
                                                        &field, nozzles, nozzle_count)
                               : NULL;
    if (packet) {
        ooze_view_publish(session, OOZE_TOPIC_FRAME, packet);
    }
}

/* ---- replies ----------------------------------------------------------------------------- */

OozeStatus ooze_view_reply_saved(OozeViewSession *session, OozeError *error)
{
    OozeText yaml = {0}, json = {0};
    uint64_t hash = 0;
    OozeStatus status = ooze_live_save(&session->live, &yaml, &hash, error);
    if (!status) {
        ooze_text_append(&json, "{\"type\":\"saved\",\"hash\":\"%016llx\"",
                         (unsigned long long)hash);
        ooze_json_put_text(&json, "yaml", yaml.data);
        ooze_text_append(&json, "}");
        publish_text(session, OOZE_TOPIC_REPLY, &json);
    }
    ooze_text_clear(&yaml);
    return status;
}
