#include "surface/mixed_cell.h"

#include <string.h>

/* A run of air corners around a face: the segment of the surface leads from edge `entry` to edge
   `exit`. Edge k of a face is between its corners k and k + 1. */
typedef struct Run {
    int entry, exit;
    uint8_t after, before; /* labels of the fluid at those ends */
    int first;             /* its first air corner */
} Run;

/* A point where the material changes, in the order of the corners. */
typedef struct Change {
    int edge, run; /* one of the two, the other is -1 */
    uint8_t before, after;
} Change;

typedef struct Face {
    int run_count, change_count;
    Run run[2];
    Change change[4];
} Face;

/* Labels of the corners in their cycle. */
static void read_face(const uint8_t labels[4], Face *face)
{
    int start = 0, at;
    *face = (Face){0};
    while (start < 4 && !labels[start]) {
        start++;
    }
    if (start == 4) {
        return;
    }
    at = start;
    do {
        int after = (at + 1) % 4;
        while (!labels[after]) {
            after = (after + 1) % 4;
        }
        bool direct = after == (at + 1) % 4;
        Change change = {
            .edge = direct ? at : -1, .run = -1, .before = labels[at], .after = labels[after]};
        if (!direct) {
            change.run = face->run_count;
            face->run[face->run_count++] = (Run){.entry = (after + 3) % 4,
                                                 .exit = at,
                                                 .after = labels[after],
                                                 .before = labels[at],
                                                 .first = (at + 1) % 4};
        }
        if (change.before != change.after) {
            face->change[face->change_count++] = change;
        }
        at = after;
    } while (at != start);
}

/* ---- faces --------------------------------------------------------------------------------- */

/* Corners of a face in the cycle, numbered as in OozeMixedFace. */
static const uint8_t face_cycle[4] = {0, 1, 3, 2};

/* The number of a run among those of its face does not depend on the side from which it is seen. */
static int run_number(const Face *face, int run, const uint8_t corner_number[4])
{
    return face->run_count == 2 &&
           corner_number[face->run[run].first] > corner_number[face->run[1 - run].first];
}

void ooze_mixed_face(const uint8_t labels[4], OozeMixedFace *out)
{
    uint8_t cycle[4];
    Face face;
    for (int k = 0; k < 4; k++) {
        cycle[k] = labels[face_cycle[k]];
    }
    read_face(cycle, &face);
    *out = (OozeMixedFace){.middle = face.change_count > 2, .point_count = face.change_count};
    for (int r = 0; r < face.run_count; r++) {
        const Run *run = &face.run[r];
        int number = run_number(&face, r, face_cycle);
        out->split[number] = run->before != run->after;
        const uint8_t ends[2][2] = {{face_cycle[(run->entry + 1) % 4], face_cycle[run->entry]},
                                    {face_cycle[run->exit], face_cycle[(run->exit + 1) % 4]}};
        memcpy(out->ends[number], ends, sizeof ends);
    }
    for (int k = 0; k < face.change_count; k++) {
        const Change *change = &face.change[k];
        bool on_edge = change->edge >= 0;
        out->points[k][0] = on_edge ? face_cycle[change->edge] : 4;
        out->points[k][1] = (uint8_t)(on_edge ? face_cycle[(change->edge + 1) % 4]
                                              : run_number(&face, change->run, face_cycle));
    }
}

/* ---- the cell ------------------------------------------------------------------------------ */

typedef struct Cell {
    const uint8_t *labels;
    int next[OOZE_CUBE_EDGES];      /* of each edge where a segment begins; or -1 */
    uint8_t split[OOZE_CUBE_EDGES]; /* the vertex that divides that segment; 0: none */
    uint8_t from_label[OOZE_CUBE_EDGES], to_label[OOZE_CUBE_EDGES];
    int segment_count;
    OozeMixedTriangle segment[24]; /* corner 0 is missing */
} Cell;

static void add_segment(Cell *cell, int from, int to, const Change *change)
{
    cell->segment[cell->segment_count++] =
        (OozeMixedTriangle){{0, (uint8_t)from, (uint8_t)to}, change->before, change->after};
}

