/* Acceptance tests of the links method with heat, on scenes of the paper: a ball that bounces,
   sticks to a hot wall and melts, and hot fluid that congeals on a cold slope. The second is
   coarser and shorter than its scene, for time. */
#include "physics/links_fixtures.h"

#include "world/world.h"

#define FOLDER "takahashi2014"

/* ---- figure 12 -------------------------------------------------------------------------- */

/* What happened until now. */
typedef struct Flight {
    int bounces;
    double low, high; /* of the centre, since the last turn */
    bool rising;
    double arrived, melted; /* s: at the wall; half of it liquid */
    double share, rise;     /* elastic; how far that ever went up again after the wall */
    double stuck;           /* elastic share when its centre first stood still before the wall */
    double gap;             /* spacings: of the nearest particle to the wall, at most since then */
    double arrival, loose;  /* m/s along the wall's normal: on arrival; at most since it stood */
} Flight;

/* Speed along the wall's normal of what stands still, over that of arrival. */
static const double STILL = 0.02;

/* A bounce is a low and a rise of a spacing at least after it. */
static void watch_height(Flight *f, double y, double spacing)
{
    if (f->rising) {
        f->high = fmax(f->high, y);
        if (y < f->high - spacing) {
            f->rising = false;
            f->low = y;
        }
        return;
    }
    f->low = fmin(f->low, y);
    if (y > f->low + spacing) {
        f->rising = true;
        f->high = y;
        f->bounces++;
    }
}

static Flight fly(void)
{
    const double face = 1.75;
    OozeWorld *world = begin_scene(FOLDER, "hot_wall_small", NULL, 0);
    const double dx = world->def.spacing;
    uint64_t n = ooze_world_frame(world)->particle_count;
    Flight f = {.low = INFINITY, .arrived = NAN, .melted = NAN, .share = 1, .stuck = NAN};
    while (world->time < 3.5 && isnan(f.melted)) {
        advance(world, 1.0 / 60);
        Census c = take_census(world);
        double share = elastic_share(world), speed = fabs(c.momentum.x / c.mass);
        assert_int_equal(c.count, n);
        if (isnan(f.arrived)) {
            watch_height(&f, c.centre.y, dx);
            f.arrived = c.high.x > face - 0.8 * dx ? world->time : NAN;
            f.arrival = speed;
            assert_true(share == 1 || !isnan(f.arrived)); /* cold until there */
        }
        f.rise = fmax(f.rise, share - f.share);
        f.share = share;
        if (!isnan(f.arrived)) {
            f.stuck = isnan(f.stuck) && speed < STILL * f.arrival ? share : f.stuck;
            f.gap = fmax(f.gap, isnan(f.stuck) ? 0 : face - c.high.x);
            f.loose = fmax(f.loose, isnan(f.stuck) ? 0 : speed);
        }
        f.melted = share < 0.5 ? world->time : NAN;
    }
    printf("  %llu particles; at the wall after %.3g s with %.3g m/s, half melted after %.3g s\n",
           (unsigned long long)n, f.arrived, f.arrival, f.melted);
    f.gap /= dx;
    ooze_world_destroy(world);
    return f;
}

/* The ball sticks before it melts: it stands still while it is elastic, and no longer moves along
   the wall's normal. It comes to rest slowly enough that heat melts what touches the wall before,
   and swings a little as it melts. */
static void links_T12_melt_on_wall(void **state)
{
    (void)state;
    Flight f = fly();
    MEASURED("bounces before the wall", f.bounces, 2, 10);
    MEASURED("share that became elastic again after the wall", f.rise, 0, 0);
    KNOWN_GAP("elastic share when it stood still at the wall", f.stuck, 0.95, 1, 0.685);
    KNOWN_GAP("speed along the normal from then on, over that of arrival", f.loose / f.arrival, 0,
              STILL, 0.085);
    MEASURED("gap to the wall from then on, in spacings", f.gap, 0, 1);
    MEASURED("elastic share at the end", f.share, 0, 0.5);
}

/* ---- figure 11 -------------------------------------------------------------------------- */

/* How far down the slope the foremost particles are, in metres from below the spout. */
static double front(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const double slope = 25 * acos(-1.0) / 180;
    double *s = calloc(frame->particle_count, sizeof *s);
    assert_non_null(s);
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        OozeVec3 p = read_vector(x, i);
        s[i] = (p.x + 0.75) * cos(slope) - (p.y - 0.67) * sin(slope);
    }
    double at = percentile(s, frame->particle_count, 0.99);
    free(s);
    return at;
}

enum { INTERVALS = 6 };

/* Mean speeds of the front in intervals of half a second from 0.5 s on; gives how far it came. */
static double pour(double temperature, double speed[INTERVALS])
{
    char inlet[64];
    snprintf(inlet, sizeof inlet, "emitters.spout.temperature=%g", temperature);
    const char *const coarse[] = {"spacing=0.03", "time_step=1/200", "emitters.spout.stop=1",
                                  inlet};
    OozeWorld *world = begin_scene(FOLDER, "cold_slope_small", coarse, 4);
    advance(world, 0.5);
    double last = front(world);
    for (int k = 0; k < INTERVALS; k++) {
        advance(world, 0.5);
        double now = front(world);
        speed[k] = (now - last) / 0.5;
        last = now;
    }
    printf("  poured at %g degC: front at %.3f m, elastic %.3f, %llu particles; m/s", temperature,
           last, elastic_share(world), (unsigned long long)take_census(world).count);
    for (int k = 0; k < INTERVALS; k++) {
        printf(" %.4f", speed[k]);
    }
    printf("\n");
    ooze_world_destroy(world);
    return last;
}

static void links_T13_congeal(void **state)
{
    (void)state;
    double speed[INTERVALS], cooler[INTERVALS];
    double hot = pour(100, speed), warm = pour(60, cooler);
    for (int k = 1; k < INTERVALS; k++) {
        MEASURED("front's speed less that before, over the first",
                 (speed[k] - speed[k - 1]) / speed[0], -1, 0.01);
    }
    MEASURED("front's speed at the end over that at first", speed[INTERVALS - 1] / speed[0], -0.05,
             0.05);
    MEASURED("way of the hotter pour over the cooler one's", hot / warm, 1.05, 10);
}

ACCEPTANCE_MAIN(cmocka_unit_test(links_T12_melt_on_wall), cmocka_unit_test(links_T13_congeal))
