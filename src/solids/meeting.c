/* Two solids at their poses: which feelers of one are near the surface of the other, and the few that count. */
#include <math.h>

#include "base/vec3.h"
#include "solids/feelers.h"

enum { DIRECTIONS = 3, OF_EACH = 4, CANDIDATES_MAX = 512 };

/* Normals nearer than this to each other, as a cosine, are one direction. */
static const double SAME_DIRECTION = 0.85;

typedef struct Candidates {
    OozeMeeting items[CANDIDATES_MAX];
    int count;
} Candidates;

/* Room for 512: a candidate beyond takes the place of the one with the widest gap. */
static void keep(Candidates *c, OozeMeeting meeting)
{
    if (c->count < CANDIDATES_MAX) {
        c->items[c->count++] = meeting;
        return;
    }
    int worst = 0;
    for (int k = 1; k < c->count; k++) {
        worst = c->items[k].gap > c->items[worst].gap ? k : worst;
    }
    if (meeting.gap < c->items[worst].gap) {
        c->items[worst] = meeting;
    }
}

static double distance_at(const OozeTraveller *b, const OozePose *pose, OozeVec3 world,
                          OozeVec3 *normal)
{
    double distance = ooze_shape_distance(b->shape, ooze_pose_to_local(pose, world), normal);
    *normal = quat_rotate(pose->rotation, *normal);
    return distance;
}

/* One point of a, in its frame. `turned`: what is called a is b to those who asked. Gap and normal are those of the
   end of the way, so that a point which comes over an edge is not held up by it; but one that would come out at the
   far side of what it meets is held where it comes from. */
static void feel_point(Candidates *c, const OozeTraveller *a, const OozeTraveller *b,
                       OozeVec3 local, double depth, double reach, bool turned)
{
    OozeVec3 start = ooze_pose_to_world(&a->from, local), end = ooze_pose_to_world(&a->to, local);
    OozeVec3 normal, first;
    double gap = distance_at(b, &b->to, end, &normal) - depth;
    OozeVec3 before = ooze_pose_to_local(&b->from, start), after = ooze_pose_to_local(&b->to, end);
    double way = vec3_length(vec3_sub(after, before)), room = INFINITY;
    if (way > depth || gap < reach) {
        room = distance_at(b, &b->from, start, &first) - depth;
    }
    if (way > depth && room < way && vec3_dot(first, normal) < 0.0 && room > -depth) {
        OozeVec3 moved = quat_rotate(b->from.rotation, vec3_sub(after, before));
        gap = room + vec3_dot(first, moved);
        normal = first;
    }
    if (gap < reach) {
        keep(c, (OozeMeeting){
                    .point = vec3_madd(start, -(depth + 0.5 * room), normal),
                    .normal = turned ? vec3_scale(normal, -1.0) : normal,
                    .gap = gap,
                });
    }
}

/* The lowest point of a rim as b sees it: there a wheel stands. */
static void feel_rims(Candidates *c, const OozeTraveller *a, const OozeTraveller *b, double reach,
                      bool turned)
{
    const OozeFeelers *f = a->feelers;
    for (int k = 0; k < f->rim_count; k++) {
        const OozeRim *rim = &f->rims[k];
        OozeVec3 axis = quat_rotate(a->to.rotation, rim->axis), normal;
        OozeVec3 centre = ooze_pose_to_world(&a->to, rim->centre), point = centre;
        bool upright = true;
        for (int round = 0; round < 3 && upright; round++) {
            (void)distance_at(b, &b->to, point, &normal);
            OozeVec3 down = vec3_madd(vec3_scale(normal, -1.0), vec3_dot(normal, axis), axis);
            upright = vec3_length(down) >= 1e-6; /* or it stands on its face */
            point = vec3_madd(centre, rim->radius, vec3_unit(down, axis));
        }
        if (upright) {
            feel_point(c, a, b, ooze_pose_to_local(&a->to, point), rim->depth, reach, turned);
        }
    }
}

