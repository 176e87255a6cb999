/* Warnings of joints that contradict each other: those of the same two solids, and rings of joints
   that cannot move. Joints in a loop of solids, and several of a pair, are solved together. */
#include <math.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "scene/scene.h"
#include "world/world.h"

static bool join_the_same(const OozeJoint *p, const OozeJoint *q)
{
    return (p->solid == q->solid && p->other == q->other) ||
           (p->solid == q->other && p->other == q->solid);
}

/* Joints of the same pair of solids, of which one is fixed or both are driven. */
static void check_pairs(OozeScene *scene, const OozeWorld *world)
{
    for (int j = 1; j < world->joints.count; j++) {
        const OozeJoint *q = &world->joints.items[j];
        const OozeNode *at = ooze_scene_item_node(scene, "joints", j);
        for (int i = 0; i < j; i++) {
            const OozeJoint *p = &world->joints.items[i];
            bool fixed = p->kind == OOZE_JOINT_FIXED || q->kind == OOZE_JOINT_FIXED;
            bool driven = p->params[OOZE_JOINT_FORCE] > 0.0 && q->params[OOZE_JOINT_FORCE] > 0.0;
            if (!join_the_same(p, q) || !(fixed || driven)) {
                continue;
            }
            ooze_scene_warn(scene, at, "remove one of them",
                            fixed ? "joints '%s' and '%s' join the same solids, and one of them is "
                                    "fixed: the other has no effect"
                                  : "joints '%s' and '%s' join the same solids, and the motors of "
                                    "both drive them: they may work against each other",
                            p->name, q->name);
        }
    }
}

/* ---- rings ----------------------------------------------------------------------------------- */

/* A joint moves in its ring only if the relative velocities of all joints round it add up to zero:
   sum of q_k s_k = 0 with the twists s_k of their freedoms (Featherstone 2008, Rigid body dynamics
   algorithms, chapter 8). Where the twists are linearly independent every rate q_k is 0. */

enum { TWIST = 6, RING_MAX = 16 /* longer rings are not looked at */ };

/* Shortest part of a unit twist that others leave: axes within about a degree count as the same. */
static const double INDEPENDENT = 0.02;

typedef struct Ring {
    const OozeJoint *joints[RING_MAX];
    int count;
} Ring;

typedef struct Twists {
    double rows[TWIST][TWIST]; /* rotation, and velocity at the middle of the ring over its size */
    int count;
} Twists;

/* Adds the unit twist of a rotation about an axis through `arm` from the middle, or of a
   translation. */
static void add_twist(Twists *twists, OozeVec3 axis, OozeVec3 arm, bool rotates)
{
    OozeVec3 spin = rotates ? axis : vec3(0, 0, 0);
    OozeVec3 velocity = rotates ? vec3_cross(arm, axis) : axis;
    double size = sqrt(vec3_dot(spin, spin) + vec3_dot(velocity, velocity));
    double *row = twists->rows[twists->count++];
    for (int k = 0; k < 3; k++) {
        row[k] = vec3_component(spin, k) / size;
        row[k + 3] = vec3_component(velocity, k) / size;
    }
}

static int freedoms(const OozeJoint *joint)
{
    return joint->kind == OOZE_JOINT_BALL ? 3 : joint->kind == OOZE_JOINT_FIXED ? 0 : 1;
}

/* Lengths are relative to the largest distance of an anchor from the middle. */
static Twists twists_of(const Ring *ring)
{
    Twists twists = {.count = 0};
    OozeVec3 middle = vec3(0, 0, 0);
    double size = 0.0;
    for (int i = 0; i < ring->count; i++) {
        middle = vec3_madd(middle, 1.0 / ring->count, ring->joints[i]->anchor);
    }
    for (int i = 0; i < ring->count; i++) {
        size = fmax(size, vec3_length(vec3_sub(ring->joints[i]->anchor, middle)));
    }
    for (int i = 0; i < ring->count; i++) {
        const OozeJoint *joint = ring->joints[i];
        OozeVec3 arm = vec3_scale(vec3_sub(joint->anchor, middle), size > 0.0 ? 1.0 / size : 0.0);
        OozeVec3 axis = vec3_unit(joint->axis, vec3(1, 0, 0));
        bool ball = joint->kind == OOZE_JOINT_BALL;
        for (int k = 0; k < freedoms(joint); k++) {
            add_twist(&twists, ball ? vec3_axis((OozeAxis)k) : axis, arm,
                      joint->kind != OOZE_JOINT_SLIDER);
        }
    }
    return twists;
}

/* Gram and Schmidt: what a twist has left beside those before it. */
static bool are_independent(Twists *twists)
{
    for (int i = 0; i < twists->count; i++) {
        double *row = twists->rows[i], left = 0.0;
        for (int k = 0; k < i; k++) {
            double along = 0.0;
            for (int c = 0; c < TWIST; c++) {
                along += row[c] * twists->rows[k][c];
            }
            for (int c = 0; c < TWIST; c++) {
                row[c] -= along * twists->rows[k][c];
            }
        }
        for (int c = 0; c < TWIST; c++) {
            left += row[c] * row[c];
        }
        if (!(sqrt(left) > INDEPENDENT)) {
            return false;
        }
        for (int c = 0; c < TWIST; c++) {
            row[c] /= sqrt(left);
        }
    }
    return true;
}