static void read_cell_face(Cell *cell, int number)
{
    int corners[4], axis = number / 2, u = (axis + 1) % 3, v = (axis + 2) % 3, point[4];
    uint8_t labels[4], corner_number[4];
    Face face;
    ooze_cube_face(number, corners);
    for (int k = 0; k < 4; k++) {
        labels[k] = cell->labels[corners[k]];
        corner_number[k] = (uint8_t)((corners[k] >> u & 1) | (corners[k] >> v & 1) << 1);
    }
    read_face(labels, &face);
    for (int r = 0; r < face.run_count; r++) {
        const Run *run = &face.run[r];
        int entry = ooze_cube_find_edge(corners[run->entry], corners[(run->entry + 1) % 4]);
        cell->next[entry] = ooze_cube_find_edge(corners[run->exit], corners[(run->exit + 1) % 4]);
        cell->from_label[entry] = run->after;
        cell->to_label[entry] = run->before;
        cell->split[entry] =
            (uint8_t)(run->before != run->after
                          ? OOZE_MIXED_SPLIT + 2 * number + run_number(&face, r, corner_number)
                          : 0);
    }
    for (int k = 0; k < face.change_count; k++) {
        const Change *change = &face.change[k];
        point[k] =
            change->edge >= 0
                ? ooze_cube_find_edge(corners[change->edge], corners[(change->edge + 1) % 4])
                : OOZE_MIXED_SPLIT + 2 * number + run_number(&face, change->run, corner_number);
    }
    if (face.change_count == 2) {
        add_segment(cell, point[1], point[0], &face.change[0]);
    }
    for (int k = 0; k < face.change_count && face.change_count > 2; k++) {
        add_segment(cell, OOZE_MIXED_MIDDLE + number, point[k], &face.change[k]);
    }
}

static void add_surface(OozeMixedCell *out, int middle, int from, int to, uint8_t label)
{
    out->surface[out->surface_count++] =
        (OozeMixedTriangle){{(uint8_t)middle, (uint8_t)from, (uint8_t)to}, label, 0};
}

/* The fan of one loop; its dividing points become segments towards the loop's middle. */
static bool add_loop(Cell *cell, int edge, OozeMixedCell *out, OozeMixedTriangle *chords,
                     int *chord_count)
{
    int middle = OOZE_MIXED_LOOP + out->loop_count++;
    bool changes = false;
    for (int at = edge; cell->next[at] >= 0;) {
        int to = cell->next[at], split = cell->split[at];
        cell->next[at] = -1;
        if (split) {
            add_surface(out, middle, at, split, cell->from_label[at]);
            add_surface(out, middle, split, to, cell->to_label[at]);
            chords[(*chord_count)++] = (OozeMixedTriangle){
                {0, (uint8_t)split, (uint8_t)middle}, cell->to_label[at], cell->from_label[at]};
            changes = true;
        } else {
            add_surface(out, middle, at, to, cell->from_label[at]);
        }
        at = to;
    }
    return changes;
}

/* The triangle of the cone over a segment, with the smaller label behind it. */
static void add_interface(OozeMixedCell *out, const OozeMixedTriangle *segment, int apex)
{
    OozeMixedTriangle triangle = *segment;
    if (segment->corner[2] == apex) {
        return;
    }
    if (segment->behind > segment->front) {
        triangle.corner[1] = segment->corner[2];
        triangle.corner[2] = segment->corner[1];
        triangle.behind = segment->front;
        triangle.front = segment->behind;
    }
    triangle.corner[0] = (uint8_t)apex;
    out->interface[out->interface_count++] = triangle;
}

void ooze_mixed_cell(const uint8_t labels[8], OozeMixedCell *out)
{
    Cell cell = {.labels = labels};
    OozeMixedTriangle chords[OOZE_CUBE_EDGES];
    int chord_count = 0, apex = -1;
    *out = (OozeMixedCell){0};
    for (int edge = 0; edge < OOZE_CUBE_EDGES; edge++) {
        cell.next[edge] = -1;
    }
    for (int face = 0; face < 6; face++) {
        read_cell_face(&cell, face);
    }
    for (int edge = 0; edge < OOZE_CUBE_EDGES; edge++) {
        if (cell.next[edge] >= 0) {
            bool changes = add_loop(&cell, edge, out, chords, &chord_count);
            apex = changes && apex < 0 ? OOZE_MIXED_LOOP + out->loop_count - 1 : apex;
        }
    }
    out->has_apex = apex < 0;
    apex = apex < 0 ? OOZE_MIXED_APEX : apex;
    for (int k = 0; k < cell.segment_count; k++) {
        add_interface(out, &cell.segment[k], apex);
    }
    for (int k = 0; k < chord_count; k++) {
        add_interface(out, &chords[k], apex);
    }
}
