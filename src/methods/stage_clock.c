#include "methods/stage_clock.h"

#include <stddef.h>

#include "base/clock.h"

static const char *const names[OOZE_PART_COUNT] = {
    [OOZE_PART_SORT] = "sort",
    [OOZE_PART_WALLS] = "walls",
    [OOZE_PART_REORDER] = "reorder",
    [OOZE_PART_LISTS] = "lists",
    [OOZE_PART_WALL_LISTS] = "wall_lists",
    [OOZE_PART_START] = "start",
    [OOZE_PART_GATHER] = "gather",
    [OOZE_PART_CONTACT] = "contact",
    [OOZE_PART_PREPARE] = "prepare",
    [OOZE_PART_VELOCITY_OPERATOR] = "velocity_operator",
    [OOZE_PART_VELOCITY_VECTORS] = "velocity_vectors",
    [OOZE_PART_VELOCITY_ITERATION] = "velocity_iteration",
    [OOZE_PART_DIVERGENCE] = "divergence",
    [OOZE_PART_LIMITS] = "limits",
    [OOZE_PART_DENSITY_SORT] = "density_sort",
    [OOZE_PART_DENSITY_LISTS] = "density_lists",
    [OOZE_PART_DENSITY_LINES] = "density_lines",
    [OOZE_PART_DENSITY_MULTIPLIERS] = "density_multipliers",
    [OOZE_PART_DENSITY_CORRECTIONS] = "density_corrections",
    [OOZE_PART_PUSH_OUT] = "push_out",
    [OOZE_PART_CONFORMATION_SWEEP] = "conformation_sweep",
    [OOZE_PART_SETTLING] = "settling",
    [OOZE_PART_DRIFT] = "drift",
    [OOZE_PART_FINISH] = "finish",
    [OOZE_PART_STORE] = "store",
    [OOZE_PART_REST] = "rest",
};

OozeStageClock ooze_stage_clock(void)
{
    OozeStageClock clock = {.read = ooze_clock};
    for (int k = 0; k < OOZE_PART_COUNT; k++) {
        clock.parts[k].stage = k < OOZE_PART_START ? "neighbours" : "method";
        clock.parts[k].name = names[k];
    }
    return clock;
}

double ooze_stage_now(const OozeStageClock *clock)
{
    if (clock->wait) {
        clock->wait(clock->machine);
    }
    return clock->read();
}

void ooze_stage_mark(OozeStageClock *clock)
{
    if (clock) {
        clock->mark = ooze_stage_now(clock);
    }
}

void ooze_stage_more(OozeStageClock *clock, OozeStagePart part)
{
    if (clock) {
        double now = ooze_stage_now(clock);
        clock->parts[part].seconds += now - clock->mark;
        clock->mark = now;
    }
}

void ooze_stage_lap(OozeStageClock *clock, OozeStagePart part)
{
    if (clock) {
        ooze_stage_more(clock, part);
        clock->parts[part].calls++;
    }
}