/* Three or more hinges with parallel axes are the frame of a truss, which is meant to be rigid. */
static bool is_truss(const Ring *ring)
{
    int hinges = 0;
    for (int i = 0; i < ring->count; i++) {
        OozeVec3 axis = ring->joints[i]->axis, first = ring->joints[0]->axis;
        double sine = vec3_length(
            vec3_cross(vec3_unit(axis, vec3(1, 0, 0)), vec3_unit(first, vec3(1, 0, 0))));
        hinges += ring->joints[i]->kind == OOZE_JOINT_HINGE && sine < INDEPENDENT;
    }
    return hinges >= 3 && hinges == ring->count;
}

/* Whether the joints have freedoms, and the ring lets none of them move. */
static bool is_locked(const Ring *ring)
{
    int count = 0;
    bool fixed = false;
    for (int i = 0; i < ring->count; i++) {
        count += freedoms(ring->joints[i]);
        fixed = fixed || ring->joints[i]->kind == OOZE_JOINT_FIXED;
    }
    bool reported = ring->count == 2 && fixed; /* by check_pairs */
    if (count == 0 || count > TWIST || reported || is_truss(ring)) {
        return false;
    }
    Twists twists = twists_of(ring);
    return are_independent(&twists);
}

/* The joints before the present one as a graph, whose nodes are the solids and, last, the world.
   Edge 2 i leads from `solid` of joint i to `other`, 2 i + 1 back. */
typedef struct Graph {
    const OozeJoint *joints;
    int *first, *next; /* edges of a node; the next one of an edge; -1: none */
    int *by, *depth;   /* edge by which a search came to a node; depth -1: it did not */
    int *queue;
    int world;
} Graph;

static int node_of(const Graph *graph, int edge)
{
    const OozeJoint *joint = &graph->joints[edge / 2];
    int node = edge % 2 ? joint->other : joint->solid;
    return node < 0 ? graph->world : node;
}

static void add_edges(Graph *graph, int joint)
{
    for (int edge = 2 * joint; edge < 2 * joint + 2; edge++) {
        int node = node_of(graph, edge);
        graph->next[edge] = graph->first[node];
        graph->first[node] = edge;
    }
}

/* The shortest ring that a joint closes; without joints where it closes none. */
static Ring find_ring(Graph *graph, int joint)
{
    Ring ring = {.count = 0};
    int start = node_of(graph, 2 * joint), goal = node_of(graph, 2 * joint + 1), count = 1;
    graph->queue[0] = start;
    graph->depth[start] = 0;
    for (int at = 0; at < count && graph->depth[goal] < 0; at++) {
        int node = graph->queue[at];
        bool deeper = graph->depth[node] + 2 <= RING_MAX;
        for (int edge = deeper ? graph->first[node] : -1; edge >= 0; edge = graph->next[edge]) {
            int far = node_of(graph, edge ^ 1);
            if (graph->depth[far] < 0) {
                graph->depth[far] = graph->depth[node] + 1;
                graph->by[far] = edge;
                graph->queue[count++] = far;
            }
        }
    }
    if (graph->depth[goal] >= 0) {
        for (int node = goal; node != start; node = node_of(graph, graph->by[node])) {
            ring.joints[ring.count++] = &graph->joints[graph->by[node] / 2];
        }
        ring.joints[ring.count++] = &graph->joints[joint];
    }
    for (int i = 0; i < count; i++) {
        graph->depth[graph->queue[i]] = -1;
    }
    return ring;
}

static void warn_of_ring(OozeScene *scene, const Ring *ring, int joint)
{
    OozeText names = {0};
    for (int i = 0; i < ring->count; i++) {
        ooze_text_append(&names, "%s'%s'",
                         i == 0                 ? ""
                         : i == ring->count - 1 ? " and "
                                                : ", ",
                         ring->joints[i]->name);
    }
    if (names.failed) {
        scene->out_of_memory = true;
    } else {
        ooze_scene_warn(scene, ooze_scene_item_node(scene, "joints", joint),
                        "remove one of them, or turn their axes",
                        "joints %s form a ring that leaves them no freedom: none of them moves",
                        names.data);
    }
    ooze_text_clear(&names);
}

OozeStatus ooze_scene_check_joints(OozeScene *scene, const OozeWorld *world, OozeError *error)
{
    size_t joints = (size_t)world->joints.count, nodes = (size_t)world->solids.count + 1;
    check_pairs(scene, world);
    if (joints < 2) {
        return OOZE_OK;
    }
    int *memory = ooze_alloc(4 * nodes + 2 * joints, sizeof *memory);
    if (!memory) {
        return ooze_fail_memory(error, "the rings of joints", 0);
    }
    Graph graph = {.joints = world->joints.items,
                   .first = memory,
                   .by = memory + nodes,
                   .depth = memory + 2 * nodes,
                   .queue = memory + 3 * nodes,
                   .next = memory + 4 * nodes,
                   .world = world->solids.count};
    for (size_t i = 0; i < nodes; i++) {
        graph.first[i] = graph.depth[i] = -1;
    }
    for (int j = 0; j < world->joints.count; j++) {
        Ring ring = find_ring(&graph, j);
        if (is_locked(&ring)) {
            warn_of_ring(scene, &ring, j);
        }
        add_edges(&graph, j);
    }
    ooze_free(memory);
    return OOZE_OK;
}