/* Points that are far from b all the way are passed over. */
static void feel(Candidates *c, const OozeTraveller *a, const OozeTraveller *b, double reach,
                 bool turned)
{
    const OozeFeelers *f = a->feelers;
    OozeBounds box = ooze_shape_bounds(b->shape);
    bool all = ooze_shape_inverted(b->shape); /* its box says nothing of its solid side */
    for (int k = 0; k < f->count; k++) {
        OozeVec3 p = ooze_pose_to_local(&b->from, ooze_pose_to_world(&a->from, f->points[k]));
        OozeVec3 q = ooze_pose_to_local(&b->to, ooze_pose_to_world(&a->to, f->points[k]));
        double near = reach + f->depths[k];
        bool inside = fmax(p.x, q.x) > box.min.x - near && fmin(p.x, q.x) < box.max.x + near &&
                      fmax(p.y, q.y) > box.min.y - near && fmin(p.y, q.y) < box.max.y + near &&
                      fmax(p.z, q.z) > box.min.z - near && fmin(p.z, q.z) < box.max.z + near;
        if (all || inside) {
            feel_point(c, a, b, f->points[k], f->depths[k], reach, turned);
        }
    }
    feel_rims(c, a, b, reach, turned);
}

/* ---- the few that count ---------------------------------------------------------------------------- */

typedef struct Choice {
    OozeMeeting items[OF_EACH];
    int count;
} Choice;

/* How much is gained by one more point: its distance from the first, from the line of two, from the triangle of
   three, seen along the normal. */
static double gain(const Choice *chosen, const OozeMeeting *m)
{
    const OozeMeeting *c = chosen->items;
    OozeVec3 n = c[0].normal, from = vec3_sub(m->point, c[0].point);
    from = vec3_madd(from, -vec3_dot(from, n), n);
    if (chosen->count == 1) {
        return vec3_length(from);
    }
    OozeVec3 edge = vec3_sub(c[1].point, c[0].point);
    double side = vec3_dot(n, vec3_cross(edge, from));
    if (chosen->count == 2) {
        return fabs(side) / fmax(vec3_length(edge), 1e-300);
    }
    /* outside which of the three edges, and how far */
    double most = 0.0, turn = vec3_dot(n, vec3_cross(edge, vec3_sub(c[2].point, c[0].point)));
    for (int k = 0; k < 3; k++) {
        OozeVec3 a = c[k].point, along = vec3_sub(c[(k + 1) % 3].point, a);
        double out = vec3_dot(n, vec3_cross(along, vec3_sub(m->point, a)));
        out = (turn > 0.0 ? -out : out) / fmax(vec3_length(along), 1e-300);
        most = fmax(most, out);
    }
    return most;
}

/* `least` is a gain that is none: points that near to the others say nothing new. */
static Choice choose(const Candidates *c, const bool *taken, double least)
{
    Choice chosen = {.count = 0};
    int first = -1;
    for (int k = 0; k < c->count; k++) {
        if (!taken[k] && (first < 0 || c->items[k].gap < c->items[first].gap)) {
            first = k;
        }
    }
    if (first < 0) {
        return chosen;
    }
    chosen.items[chosen.count++] = c->items[first];
    while (chosen.count < OF_EACH) {
        int best = -1;
        double most = least;
        for (int k = 0; k < c->count; k++) {
            bool along = vec3_dot(c->items[k].normal, chosen.items[0].normal) > SAME_DIRECTION;
            double gained = taken[k] || !along ? 0.0 : gain(&chosen, &c->items[k]);
            if (gained > most) {
                most = gained;
                best = k;
            }
        }
        if (best < 0) {
            break;
        }
        chosen.items[chosen.count++] = c->items[best];
    }
    return chosen;
}

int ooze_solids_meet(const OozeTraveller *a, const OozeTraveller *b, double reach,
                     OozeMeeting meetings[OOZE_MEETINGS_MAX])
{
    Candidates c;
    bool taken[CANDIDATES_MAX] = {false};
    int count = 0;
    c.count = 0;
    feel(&c, a, b, reach, false);
    feel(&c, b, a, reach, true);
    double of_a = a->feelers->count ? a->feelers->reach : INFINITY;
    double of_b = b->feelers->count ? b->feelers->reach : INFINITY, size = fmin(of_a, of_b);
    for (int d = 0; d < DIRECTIONS; d++) {
        Choice chosen = choose(&c, taken, 1e-3 * size);
        for (int k = 0; k < chosen.count; k++) {
            meetings[count++] = chosen.items[k];
        }
        for (int k = 0; k < c.count && chosen.count; k++) {
            taken[k] =
                taken[k] || vec3_dot(c.items[k].normal, chosen.items[0].normal) > SAME_DIRECTION;
        }
    }
    return count;
}
